/** Checkpoint rejections that control has not read yet. A relaunch uses an older approval, so the launcher checks the newest comments. */

import type { RunState } from '../domain/logbook/run-state.ts';
import { itemKey, type PendingItem } from './pending-commands.ts';

type Run = Pick<RunState, 'attempts' | 'order' | 'commands'>;

/** Whether it rejects the ordered checkpoint and has no recorded answer. */
export function isUnheardRejection(state: Run, item: PendingItem): boolean {
  const { said } = item;
  if (said.kind !== 'command' && said.kind !== 'edited') return false;
  if (state.attempts.length === 0 || (state.commands.get(itemKey(item))?.answer ?? null) !== null)
    return false;
  const step = rejectedFrom(said);
  if (step === null) return false;
  // A job that searches a checkpoint itself may load any of them.
  const from = state.order?.order.checkpoint?.step ?? Number.POSITIVE_INFINITY;
  return from >= step;
}

/** The first rejected step, or null. */
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
