/** The approvals of a run as its gates look at them: who, of which manifest and text, and whether it still counts. */

import type { Actor } from '../domain/actor.ts';
import type { Digest } from '../domain/ids.ts';
import type { ApprovalFault, DropReason } from '../domain/logbook/events/launch-events.ts';
import type { Observed } from '../domain/observed.ts';

/** What became of an approval since it was recorded. */
export type ApprovalStanding = 'counts' | ApprovalFault;

/** One approval that was recorded and not dropped. `body`: fingerprint of the text that it was given to. */
export type GivenApproval = {
  readonly actor: Actor;
  readonly digest: Digest;
  readonly body: Digest;
  readonly at: string;
  readonly standing: Observed<ApprovalStanding>;
};

/** `needed`: distinct people that the run's cost demands. `lastDrop`: the newest approval that fell. */
export type ApprovalFacts = {
  readonly needed: number;
  /** The manifest whose envelope has approved what would be launched; left out where approvals have to name that itself. */
  readonly beforehand?: Digest;
  readonly given: readonly GivenApproval[];
  readonly lastDrop: { readonly reason: DropReason; readonly digest: Digest } | null;
};

/** Those that were given to this very manifest, or to the one that has approved it, and to this very text (architecture, D4). */
export function givenTo(
  { given, beforehand }: ApprovalFacts,
  now: { readonly digest: Digest; readonly body: Digest },
): readonly GivenApproval[] {
  const named = beforehand ?? now.digest;
  return given.filter((one) => one.digest === named && one.body === now.body);
}
