/** What the one command that deletes on a worker says in its last line; any other ending is unknown, and looked at again. */

import { known, type Observed, unknown } from '../../domain/observed.ts';

/**
 * `deleted`: nothing is left; `nothing`: there was nothing to delete; `refused`: nothing was deleted, and why;
 * `incomplete`: it was moved aside, and `leftFiles` of it could not be deleted. `code` is a word of the remote command
 * (src/clouds/gcp/clean-script.ts). `freedBytes` is of the boot disk.
 */
export type CleanAnswer = {
  readonly outcome: keyof typeof EXITS;
  readonly code: string;
  readonly freedBytes: number;
  readonly leftFiles: number;
};

const LAST_LINE =
  /^ferrybot-clean 1 (deleted|nothing|refused|incomplete) ([a-z-]{1,40}) freed=(-?\d{1,15}) left=(\d{1,12})$/;
const EXITS = { deleted: 0, nothing: 0, refused: 3, incomplete: 3 } as const;

/** Reads the output and the exit code that belongs to it; both have to say the same. */
export function readCleanAnswer(stdout: string, exitCode: number): Observed<CleanAnswer> {
  const last = stdout.trimEnd().split(/\r?\n/).at(-1) ?? '';
  const match = LAST_LINE.exec(last);
  if (match === null) return unknown(`the command ended with ${exitCode} and without its last line`);
  const [, word, code = '', freed = '', left = ''] = match;
  // The pattern has no other words.
  const outcome = word as CleanAnswer['outcome'];
  if (EXITS[outcome] !== exitCode) return unknown(`the command said ${outcome} and ended with ${exitCode}`);
  return known({ outcome, code, freedBytes: Number(freed), leftFiles: Number(left) });
}
