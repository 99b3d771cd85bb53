/** The lines of a log that is piped in, however it ends them, in bounded memory. */

import type { Readable } from 'node:stream';
import { cutText } from '../../domain/cut-text.ts';

/** A carriage return begins a bar anew: it ends a line. Bytes that are no UTF-8 come as replacement characters. */
export async function* logLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    // Nobody has set an encoding: what comes is bytes.
    const text = rest + decoder.decode(chunk as Uint8Array, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = cutText(lines.pop() ?? '', LINE_CHARS_MAX);
    yield* lines;
  }
  const last = (rest + decoder.decode()).replace(/\r$/, '');
  if (last !== '') yield last;
}

/** What is longer is no line of a log; its beginning is enough. */
const LINE_CHARS_MAX = 1_000_000;
