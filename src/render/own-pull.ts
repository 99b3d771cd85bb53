/** What is said in somebody's own pull request or issue before it is a run: why it is none yet, and what its text lacks. */

import type { Detail } from '../domain/payload.ts';
import { answerWords } from './answer-words.ts';
import { comment } from './comment.ts';
import { details, fenced, paragraphs } from './words.ts';

/** Text that somebody is to paste into a description: all parts of one, with as many commits and issues as are listed. */
const PASTED_CHARS_MAX = 20_000;

/** Why a thread that carries a lane's label is not taken up, in the words of the answer to a command. */
export function renderNotTaken(key: string, why: { readonly code: string; readonly detail: Detail }): string {
  const after = WAITS.has(why.code)
    ? 'This is taken up when that is over, as long as the label is there.'
    : null;
  return said(key, paragraphs(`The label asks for a run, and ${answerWords(why, { input: null })}`, after));
}

const WAITS: ReadonlySet<string> = new Set(['propose-held', 'propose-standing', 'propose-busy']);

/** What has to stand in the description before a launch, as text to be pasted: ferrybot edits nobody's own text. */
export function renderMissingParts(key: string, parts: string): string {
  const intro =
    'The description of this pull request lacks parts that a launch needs; ferrybot does not edit it, because it is not its own. Paste what is missing, and put right what is not so:';
  return said(key, paragraphs(intro, details('Parts of the description', fenced(parts, PASTED_CHARS_MAX))));
}

function said(key: string, content: string): string {
  return comment({ run: 'journal', kind: 'own-pull', key, fields: {} }, content);
}
