/** A slip that a program puts right: the commit's message, and why there is none. */

import { NO_FIX_REASONS, type NoFixReason } from '../diagnosis/fix/no-fix.ts';
import type { FixerFault } from '../domain/launch/fixer.ts';
import type { PatchFault } from '../domain/launch/patch.ts';
import { text } from './words.ts';

/** Nothing of the job's own words goes into it. */
export function fixCommitMessage(path: string, run: string, attempt: number): string {
  return `Fix a slip in ${path}\n\nAttempt ${attempt} of ${run} failed by it. It is launched only once it is approved.\n`;
}

/** The same of what a fixer of the lab wrote. */
export function fixerCommitMessage(paths: readonly string[], run: string, attempt: number): string {
  return `Apply the patch of a fixer to ${paths.join(', ')}\n\nAttempt ${attempt} of ${run} failed. It is launched only once it is approved.\n`;
}

/** A sentence without its end: of this process's own reason. */
export function noFixWords(reason: NoFixReason): string {
  return WORDS[reason];
}

/** The same of what is recorded, which may be what a push met. */
export function recordedReasonWords(reason: string): string {
  const known = NO_FIX_REASONS.find((one) => one === reason);
  if (known !== undefined) return WORDS[known];
  if (isOfFixer(reason)) return `the fixer of the lane was asked, and ${FIXER_WORDS[reason]}`;
  if (reason === 'branch-moved') return 'somebody has pushed to the branch meanwhile';
  return `the branch could not be pushed to (${text(reason)})`;
}

type OfFixer = FixerFault | PatchFault;

function isOfFixer(reason: string): reason is OfFixer {
  return Object.hasOwn(FIXER_WORDS, reason);
}

const FIXER_WORDS: Readonly<Record<OfFixer, string>> = {
  'fixer-not-started': 'its workflow (`workflows.fix`) could not be dispatched',
  'fixer-late': 'its workflow has not ended in time',
  'fixer-no-answer': 'its workflow left no answer that can be read',
  'fixer-cancelled': 'its workflow was cancelled, or its answer deleted, each time',
  'fixer-failed': 'it failed',
  'fixer-timed-out': 'it did not end in its time (`fixer.timeoutMs`)',
  'fixer-too-long': 'it printed more than a small patch has',
  'patch-none': 'it changes nothing',
  'patch-too-large': 'its patch is larger than one of a slip, which is shown whole',
  'patch-unreadable': 'it printed something else than a patch as `git diff` writes one',
  'patch-not-an-edit':
    'its patch adds, removes or renames a file, or changes a mode, a link or what is no text',
  'patch-hidden-signs': 'its patch has signs that a reader would not see',
  'patch-like-secret':
    'a part of its patch looks like a secret, which is not shown: nobody would see all that is committed',
  'patch-does-not-apply': 'its patch does not fit the files of that commit',
};

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
