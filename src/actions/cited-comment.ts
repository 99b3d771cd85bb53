/** The comment that an act rests on, as the executor reads it again by its id: still there, in its place, and as it was written. */

import { readComment } from '../commands/grammar/read-comment.ts';
import type { ReadCommand } from '../commands/grammar/reading.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Digest } from '../domain/ids.ts';
import type { Observed } from '../domain/observed.ts';
import { fail, ok, type Result } from '../domain/result.ts';

/** What the record says of it, and what it has to say itself. */
export type Cited = {
  readonly surface: CommentFacts['surface'];
  readonly comment: number;
  /** Where alone it counts. */
  readonly threads: readonly number[];
  /** Id of the person; null where the record names none. */
  readonly user: number | null;
  readonly bodyDigest: Digest;
};

type CitedFault = {
  readonly code: 'gone' | 'elsewhere' | 'by-another' | 'edited' | 'hidden' | 'not-given';
  readonly why: string;
};

/** The same as whoever refuses on it records it. */
export type CitationFault = {
  readonly code: `approval-${CitedFault['code']}` | 'unreadable';
  readonly why: string;
};

/**
 * The comment, where nothing is wrong with it. Control's word that somebody approved is not enough: the text itself
 * has to say it, and `gives` whether one of its commands does.
 */
export function citedComment(
  read: Observed<CommentFacts | null> | undefined,
  cited: Cited,
  otherBots: readonly string[],
  gives: (said: ReadCommand) => boolean,
): Result<CommentFacts, CitationFault> {
  const where = `${cited.surface} ${cited.comment}`;
  if (read === undefined || read.kind === 'unknown')
    return fail({ code: 'unreadable', why: read?.why ?? `${where} was not read` });
  const wrong = citedFault(read.value, cited, otherBots, gives);
  // rule ML-02
  if (read.value === null || wrong !== null)
    return fail({ code: `approval-${wrong?.code ?? 'gone'}`, why: wrong?.why ?? where });
  return ok(read.value);
}

function citedFault(
  comment: CommentFacts | null,
  cited: Cited,
  otherBots: readonly string[],
  gives: (said: ReadCommand) => boolean,
): CitedFault | null {
  const where = `${cited.surface} ${cited.comment}`;
  if (comment === null || comment.id !== cited.comment || comment.surface !== cited.surface)
    return { code: 'gone', why: where };
  if (!cited.threads.includes(comment.thread))
    return { code: 'elsewhere', why: `${where} stands in #${comment.thread}` };
  if (comment.author.id !== cited.user || comment.authorIsBot)
    return { code: 'by-another', why: comment.author.login };
  if (comment.editedAt !== null || comment.bodyDigest !== cited.bodyDigest)
    return { code: 'edited', why: where };
  if (comment.minimized) return { code: 'hidden', why: where };
  const { commands } = readComment(comment.body, COMMAND_DEFINITIONS, { otherBots });
  return commands.some(gives) ? null : { code: 'not-given', why: where };
}
