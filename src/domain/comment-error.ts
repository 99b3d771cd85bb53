/** A bug that one comment brings to light: it says which, so that everything else in its thread can go on without it. */

import type { CommentFacts } from './facts.ts';

export type CommentPlace = Pick<CommentFacts, 'surface' | 'id' | 'thread'>;

/** Thrown out of the core with the error itself as its cause. */
export class CommentError extends Error {
  readonly comment: CommentPlace;

  constructor({ surface, id, thread }: CommentPlace, cause: unknown) {
    super(`${surface} ${id}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'CommentError';
    this.comment = { surface, id, thread };
  }
}

/** Does what only this comment's text decides; what is thrown there names the comment. */
export function aboutComment<T>(comment: CommentPlace, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw cause instanceof CommentError ? cause : new CommentError(comment, cause);
  }
}
