/** Since when a live job makes no step: long evals and checkpoints do that too, so by itself it means nothing. */

import { signatureNamed } from '../diagnosis/rows.ts';
import type { Standstill } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Look } from './look.ts';

/**
 * The row of looks that found the same step as the one before; nothing where the job has moved or has ended. A look that
 * could not see adds nothing to the row and does not end it.
 */
export function standstillOf(
  { observation: last }: RunState,
  look: Look,
): { readonly standstill?: Standstill } {
  if (last === null || (look.job.kind === 'found' && !isLive(look.job.status))) return {};
  const before = last.standstill;
  if (look.job.kind !== 'found' || look.logUnread !== null)
    return before === undefined ? {} : { standstill: before };
  const hasMoved = (look.log.step?.value ?? null) !== last.step;
  // What the look before could not see is no beginning of a row.
  if (hasMoved || (before === undefined && (!isLive(last.status) || last.unread !== undefined))) return {};
  return { standstill: { since: before?.since ?? last.at, looks: (before?.looks ?? 0) + 1 } };
}

/** What this attempt's log says of nodes that are gone or resources that cannot be had, as ids of signatures. */
export function clusterSigns({ log }: Look): readonly string[] {
  return log.failures.flatMap(({ id }) => {
    const kind = signatureNamed(id)?.class;
    return kind === 'infra-cluster' || kind === 'capacity' ? [id] : [];
  });
}

function isLive(status: string): boolean {
  return status === 'RUNNING' || status === 'PENDING';
}
