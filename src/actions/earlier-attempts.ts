/**
 * Looks whether the job of an earlier attempt still runs. That an attempt has ended is the word of the watch, and whoever has
 * stolen its key can write that one has failed while it runs: the next would be a second job beside it.
 */

import { type Engine, isTerminal } from '../domain/engine.ts';
import type { RefusalCode } from '../domain/launch/refusal.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Refusal } from './pipeline.ts';

/** Why no other attempt may be started on this cluster, or null. What the engine does not know any more runs no more. */
export async function earlierAttemptFault(
  { attempts }: RunState,
  cluster: string,
  engine: Engine,
): Promise<(Refusal & { readonly code: RefusalCode }) | null> {
  for (const { submission } of attempts) {
    if (submission.cluster !== cluster) continue;
    const found = await engine.observe(submission.jobId, null);
    const name = `attempt ${submission.attempt} (${submission.jobId})`;
    if (found.kind === 'unknown')
      return { kind: 'refused', code: 'unreadable', effect: 'standing', why: `${name}: ${found.message}` };
    if (found.kind === 'found' && !isTerminal(found.status))
      return { kind: 'refused', code: 'attempt-live', effect: 'ending', why: `${name} is ${found.status}` };
  }
  return null;
}
