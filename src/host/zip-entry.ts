/** Reads an untrusted single-file archive. */

import { isUtf8 } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';

/**
 * The text of file `name` in an untrusted zip that must contain nothing else (PKWARE APPNOTE 6.3.10, without encryption, ZIP64 and parts).
 * Null if it contains other files, exceeds `bytesMax`, is broken, or is not UTF-8.
 */
export function onlyEntryOf(archive: Uint8Array, name: string, bytesMax: number): string | null {
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
  if (bytes.toString('utf8', directory + 46, directory + 46 + nameLength) !== name || size > bytesMax)
    return null;
  if (start + 30 > bytes.length || bytes.readUInt32LE(start) !== FILE_HEADER) return null;
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  if (from + packed > bytes.length) return null;
  const content = unpacked(bytes.subarray(from, from + packed), method, bytesMax);
  return content?.length === size && isUtf8(content) ? content.toString('utf8') : null;
}

const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const DIRECTORY_ENTRY = 0x02014b50;
const FILE_HEADER = 0x04034b50;

function unpacked(packed: Buffer, method: number, bytesMax: number): Buffer | null {
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
