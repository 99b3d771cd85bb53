/** The one way to have a workflow carry out what was ordered or consented to: dispatched once, looked for in the list, and dispatched again. */

import type { WorkflowRunFacts } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { isNotAsked, type Need, need } from '../domain/need.ts';
import type { Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

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
  /** The list of its workflow's runs. */
  readonly listed: Extract<Need, 'launchRuns' | 'careRuns'>;
  /** Another part of this process may have recorded it and be about to dispatch it: also a young one is looked for. */
  readonly isLookedForAtOnce?: true;
};

/**
 * A dispatch of this process counts as on its way for a while; after that only the list counts, because a runner that died
 * before its claim left nothing in the record.
 */
export function dispatchKey(act: Claimable, now: Instant): string {
  return `${act.name}:${Math.floor((now - lastMoveAt(act)) / limits.redispatchPeriodMs)}`;
}

/** The dispatch that is owed, or the list that says so; null: done, on its way, or tried as often as it may be. */
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
  if (isDone(memory, key)) return null;
  if (isNotAsked(listed) && isLookedFor(act, memory, now)) return need(act.listed);
  const runs = runsOf(act, listed, memory);
  if (runs === null) return null;
  const isSpent =
    !mayTry(memory, key, limits.dispatchesPerOrderMax) || runs.length >= limits.dispatchesPerOrderMax;
  if (isSpent || runs.some((run) => run.status !== 'completed')) return null;
  const newest = runs.reduce((at, run) => Math.max(at, run.createdAt), lastMoveAt(act));
  const isFirst = runs.length === 0 && act.claimedAt === null;
  return isFirst || now - newest >= limits.dispatchVisibleMs
    ? perform(key, { kind: 'dispatch-workflow', ...target })
    : null;
}

/** Who recorded it just now knows that there are no runs, and others leave it to them; a try whose answer was lost may have made one. */
function isLookedFor(act: Claimable, memory: AttemptCache, now: Instant): boolean {
  const isOthers = act.isLookedForAtOnce === true && !memory.appended.has(act.seq);
  const isLost = memory.outcomes.get(dispatchKey(act, now))?.kind === 'unknown';
  return isOthers || isLost || now - lastMoveAt(act) >= limits.dispatchVisibleMs;
}

/** Null where they could not be read. */
function runsOf(
  { digest, seq, at }: Claimable,
  listed: Observed<readonly WorkflowRunFacts[]>,
  memory: AttemptCache,
): readonly WorkflowRunFacts[] | null {
  if (listed.kind === 'unknown') return isNotAsked(listed) && memory.appended.has(seq) ? [] : null;
  const since = (fromRfc3339(at) ?? 0) - limits.clockSlackMs;
  return listed.value.filter((run) => run.title.includes(digest.slice(7, 19)) && run.createdAt >= since);
}

function lastMoveAt({ claimedAt, at }: Claimable): number {
  return fromRfc3339(claimedAt ?? at) ?? 0;
}
