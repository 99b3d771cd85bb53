/** The one place where a verified action becomes a capability: what an engine's or a cloud's mutating method asks for. */

import { type Capability, sealCapability } from '../domain/actions/capability-seal.ts';
import { type Condemnation, destroyStep } from '../domain/care/machines.ts';
import { type JobSpec, stopStep, submitStep } from '../domain/engine.ts';
import { limits } from '../domain/limits.ts';
import type { TearDown } from '../domain/logbook/events/rental-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { after, fail, type Instant, ok, type Result } from '../domain/values.ts';
import { type ActionFacts, type ActionFault, actionFault } from './verify-action.ts';

/** What was verified is done at once; a minute would do where the machine is not under load. */
const CAPABILITY_LIFETIME_MS = 10 * 60 * 1_000;

/** The claim that the runner pushed just now: a capability is minted for whoever pushed it, and for nobody else. */
export type OwnClaim = { readonly seq: number };

/**
 * Mints it for an action that this very process has begun. Refused where anything of the consent does not hold
 * at this moment, also what held when it was begun. Whoever finds a claim of somebody else's gets none.
 */
export function mintAction(
  facts: ActionFacts,
  claim: OwnClaim,
): Result<Capability, ActionFault | { readonly code: 'not-begun'; readonly why: string }> {
  const { action } = facts;
  const begun = action?.claim ?? null;
  const consent = action?.approvals.find(({ seq }) => seq === begun?.consent) ?? null;
  const fault = actionFault(facts, consent);
  if (fault !== null) return fail(fault);
  if (action === null || consent === null || begun === null || begun.seq !== claim.seq)
    return fail({ code: 'not-begun', why: 'the claim in the record is not this one' });
  const until = after(facts.now, limits.actionLifetimeMs);
  return ok(sealCapability({ steps: action.proposal.steps, until }));
}

/**
 * Mints the submission of the claimed order that the record has at this moment: under its id, for its attempt, with the
 * manifest that was approved. A claim of an earlier process will do, since the id starts no second job. Anything else is a
 * bug, and throws.
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
  return sealCapability({ steps: [submitStep(spec)], until: after(now, CAPABILITY_LIFETIME_MS) });
}

/**
 * Mints the destruction of a rented machine whose tear-down stands in the record, begun and not ended, in its run or in the
 * journal: the watch has pushed that before, or that run's record is broken and takes no entry. Anything else is a bug, and throws.
 */
export function mintDestruction(condemned: Condemnation, proof: readonly Begun[], now: Instant): Capability {
  const { id, jobId } = condemned;
  if (!proof.some((one) => one.instance === id && one.jobId === jobId))
    throw new Error(`no tear-down of machine ${id} of ${jobId} was begun`);
  return sealCapability({ steps: [destroyStep(condemned)], until: after(now, CAPABILITY_LIFETIME_MS) });
}

/** A tear-down that stands in the record as begun, of a machine that no whole read of the account has shown gone since. */
export type Begun = Pick<TearDown, 'instance' | 'jobId'>;

/** Mints the stop of a run's job, where a person's stop stands in the record; null where there is nothing to be stopped. */
export function mintStop({ stop, submission }: RunState, now: Instant): Capability | null {
  if (stop === null || submission === null) return null;
  const until = after(now, CAPABILITY_LIFETIME_MS);
  return sealCapability({ steps: [stopStep(submission.jobId)], until });
}
