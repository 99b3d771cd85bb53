/** Reads a bounded part of a log that is a file, from a byte offset. */

import type { FileHandle } from 'node:fs/promises';
import type { LogRead } from '../domain/engine.ts';
import { limits } from '../domain/limits.ts';
import { openPlainFile } from '../host/plain-file.ts';
import { codeOf } from '../host/publish-once.ts';
import { completeUtf8Length } from '../host/utf8-boundary.ts';
import { utf8Only } from '../host/utf8-only.ts';

/** At most `limits.logChunkBytesMax` bytes; a job that has not written yet gives an empty chunk. */
export async function readLogFile(path: string, offset: number): Promise<LogRead> {
  let file: FileHandle;
  try {
    file = await openPlainFile(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return { kind: 'unknown', message: String(error) };
    if (offset > 0) return { kind: 'rewound', sizeBytes: 0 };
    return { kind: 'chunk', bytes: new Uint8Array(), offset, nextOffset: offset, atEnd: true };
  }
  try {
    const { size } = await file.stat();
    if (offset > size) return { kind: 'rewound', sizeBytes: size };
    const length = Math.min(size - offset, limits.logChunkBytesMax);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    const bytes = buffer.subarray(0, completeUtf8Length(buffer.subarray(0, bytesRead)));
    const atEnd = offset + bytesRead >= size;
    return { kind: 'chunk', bytes: utf8Only(bytes), offset, nextOffset: offset + bytes.length, atEnd };
  } finally {
    await file.close();
  }
}
