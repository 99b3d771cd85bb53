/**
 * What people say in the thread of a run of its checkpoints, against what the record has of it. Another attempt goes on from one
 * of them under an approval of before: a launcher heeds a rejection that control has not come to, or that somebody with its key
 * left out.
 */

import { furthestStep } from '../domain/launch/next-attempt.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339 } from '../domain/time.ts';
import type { PendingItem } from './pending-commands.ts';

type Run = Pick<RunState, 'attempts' | 'rejections' | 'order'>;

/** Whether it is one that takes from this run what it was ordered to go on from. `isAnswered`: the record has an answer to it. */
export function isUnheardRejection(state: Run, { said, comment }: PendingItem, isAnswered: boolean): boolean {
  const first = fromRfc3339(state.attempts[0]?.order.claim?.at ?? '');
  if (first === null || comment.createdAt < first) return false;
  if (said.kind !== 'command' && said.kind !== 'edited') return false;
  const step = rejectedFrom(said);
  if (step === null || isRecorded(state, step, comment)) return false;
  // Nobody goes back while a job runs, and whoever said so was told that.
  if (isAnswered && said.name === 'rollback' && wasRunning(state, comment)) return false;
  const from = state.order?.order.checkpoint?.step ?? null;
  if (from !== null) return from >= step;
  // A job that looks for itself may take any that there is, whatever an answer says that control gave.
  return !isAnswered || step <= reachedBy(state);
}

/** By the runner's and the watch's words: what control answered is not asked. GitHub tells whole seconds. */
function wasRunning({ attempts }: Run, { createdAt }: PendingItem['comment']): boolean {
  return attempts.some(({ order: { claim }, end }) => {
    const [from, to] = [fromRfc3339(claim?.at ?? ''), fromRfc3339(end.at)];
    return from !== null && to !== null && createdAt >= from && after(createdAt, 1_000) <= to;
  });
}

/** Beyond the last step that any attempt came to there is nothing to reject. Where nobody saw one, there may be any. */
function reachedBy({ attempts }: Run): number {
  return furthestStep(attempts) ?? Number.POSITIVE_INFINITY;
}

/** The first step that is out; null where it is said of no step. */
function rejectedFrom({
  name,
  args: { step },
}: {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}): number | null {
  if (step === undefined) return null;
  if (name === 'reject-checkpoint') return Number(step);
  return name === 'rollback' ? Number(step) + 1 : null;
}

/** Whether it was recorded, or what another word of after the newest attempt began has taken out is as much. */
function isRecorded(
  { attempts, rejections }: Run,
  step: number,
  { id, surface }: PendingItem['comment'],
): boolean {
  const begun = attempts.at(-1)?.order.claim?.at ?? '';
  return rejections.some(
    (one) => one.step <= step && ((one.comment === id && one.surface === surface) || one.at >= begun),
  );
}
