/**
 * Rejections of checkpoints that control has not read yet. Another attempt goes on from a checkpoint under an older approval, so
 * the launcher heeds what people comment at the last moment.
 */

import type { RunState } from '../domain/logbook/run-state.ts';
import { itemKey, type PendingItem } from './pending-commands.ts';

type Run = Pick<RunState, 'attempts' | 'order' | 'commands'>;

/** Whether it rejects what this run was ordered to go on from, and the record has no answer to it. */
export function isUnheardRejection(state: Run, item: PendingItem): boolean {
  const { said } = item;
  if (said.kind !== 'command' && said.kind !== 'edited') return false;
  if (state.attempts.length === 0 || (state.commands.get(itemKey(item))?.answer ?? null) !== null)
    return false;
  const step = rejectedFrom(said);
  if (step === null) return false;
  // A job that looks for a checkpoint itself may take any that there is.
  const from = state.order?.order.checkpoint?.step ?? Number.POSITIVE_INFINITY;
  return from >= step;
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
