/** Replaces invalid UTF-8. */

import { isUtf8 } from 'node:buffer';
import { utf8SequenceLength } from './utf8-boundary.ts';

const MARK = 0x3f;

/**
 * Replaces each invalid UTF-8 byte by `?` (RFC 3629). The one-byte mark keeps log offsets correct, unlike U+FFFD. Cut off an unfinished
 * character first.
 */
export function utf8Only(bytes: Uint8Array): Uint8Array {
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
