/** Reads the bytes of a log's file as the text that the Jobs API would make of them, byte for byte in the same places. */

import { completeUtf8Length } from '../../../host/utf8-boundary.ts';
import { utf8Only } from '../../../host/utf8-only.ts';
import type { LogDecoder } from './log-decoder.ts';

const RETURN = 13;
const NEWLINE = 10;

/**
 * Ray opens the file in Python's text mode, which makes one newline of `\r\n` and of a lone `\r`
 * (job_log_storage_client.py; Python, `open`, newline=None), so the same is done here: offsets of the one way to a log
 * are those of the other. What is no UTF-8 becomes `?`, for which the Jobs API has no answer at all.
 */
export function createFileLogReader(): LogDecoder {
  // An unfinished character, or a return that the next piece may follow with a newline.
  let held: Uint8Array = new Uint8Array();
  return {
    read: (bytes) => {
      const joined = Buffer.concat([held, bytes]);
      const length = completeUtf8Length(joined);
      const end = joined[length - 1] === RETURN ? length - 1 : length;
      held = Uint8Array.from(joined.subarray(end));
      return withNewlines(utf8Only(joined.subarray(0, end)));
    },
    // A character that was never finished is not handed on: the job may still write the rest of it.
    end: () => {
      const isReturn = held[0] === RETURN;
      held = new Uint8Array();
      return Uint8Array.from(isReturn ? [NEWLINE] : []);
    },
    state: () => 'whole',
  };
}

function withNewlines(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(RETURN)) return bytes;
  const text = new Uint8Array(bytes.length);
  let filled = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte === NEWLINE && bytes[index - 1] === RETURN) continue;
    text[filled] = byte === RETURN ? NEWLINE : byte;
    filled += 1;
  }
  return text.subarray(0, filled);
}
