/** The only place that turns a verified action into a capability. The methods of engines and clouds that change something require one. */

import { type Capability, sealCapability } from '../domain/actions/capability-seal.ts';
import { type Condemnation, destroyStep } from '../domain/care/machines.ts';
import { type JobSpec, stopStep, submitStep } from '../domain/engine.ts';
import { limits } from '../domain/limits.ts';
import type { TearDown } from '../domain/logbook/events/rental-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { addMs, fail, type Instant, ok, type Result } from '../domain/values.ts';
import { type ActionFacts, type ActionFault, findActionFault } from './verify-action.ts';

/** A verified action is performed immediately. One minute would be enough on a machine without load. */
const CAPABILITY_LIFETIME_MS = 10 * 60 * 1_000;

/** The claim that this runner has just pushed. Only the runner that pushed a claim gets its capability. */
export type OwnClaim = { readonly seq: number };

/**
 * Mints the capability for an action that this process itself claimed. Refuses if any part of the consent is no longer valid,
 * even if it was valid at the claim. A claim of another process gives no capability.
 */
export function mintAction(
  facts: ActionFacts,
  claim: OwnClaim,
): Result<Capability, ActionFault | { readonly code: 'not-begun'; readonly why: string }> {
  const { action } = facts;
  const begun = action?.claim ?? null;
  const consent = action?.approvals.find(({ seq }) => seq === begun?.consent) ?? null;
  const fault = findActionFault(facts, consent);
  if (fault !== null) return fail(fault);
  if (action === null || consent === null || begun === null || begun.seq !== claim.seq)
    return fail({ code: 'not-begun', why: 'the claim in the record is not this one' });
  const until = addMs(facts.now, limits.actionLifetimeMs);
  return ok(sealCapability({ steps: action.proposal.steps, until }));
}

/**
 * Mints the submission of the claimed order in the current record: its id, its attempt and its approved manifest must match.
 * The claim may come from an earlier process, since the same id never starts a second job. Throws on a mismatch,
 * which is a bug.
 */
export function mintSubmission({ run, order }: RunState, spec: JobSpec, now: Instant): Capability {
  if (order === null || order.claim === null) throw new Error(`${run} has no claimed order to submit`);
  const { submissionId, attempt, digest } = order.order;
  const { metadata } = spec;
  const isOrdered =
    spec.submissionId === submissionId &&
    metadata.run === run &&
    metadata.attempt === attempt &&
    metadata.manifest === digest;
  if (!isOrdered) throw new Error(`${spec.submissionId} is not what ${run} has ordered`);
  return sealCapability({ steps: [submitStep(spec)], until: addMs(now, CAPABILITY_LIFETIME_MS) });
}

/**
 * Mints the destruction of a rented machine. The run or the journal must have its tear-down as started and not ended: the
 * watch pushed that, unless the run's record is broken and takes no entry. Throws otherwise, which is a bug.
 */
export function mintDestruction(condemned: Condemnation, proof: readonly RecordedTearDown[], now: Instant): Capability {
  const { id, jobId } = condemned;
  if (!proof.some((one) => one.instance === id && one.jobId === jobId))
    throw new Error(`no tear-down of machine ${id} of ${jobId} was begun`);
  return sealCapability({ steps: [destroyStep(condemned)], until: addMs(now, CAPABILITY_LIFETIME_MS) });
}

/** A recorded tear-down that was started, while no complete read of the account has shown the machine as gone. */
export type RecordedTearDown = Pick<TearDown, 'instance' | 'jobId'>;

/** Mints the stop of a run's job if a person's stop is recorded; null if there is nothing to stop. */
export function mintStop({ stop, submission }: RunState, now: Instant): Capability | null {
  if (stop === null || submission === null) return null;
  const until = addMs(now, CAPABILITY_LIFETIME_MS);
  return sealCapability({ steps: [stopStep(submission.jobId)], until });
}
