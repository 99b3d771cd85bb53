/** Text out of bytes that may be no UTF-8, with exactly as many bytes: so that places in the one are places in the other. */

import { isUtf8 } from 'node:buffer';
import { utf8SequenceLength } from './utf8-boundary.ts';

const MARK = 0x3f;

/**
 * The same bytes with `?` for each that belongs to no character of UTF-8 (RFC 3629). Not U+FFFD, which has three bytes:
 * offsets into a log would be wrong behind it. An unfinished character at the end counts as none: cut it off before.
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
