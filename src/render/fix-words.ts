/** Why no program mends a failure: what is left to people. */

import type { NoFixReason } from '../diagnosis/fix/no-fix.ts';

/** A sentence without its end. */
export function noFixWords(reason: NoFixReason): string {
  return WORDS[reason];
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
