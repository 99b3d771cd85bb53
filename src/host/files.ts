/** Reads and writes files safely: atomic creation, untrusted paths and contents, UTF-8, and zip archives. */

import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

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
async function readPlainText(path: string): Promise<string> {
  const most = RECORD_FILE_BYTES_MAX;
  await using file = await openPlainFile(path);
  const pieces: Buffer[] = [];
  for await (const piece of file.createReadStream({ end: most, autoClose: false })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (bytes.length > most) throw Object.assign(new Error(`${path} has more than ${most} bytes`), { code: 'EFBIG' });
  return bytes.toString('utf8');
}

/**
 * Writes `text` to `path` unless the file exists; true if this call created it. A hard link is atomic: it never replaces a file (unlike
 * rename) and never shows a partial one (unlike O_EXCL).
 */
export async function publishOnce(path: string, text: string): Promise<boolean> {
  const draft = join(dirname(path), `.${randomUUID()}.tmp`);
  await writeFile(draft, text, { flush: true, mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** The text of a regular file, or null if it does not exist. */
export async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return await readPlainText(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The system's error code (`ENOENT`, `EEXIST`, …) of a thrown value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** False if missing or not a folder; throws if access is denied. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/**
 * Number of bytes without an unfinished character at the end. Invalid bytes count as finished, so that a reader always makes progress
 * (RFC 3629).
 */
export function completeUtf8Length(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return utf8SequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

/** Length of a character by its first byte (RFC 3629). */
function utf8SequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

const MARK = 0x3f;

/**
 * Replaces each invalid UTF-8 byte by `?` (RFC 3629). The one-byte mark keeps log offsets correct, unlike U+FFFD. Cut off an unfinished
 * character first.
 */
export function keepValidUtf8(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes;
  const clean = Uint8Array.from(bytes);
  for (let at = 0; at < bytes.length; ) {
    const length = utf8SequenceLength(bytes[at] ?? 0);
    if (isUtf8(bytes.subarray(at, at + length))) at += length;
    else {
      clean[at] = MARK;
      at += 1;
    }
  }
  return clean;
}

/** Space of the file system that contains the folder; null if the system does not report it. */
export async function readDiskSpace(
  folder: string,
): Promise<{ readonly freeBytes: number; readonly totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return null;
    throw error;
  }
}

/**
 * The text of file `name` in an untrusted zip that must contain nothing else (PKWARE APPNOTE 6.3.10, without encryption, ZIP64 and parts).
 * Null if it contains other files, exceeds `bytesMax`, is broken, or is not UTF-8.
 */
export function readOnlyEntry(archive: Uint8Array, name: string, bytesMax: number): string | null {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = bytes.lastIndexOf(END_OF_DIRECTORY);
  if (end < 0 || end + 22 > bytes.length || bytes.readUInt16LE(end + 10) !== 1) return null;
  const directory = bytes.readUInt32LE(end + 16);
  if (directory + 46 > bytes.length || bytes.readUInt32LE(directory) !== DIRECTORY_ENTRY) return null;
  const method = bytes.readUInt16LE(directory + 10);
  const packed = bytes.readUInt32LE(directory + 20);
  const size = bytes.readUInt32LE(directory + 24);
  const nameLength = bytes.readUInt16LE(directory + 28);
  const start = bytes.readUInt32LE(directory + 42);
  if (bytes.toString('utf8', directory + 46, directory + 46 + nameLength) !== name || size > bytesMax) return null;
  if (start + 30 > bytes.length || bytes.readUInt32LE(start) !== FILE_HEADER) return null;
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  if (from + packed > bytes.length) return null;
  const content = unpackEntry(bytes.subarray(from, from + packed), method, bytesMax);
  return content?.length === size && isUtf8(content) ? content.toString('utf8') : null;
}

const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const DIRECTORY_ENTRY = 0x02014b50;
const FILE_HEADER = 0x04034b50;

function unpackEntry(packed: Buffer, method: number, bytesMax: number): Buffer | null {
  if (method === 0) return packed.length > bytesMax ? null : packed;
  if (method !== 8) return null;
  try {
    return inflateRawSync(packed, { maxOutputLength: bytesMax });
  } catch (error) {
    // Broken or too large.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
