/** Attaches the comment to an error, so that the rest of its thread is still processed. */

import type { CommentFacts } from './facts.ts';

export type CommentPlace = Pick<CommentFacts, 'surface' | 'id' | 'thread'>;

export class CommentError extends Error {
  readonly comment: CommentPlace;

  constructor({ surface, id, thread }: CommentPlace, cause: unknown) {
    super(`${surface} ${id}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'CommentError';
    this.comment = { surface, id, thread };
  }
}

/** Runs `work`, and wraps what it throws in a `CommentError`. */
export function aboutComment<T>(comment: CommentPlace, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw cause instanceof CommentError ? cause : new CommentError(comment, cause);
  }
}
