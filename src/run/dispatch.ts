/** The one way to have a workflow carry out what was ordered or consented to: dispatched once, looked for in the list, and dispatched again. */

import type { WorkflowRunFacts } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

/** Why a list is unknown because nobody needed it. */
export const NOT_ASKED = 'not asked for';

/** An act that a runner claims before it calls anything: dispatched twice it is carried out once. */
export type Claimable = {
  /** What it is in the memory of a process; a claimed one that is stuck is dispatched again under a name of its own. */
  readonly name: string;
  /** Its first digits stand in the title of the workflow's runs. */
  readonly digest: Digest;
  /** Entry and time of the order, or of the consent. */
  readonly seq: number;
  readonly at: string;
  readonly claimedAt: string | null;
};

/**
 * A dispatch of this process counts as on its way for a while; after that only the list counts, because a runner that died
 * before its claim left nothing in the record.
 */
export function dispatchKey(act: Claimable, now: Instant): string {
  return `${act.name}:${Math.floor((now - lastMoveAt(act)) / limits.redispatchPeriodMs)}`;
}

/** Whether this process needs the list of the workflow's runs: only if the act waits and it did not dispatch it itself. */
export function wantsRunsOf(act: Claimable, memory: AttemptCache, now: Instant): boolean {
  const key = dispatchKey(act, now);
  if (isDone(memory, key)) return false;
  return now - lastMoveAt(act) >= limits.dispatchVisibleMs || memory.outcomes.get(key)?.kind === 'unknown';
}

/** The dispatch that is owed, or null: done, on its way, or tried as often as it may be. */
export function decideClaimable(
  act: Claimable,
  listed: Observed<readonly WorkflowRunFacts[]>,
  target: {
    readonly workflow: string;
    readonly ref: string;
    readonly inputs: Readonly<Record<string, string>>;
  },
  now: Instant,
  memory: AttemptCache,
): Step | null {
  const key = dispatchKey(act, now);
  const runs = runsOf(act, listed, memory);
  if (isDone(memory, key) || runs === null) return null;
  const isSpent =
    !mayTry(memory, key, limits.dispatchesPerOrderMax) || runs.length >= limits.dispatchesPerOrderMax;
  if (isSpent || runs.some((run) => run.status !== 'completed')) return null;
  const newest = runs.reduce((at, run) => Math.max(at, run.createdAt), lastMoveAt(act));
  const isFirst = runs.length === 0 && act.claimedAt === null;
  return isFirst || now - newest >= limits.dispatchVisibleMs
    ? perform(key, { kind: 'dispatch-workflow', ...target })
    : null;
}

/** Null where they could not be read. Who recorded it just now knows that there are none. */
function runsOf(
  { digest, seq, at }: Claimable,
  listed: Observed<readonly WorkflowRunFacts[]>,
  memory: AttemptCache,
): readonly WorkflowRunFacts[] | null {
  if (listed.kind === 'unknown') return listed.why === NOT_ASKED && memory.appended.has(seq) ? [] : null;
  const since = (fromRfc3339(at) ?? 0) - limits.clockSlackMs;
  return listed.value.filter((run) => run.title.includes(digest.slice(7, 19)) && run.createdAt >= since);
}

function lastMoveAt({ claimedAt, at }: Claimable): number {
  return fromRfc3339(claimedAt ?? at) ?? 0;
}
