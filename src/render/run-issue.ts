/** The issue of a run that the bot opens because nobody has one: the form, filled in as far as anything is known. */

import { limits } from '../domain/limits.ts';
import { code, fenced, paragraphs, person } from './words.ts';

export type RunIssue = {
  readonly by: { readonly login: string; readonly id: number };
  /** Where it was asked for. */
  readonly thread: number;
  readonly logbookBranch: string;
  /** Path of its `logbook.md` there. */
  readonly logbook: string;
  /** In the order of the form; null: nobody has said. */
  readonly answers: readonly (readonly [label: string, value: string | null])[];
};

/** Its description, without the marker. Values are somebody's words and stand in blocks of code, where they are read. */
export function renderRunIssue({ by, thread, logbookBranch, logbook, answers }: RunIssue): string {
  return paragraphs(
    `🤖 Opened by ferrybot: ${person(by)} asked for this run in #${thread}, and there was no issue of it. What is written below is its contract; write what is missing in the place of *No response*. Nothing is launched before it is complete and approved by somebody else.`,
    `Logbook: ${code(logbook)} on the branch ${code(logbookBranch)}.`,
    ...answers.map(
      ([label, value]) =>
        `### ${label}\n\n${value === null ? '_No response_' : fenced(value, limits.shownBlockCharsMax)}`,
    ),
  );
}
