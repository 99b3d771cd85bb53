/** Files in folders that a job can write to, where it may have placed a link, pipe or device. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The longest file written next to a job is its command. */
export const RECORD_FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Opens a regular file without following links or waiting for pipes. Throws with a code if missing (`ENOENT`) or of another type (`ELOOP`,
 * `ENOTSUP`).
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is no file`), { code: 'ENOTSUP' });
}

/** The whole text; throws `EFBIG` above the limit. */
export async function readPlainText(path: string): Promise<string> {
  const most = RECORD_FILE_BYTES_MAX;
  await using file = await openPlainFile(path);
  const pieces: Buffer[] = [];
  for await (const piece of file.createReadStream({ end: most, autoClose: false })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (bytes.length > most)
    throw Object.assign(new Error(`${path} has more than ${most} bytes`), { code: 'EFBIG' });
  return bytes.toString('utf8');
}
