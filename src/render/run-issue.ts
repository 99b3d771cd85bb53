/** The issue of a run that the bot opens: the form, with all known values. */

import { limits } from '../domain/limits.ts';
import { code, fenced, paragraphs, person } from './words.ts';

export type RunIssue = {
  readonly by: { readonly login: string; readonly id: number };
  /** The thread of the request. */
  readonly thread: number;
  readonly logbookBranch: string;
  /** Path of its `logbook.md` there. */
  readonly logbook: string;
  /** In the order of the form; null: unknown. */
  readonly answers: readonly (readonly [label: string, value: string | null])[];
};

/** Its description, without the marker. Values are outside text, in blocks of code. */
export function renderRunIssue({ by, thread, logbookBranch, logbook, answers }: RunIssue): string {
  return paragraphs(
    `🤖 Opened by ferrybot: ${person(by)} requested this run in #${thread}, which had no issue. The text below is its contract; replace each *No response* by the missing value. Nothing launches before it is complete and approved by another person.`,
    `Logbook: ${code(logbook)} on the branch ${code(logbookBranch)}.`,
    ...answers.map(
      ([label, value]) =>
        `### ${label}\n\n${value === null ? '_No response_' : fenced(value, limits.shownBlockCharsMax)}`,
    ),
  );
}
