/** The lab's own checks on an edit of ours before it is pushed (policy AG-03): pre-commit, type check, tests. */

import { cutText, cutTextFromEnd } from '../../../domain/cut-text.ts';
import type { Sha } from '../../../domain/ids.ts';
import { limits } from '../../../domain/limits.ts';
import type { AskedFor, PlanWork } from '../../../run/proposing.ts';
import { type Failed, type Nothing, nothing, stillRunning } from '../../../run/proposing.ts';
import { ferryLane } from '../settings.ts';

/** Null where all of them succeed. An edit that changes nothing is what the branch has already, and was checked there. */
export async function failedChecks(
  open: PlanWork,
  asked: AskedFor,
  edit: { readonly base: Sha; readonly path: string; readonly text: string; readonly isChanged: boolean },
): Promise<Nothing | Failed | null> {
  const { checksBeforePush } = ferryLane(open.config.lane);
  if (checksBeforePush.length === 0 || !edit.isChanged) return null;
  const failed = await open.lab.helpers.check({
    asked,
    git: open.git,
    commit: edit.base,
    files: { [edit.path]: edit.text },
    commands: checksBeforePush,
  });
  if (failed === null) return null;
  if ('kind' in failed) return stillRunning('the lab’s checks');
  const { command, result } = failed;
  const output = open.redact(`${result.stdout}\n${result.stderr}`.trim());
  const how =
    result.kind === 'exited' ? `exit code ${result.exitCode}` : `${result.kind} ${result.code ?? ''}`;
  return nothing(
    'checks-failed',
    `${cutText(command.join(' '), limits.shownTextCharsMax)}: ${how.trim()}\n${cutTextFromEnd(output, limits.checkOutputShownChars)}`.toWellFormed(),
  );
}
