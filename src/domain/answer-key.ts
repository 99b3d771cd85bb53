/** Groups commands by the comment that answers them, and names that comment's key. Publisher and renderer share this. */

import type { Surface } from './actor.ts';
import type { CommentFacts } from './facts.ts';
import type { SeenCommand } from './logbook/run-state.ts';

/** `<surface>-<id>`, unique across threads: GitHub numbers the three surfaces separately. */
export function commentName({ surface, id }: { readonly surface: Surface; readonly id: number }): string {
  return `${surface}-${id}`;
}

/**
 * Groups commands by the key in the answer's marker: the comment's name, plus `-edited` for commands that an
 * edit added to a comment which already had commands.
 */
export function answersByKey(commands: Iterable<SeenCommand>): ReadonlyMap<string, readonly SeenCommand[]> {
  const all = [...commands];
  const own = new Set<string>();
  for (const one of all) if (one.answer?.code !== COMMENT_EDITED) own.add(nameOf(one));
  return Map.groupBy(all, (one) => {
    const isOfEdit = one.answer?.code === COMMENT_EDITED && own.has(nameOf(one));
    return isOfEdit ? `${nameOf(one)}-edited` : nameOf(one);
  });
}

/**
 * Commands that need no further answer, in a record that is no longer published: answered in the thread,
 * answered by a reaction, or without an answer.
 */
export function toldCommands(
  commands: ReadonlyMap<string, SeenCommand>,
  answeredKeys: ReadonlySet<string>,
): ReadonlyMap<string, SeenCommand> {
  const open = new Set<SeenCommand>();
  for (const [key, asked] of answersByKey(commands.values()))
    if (!answeredKeys.has(key)) for (const one of asked) open.add(one);
  return new Map([...commands].filter(([, one]) => one.answer === null || isQuiet(one) || !open.has(one)));
}

type Answered = Pick<SeenCommand, 'answer'>;

/** Recorded and answered only by a reaction. */
export function isQuiet({ answer }: Answered): boolean {
  return answer?.detail['quiet'] === 1;
}

/** Answered as a comment by a person without a role in the repository. */
export function isToUntrusted({ answer }: Answered): boolean {
  return answer?.detail['stranger'] === 1;
}

const COMMENT_EDITED = 'comment-edited';

function nameOf({ surface, comment }: SeenCommand): string {
  return `${surface}-${comment}`;
}

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
