/** The checkpoint of an order. */

import type { Order } from '../domain/launch/order.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { GateFacts } from '../gates/gate.ts';

/**
 * The checkpoint that an attempt resumes from. Control writes it into the order; the runner recomputes it. Null: from scratch, or the job
 * selects it. Gates block invalid checkpoints.
 */
export function goesOnFrom({
  start,
  resume,
}: Pick<GateFacts, 'start' | 'resume'>): Observed<NonNullable<Order['checkpoint']> | null> {
  if (resume !== undefined) {
    if (resume.kind === 'unknown') return resume;
    const { value: point } = resume;
    // rule HR-51
    return known(point.kind === 'from' ? { path: point.path, step: point.step } : null);
  }
  if (start === undefined) return known(null);
  if (start.kind === 'unknown') return start;
  const { value: point } = start;
  return known(point.kind === 'proven' ? { path: point.path, step: point.step } : null);
}
