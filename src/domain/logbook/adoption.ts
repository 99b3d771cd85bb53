/** Adopts a job that another person launched: it becomes attempt 1 under a placeholder order, so that all rules about attempts apply. */

import type { Actor } from '../actor.ts';
import {
  after,
  branded,
  type Digest,
  fromRfc3339,
  type Instant,
  isDigest,
  isSha,
  type Sha,
} from '../values.ts';
import type { EventDataByType } from './event.ts';
import { type Description, isOver, type RunState, type Submission } from './run-state.ts';

/** Default time for a person to confirm the adoption: a weekend. */
export const ADOPTION_WAIT_MS = 72 * 60 * 60 * 1_000;

const ZEROS = '0'.repeat(64);
/** Placeholder digest of an order and an approval. */
export const NO_ORDER: Digest = branded(`sha256:${ZEROS}`, isDigest);
/** Placeholder for an unknown commit; git's null id. */
export const NO_COMMIT: Sha = branded(ZEROS.slice(0, 40), isSha);

/** Whether the job of another person is not adopted yet: its log is not read and nothing is launched. */
export function awaitsAdoption({ proposal, submission, attempts }: RunState): boolean {
  return proposal.adopts !== undefined && submission === null && attempts.length === 0;
}

/** Whether a watch still has to ask the cluster about the job. */
export function awaitsDescription(state: RunState): boolean {
  const found = state.description?.found ?? 'unknown';
  return found === 'unknown' && awaitsAdoption(state) && !isOver(state);
}

/**
 * When the wait for an adoption ends: `hours` (null: the default) after the cluster described the job, or after the proposal. Null if the
 * run does not wait for one.
 */
export function awaitsAdoptionUntil(state: RunState, hours: number | null): Instant | null {
  if (!awaitsAdoption(state) || isOver(state)) return null;
  const { description, proposedAt } = state;
  const since = fromRfc3339(description?.found === 'described' ? description.at : proposedAt);
  return since === null ? null : after(since, hours === null ? ADOPTION_WAIT_MS : hours * HOUR_MS);
}

const HOUR_MS = 3_600_000;

/** Whether the current job is an adopted one, not an attempt by ferrybot. */
export function isAdopted({ submission }: Pick<RunState, 'submission'>): boolean {
  return submission?.orderDigest === NO_ORDER;
}

/** The person who confirmed the adoption becomes the owner. */
export function adoptedState(
  state: RunState,
  { actor, ...moment }: { readonly actor: Actor; readonly at: string; readonly seq: number },
): RunState {
  const { description, proposal } = state;
  if (description === null || proposal.adopts === undefined)
    throw new Error('an adoption of nothing passed the transition check');
  const submission = { ...submissionOf(description, proposal.adopts), ...moment };
  return {
    ...state,
    submission,
    order: orderOf(state, submission),
    watch: { ...state.watch, owner: actor },
  };
}

function submissionOf(
  { engine, entrypoint, commit, session, urls }: Description,
  { jobId, cluster }: NonNullable<RunState['proposal']['adopts']>,
): EventDataByType['submitted'] {
  return {
    orderDigest: NO_ORDER,
    attempt: 1,
    engine,
    jobId,
    cluster,
    command: entrypoint === null ? [] : entrypoint.split(' '),
    commit: commit ?? NO_COMMIT,
    adopted: true,
    urls,
    details: session === null ? {} : { session },
  };
}

/** Claimed and submitted, without manifest or approval, so it has no cost and allows no relaunch. */
function orderOf({ run, proposal }: RunState, { at, seq, jobId }: Submission): RunState['order'] {
  return {
    order: {
      v: 1,
      run,
      repository: proposal.repository,
      pull: proposal.pull,
      commit: NO_COMMIT,
      digest: NO_ORDER,
      attempt: 1,
      submissionId: jobId,
      approvals: [],
      issuedAt: at,
      expiresAt: at,
    },
    digest: NO_ORDER,
    status: 'submitted',
    manifest: null,
    at,
    seq,
    claim: { orderDigest: NO_ORDER, attempt: 1, workflowRun: 0, engineSession: '', at },
  };
}
