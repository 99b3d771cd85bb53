/** What is said of a run that goes on as another one. */

import type { resumeAs } from '../commands/resume-as.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Sentences } from './answer-view.ts';
import { startWords } from './checkpoints.ts';
import { code, text } from './words.ts';

/** The sentences of the codes that only `/resume-as` has. */
export const RESUME_WORDS: Sentences<keyof (typeof resumeAs)['answers']> = {
  'resumed-as': ({ old, run, from, root, reason }) =>
    `${code(old)} is closed and goes on as ${code(run)}, a run of its own in this issue, from ${code(from)}${root ? ` into ${code(root)}` : ''} (${text(reason)}). Nothing was started: the card of ${code(run)} shows its manifest, and its line approves it. What else changes${root ? '' : ', the output root among it,'} stands in the issue.`,
  'resume-as-not-now': ({ status }) =>
    `nothing goes on as another run: ${text(status)}. It follows an attempt that has ended, in the open issue of its run.`,
  'resume-as-taken': ({ id, run }) =>
    `nothing goes on as ${code(id)}: the run ${code(run)} has that name or tracker id already, and one identity is of one lineage. Say another \`id=\`.`,
  'resume-as-unclear': ({ name, said, wanted }) =>
    `nothing goes on as another run, and this one is as it was: ${code(said)} cannot be its ${text(name)}; wanted is ${text(wanted)}.`,
  'resume-as-root-taken': ({ root, run }) =>
    `nothing goes on as another run, and this one is as it was: ${code(root)} is where the run ${code(run)} writes. Say another \`root=\`.`,
  'resume-as-refused': ({ path, why }) =>
    `nothing goes on as another run, and this one is as it was: ${code(path)} is nothing to begin from: ${startWords(why)}. Say another \`from=\`.`,
  'resume-as-failed': ({ why }) =>
    `it could not be carried out: ${text(why)}. What was begun is left as it is; when the cause is mended, ask again.`,
};

/** The card's line about where the run comes from; null for one that goes on as no other. */
export function continuesLine({ proposal: { continues } }: RunState): string | null {
  if (continues === undefined) return null;
  return `Goes on from the run ${code(continues.run)} under an identity of its own: ${text(continues.reason)}.`;
}
