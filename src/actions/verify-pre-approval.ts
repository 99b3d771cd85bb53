/**
 * An order of a fix that no comment names: the runner holds it against the manifest that a person did approve, whose digest it
 * computes itself, and against the fix that it works out itself from the files of the commit that ran. That control recorded
 * such a fix counts for nothing.
 */

import type { DigestOf } from '../domain/ids.ts';
import type { Order } from '../domain/launch/order.ts';
import { isSameButFiles, preApproves } from '../domain/launch/pre-approval.ts';
import type { RefusalCode } from '../domain/launch/refusal.ts';
import type { PastAttempt, RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import type { ChangeGateFacts } from '../gates/gate.ts';
import { canonicalDigest } from '../logbook/canonical.ts';

/**
 * What the runner finds of the ordered commit: `mended` where it is the commit that ran with its own fix of this file in it and
 * nothing else.
 */
export type FixInTree =
  | { readonly kind: 'mended'; readonly path: string }
  | { readonly kind: 'otherwise'; readonly why: string };

type Fault = { readonly code: RefusalCode; readonly why: string };

/** The newest attempt of the manifest that is said to have approved it: what the fix is one of. Null where there is none. */
export function approvingAttempt({ attempts }: RunState, { preApprovedBy }: Order): PastAttempt | null {
  return attempts.findLast(({ order }) => order.order.digest === preApprovedBy) ?? null;
}

/** The first thing that is wrong with a fix that was approved beforehand, or null; also for every other order. */
export function preApprovalFault(
  state: RunState,
  order: Order,
  fix: Observed<FixInTree>,
  { gates, digestOf }: { readonly gates: Observed<ChangeGateFacts>; readonly digestOf: DigestOf },
): Fault | null {
  if (order.preApprovedBy === undefined) return null;
  const after = approvingAttempt(state, order);
  const manifest = after?.order.manifest ?? null;
  if (after === null || manifest === null || after.order.order.preApprovedBy !== undefined)
    return refused(
      'no attempt of the manifest that is said to allow it was launched on an approval of its own',
    );
  if (canonicalDigest(manifest, digestOf) !== order.preApprovedBy)
    return refused('the record has another manifest than the one that was approved');
  const earlier = state.attempts.find(
    ({ order: { order: one } }) => one.preApprovedBy !== undefined && one.digest !== order.digest,
  );
  if (earlier !== undefined) return refused(`attempt ${earlier.submission.attempt} was such a fix already`);
  if (fix.kind === 'unknown') return { code: 'unreadable', why: fix.why };
  if (fix.value.kind === 'otherwise') return refused(fix.value.why);
  if (!preApproves(manifest, fix.value.path)) return refused(`the manifest does not name ${fix.value.path}`);
  if (gates.kind === 'unknown') return { code: 'unreadable', why: gates.why };
  const now = gates.value.manifest;
  if (now.kind === 'unknown') return { code: 'unreadable', why: now.why };
  return isSameButFiles(now.value, manifest) ? null : refused('more than files is another');
}

function refused(why: string): Fault {
  return { code: 'fix-not-approved', why };
}
