/** Files in folders that a job may write to as well: it may have put a link, a pipe or a device in the place of one. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** What this program or its wrapper writes beside a job: the longest is a job's command. */
export const RECORD_FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Opens an ordinary file to be read. A link is not followed, because what lies behind it is another's; a pipe is not waited for.
 * Throws as the system does, with a code, where there is none (`ENOENT`) or it is anything else (`ELOOP`, `ENOTSUP`).
 */
export async function openPlainFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is no file`), { code: 'ENOTSUP' });
}

/** Its whole text; `EFBIG` where it is longer than any that is written here. Of one that grows no more is read. */
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
