/** The beginning of an answer that is only read for what it says went wrong. */

import { cutText } from '../../../domain/cut-text.ts';
import { limits } from '../../../domain/limits.ts';
import type { HttpAnswer } from '../../http.ts';

/** Bounded text; null where the connection broke off before so much, or all, of it had come. */
export async function readSome(answer: HttpAnswer): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of answer.body) {
      pieces.push(piece);
      size += piece.length;
      if (size > limits.rayAnswerTextMax) break;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
  return cutText(Buffer.concat(pieces).toString('utf8'), limits.rayAnswerTextMax);
}
