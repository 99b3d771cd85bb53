/** Comments in a person's own pull request or issue before it is a run: why it is none yet, and what its text lacks. */

import type { Detail } from '../domain/payload.ts';
import { answerWords } from './answer-words.ts';
import { comment } from './comment.ts';
import { details, fenced, paragraphs } from './words.ts';

/** Text to paste into a description: all its parts, with every listed commit and issue. */
const PASTED_CHARS_MAX = 20_000;

/** Why the label of a lane creates no run, in the words of the answer to a command. */
export function renderNotTaken(key: string, why: { readonly code: string; readonly detail: Detail }): string {
  const after = WAITS.has(why.code)
    ? 'ferrybot creates the run after that, if the label is still there.'
    : null;
  return own(key, paragraphs(`The label asks for a run, and ${answerWords(why, { input: null })}`, after));
}

const WAITS: ReadonlySet<string> = new Set(['propose-held', 'propose-standing', 'propose-busy']);

/** The parts of the description that a launch needs, to paste: ferrybot does not edit text of people. */
export function renderMissingParts(key: string, parts: string): string {
  const intro =
    'The description of this pull request lacks parts that a launch needs. ferrybot does not edit your text: paste what is missing, and correct what is wrong:';
  return own(key, paragraphs(intro, details('Parts of the description', fenced(parts, PASTED_CHARS_MAX))));
}

function own(key: string, content: string): string {
  return comment({ run: 'journal', kind: 'own-pull', key, fields: {} }, content);
}
