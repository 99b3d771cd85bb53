/**
 * A job that somebody else has launched, from the question to its adoption: what the cluster says of it, and how it stands in
 * the record from then on: as attempt 1 under an order that nobody gave, so that every rule about attempts holds for it too.
 */

import type { Actor } from '../actor.ts';
import { branded, type Digest, type Instant, isDigest, isSha, type Sha } from '../ids.ts';
import { after, fromRfc3339 } from '../time.ts';
import type { EventDataByType } from './event.ts';
import { type Description, isOver, type RunState, type Submission } from './run-state.ts';

/** How long a job of somebody's waits to be confirmed where its lane names no time: a weekend. Another `/watch` is one line. */
export const ADOPTION_WAIT_MS = 72 * 60 * 60 * 1_000;

const ZEROS = '0'.repeat(64);
/** In the place of an order, and of an approval: none has this digest. */
export const NO_ORDER: Digest = branded(`sha256:${ZEROS}`, isDigest);
/** In the place of a commit that nobody can vouch for; git's own name for none. */
export const NO_COMMIT: Sha = branded(ZEROS.slice(0, 40), isSha);

/** Whether the run is about a job of somebody else's which nobody has taken over yet: no log of it is read, and nothing launched. */
export function awaitsAdoption({ proposal, submission, attempts }: RunState): boolean {
  return proposal.adopts !== undefined && submission === null && attempts.length === 0;
}

/** Whether a watch of its cluster has to ask what the job is; as long as the cluster does not say. */
export function awaitsDescription(state: RunState): boolean {
  const found = state.description?.found ?? 'unknown';
  return found === 'unknown' && awaitsAdoption(state) && !isOver(state);
}

/**
 * Until when the run waits to have its job taken over: so long after the cluster told what it is, and before that, so long
 * for the cluster to tell it. `hours`: as the lane says; null: as is usual. Null for a run that waits for no such thing.
 */
export function awaitsAdoptionUntil(state: RunState, hours: number | null): Instant | null {
  if (!awaitsAdoption(state) || isOver(state)) return null;
  const { description, proposedAt } = state;
  const since = fromRfc3339(description?.found === 'described' ? description.at : proposedAt);
  return since === null ? null : after(since, hours === null ? ADOPTION_WAIT_MS : hours * HOUR_MS);
}

const HOUR_MS = 3_600_000;

/** Whether the job that the run is about now is one that was taken over, and no attempt of ours. */
export function isAdopted({ submission }: Pick<RunState, 'submission'>): boolean {
  return submission?.orderDigest === NO_ORDER;
}

/** The job is ours to look after, and whoever took it over is its owner. */
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

/** Claimed and carried out, with no manifest and no approval: it pays for nothing, and nothing follows from it by itself. */
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
