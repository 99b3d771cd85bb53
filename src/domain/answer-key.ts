/** Which commands one answer tells of, and under which key: what publishes answers and what writes them agree on it here. */

import type { Surface } from './command.ts';
import type { SeenCommand } from './logbook/run-state.ts';
import { readFacts } from './payload.ts';

/** A comment's name in all threads, `<surface>-<id>`: GitHub numbers the three surfaces separately. */
export function commentName({ surface, id }: { readonly surface: Surface; readonly id: number }): string {
  return `${surface}-${id}`;
}

/**
 * Commands by the answer that tells of them, as its marker is keyed: the comment's name, with `-edited` for what an
 * edit brought to a comment that has commands of its own, because their answer may be standing by then.
 */
export function answersByKey(commands: Iterable<SeenCommand>): ReadonlyMap<string, readonly SeenCommand[]> {
  const all = [...commands];
  const own = new Set(all.filter((one) => !isOfEdit(one)).map(nameOf));
  return Map.groupBy(all, (one) =>
    isOfEdit(one) && own.has(nameOf(one)) ? `${nameOf(one)}-edited` : nameOf(one),
  );
}

/**
 * What of a record that nobody publishes from any more was told: its answers that stand in the thread, by their keys, those
 * that are told by a reaction alone, and what has no answer. The rest is answered anew.
 */
export function toldCommands(
  commands: ReadonlyMap<string, SeenCommand>,
  answeredKeys: ReadonlySet<string>,
): ReadonlyMap<string, SeenCommand> {
  const notRecorded = new Set(
    [...answersByKey(commands.values())].flatMap(([key, told]) => (answeredKeys.has(key) ? [] : told)),
  );
  return new Map(
    [...commands].filter(([, one]) => one.answer === null || isQuiet(one) || !notRecorded.has(one)),
  );
}

/** What an answer says beside its own facts: that it was for a stranger, and then whether it was told by a reaction alone. */
const MARKS = { stranger: 'integer?', quiet: 'integer?' } as const;
type Answered = Pick<SeenCommand, 'answer'>;

/** Recorded, and answered by a reaction alone. */
export function isQuiet({ answer }: Answered): boolean {
  return answer !== null && readFacts(MARKS, answer.detail)?.quiet === 1;
}

/** Answered as to somebody without a role in the repository. */
export function isToUntrusted({ answer }: Answered): boolean {
  return answer !== null && readFacts(MARKS, answer.detail)?.stranger === 1;
}

function isOfEdit({ answer }: SeenCommand): boolean {
  return answer?.code === 'comment-edited';
}

function nameOf({ surface, comment }: SeenCommand): string {
  return commentName({ surface, id: comment });
}
