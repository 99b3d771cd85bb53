/** What the one command that deletes on a worker says in its last line; any other ending is unknown, and looked at again. */

import { known, type Observed, unknown } from '../../domain/observed.ts';

/**
 * `deleted`: nothing is left; `nothing`: there was nothing to delete; `refused`: nothing was deleted, and why;
 * `incomplete`: it was moved aside, and `leftFiles` of it could not be deleted. `freedBytes` is of the boot disk.
 */
export type CleanAnswer = {
  readonly outcome: 'deleted' | 'nothing' | 'refused' | 'incomplete';
  readonly code: CleanCode;
  readonly freedBytes: number;
  readonly leftFiles: number;
};

/** Codes of the remote command (src/clouds/gcp/clean-script.ts), a closed list. */
export const CLEAN_CODES = [
  'moved',
  'leftover',
  'absent',
  'mounted',
  'mounted-below',
  'mounted-aside',
  'mounted-below-aside',
  'aside-mounted',
  'aside-mounted-below',
  'aside-unread',
  'aside-link',
  'aside-changed',
  'unread',
  'unread-aside',
  'changed',
  'changed-aside',
  'link',
  'no-parent',
  'no-folder',
  'no-tool',
  'not-moved',
  'other-disk',
] as const;
export type CleanCode = (typeof CLEAN_CODES)[number];

const LAST_LINE =
  /^ferrybot-clean 1 (deleted|nothing|refused|incomplete) ([a-z-]{1,40}) freed=(-?\d{1,15}) left=(\d{1,12})$/;
const EXITS: Readonly<Record<CleanAnswer['outcome'], number>> = {
  deleted: 0,
  nothing: 0,
  refused: 3,
  incomplete: 3,
};

/** Reads the output and the exit code that belongs to it; both have to say the same. */
export function readCleanAnswer(stdout: string, exitCode: number): Observed<CleanAnswer> {
  const last = stdout.trimEnd().split(/\r?\n/).at(-1) ?? '';
  const match = LAST_LINE.exec(last);
  if (match === null) return unknown(`the command ended with ${exitCode} and without its last line`);
  const [, word = '', text = '', freed = '', left = ''] = match;
  const outcome = OUTCOMES.find((one) => one === word);
  const code = CLEAN_CODES.find((one) => one === text);
  if (outcome === undefined || code === undefined)
    return unknown('the command said a word that is not its own');
  if (EXITS[outcome] !== exitCode) return unknown(`the command said ${outcome} and ended with ${exitCode}`);
  return known({ outcome, code, freedBytes: Number(freed), leftFiles: Number(left) });
}

const OUTCOMES = ['deleted', 'nothing', 'refused', 'incomplete'] as const;
