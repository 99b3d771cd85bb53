/** A slip that a program puts right: the commit's message, and why there is none. */

import { NO_FIX_REASONS, type NoFixReason } from '../diagnosis/fix/no-fix.ts';
import { text } from './words.ts';

/** Nothing of the job's own words goes into it. */
export function fixCommitMessage(path: string, run: string, attempt: number): string {
  return `Fix a slip in ${path}\n\nAttempt ${attempt} of ${run} failed by it. It is launched only once it is approved.\n`;
}

/** A sentence without its end: of this process's own reason. */
export function noFixWords(reason: NoFixReason): string {
  return WORDS[reason];
}

/** The same of what is recorded, which may be what a push met. */
export function recordedReasonWords(reason: string): string {
  const known = NO_FIX_REASONS.find((one) => one === reason);
  if (known !== undefined) return WORDS[known];
  if (reason === 'branch-moved') return 'somebody has pushed to the branch meanwhile';
  return `the branch could not be pushed to (${text(reason)})`;
}

const WORDS: Readonly<Record<NoFixReason, string>> = {
  'not-small': 'this is no slip of one file that the interpreter names',
  'no-suggestion': 'the error says nothing from which a correction follows',
  'not-in-tree': 'the file that the log names is not among the files of that commit',
  'outside-scope': 'the file is not one that a fix may change here (`fixScope`)',
  'too-long': 'the file is too long to be one that a person wrote',
  'tree-unlike': 'the file does not bear out what the log says about that line',
  'no-candidate': 'nothing that the file knows is near enough to what was written',
  'several-candidates': 'more than one correction is possible',
  'other-suggestion': 'the log suggests something else than the file does',
  'not-mended': 'the corrected file could still not be read',
};
