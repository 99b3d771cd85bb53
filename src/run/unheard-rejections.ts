/**
 * What people say in the thread of a run of its checkpoints, against what the record has of it. Another attempt goes on from one
 * of them under an approval of before: a launcher heeds a rejection that control has not come to, or that somebody with its key
 * left out.
 */

import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
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
  if (isAnswered && said.name === 'rollback') return false;
  const from = state.order?.order.checkpoint?.step ?? null;
  // A job that looks for itself may take any. Where an answer says that nothing was rejected, the step alone tells.
  return from === null ? !isAnswered : from >= step;
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
