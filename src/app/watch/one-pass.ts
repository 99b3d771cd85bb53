/** The jobs of all due runs of a cluster in one request, so that two hundred runs are no two hundred requests. */

import type { Engine, JobObservation } from '../../domain/engine.ts';
import type { RunId } from '../../domain/ids.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { sessionOf } from './look.ts';

/** What the engine's list says of each; nothing where it has none, and for one run alone, which is looked at by itself. */
export async function observeInOnePass(
  engine: Engine | null,
  due: readonly RunState[],
): Promise<ReadonlyMap<RunId, JobObservation>> {
  if (engine?.observeMany === undefined || due.length < 2) return new Map();
  const asked = due.flatMap(({ run, submission }) =>
    submission === null ? [] : [{ run, jobId: submission.jobId, lastSession: sessionOf(submission) }],
  );
  const seen = await engine.observeMany(asked);
  return new Map(asked.flatMap(({ run }, index) => (seen[index] === undefined ? [] : [[run, seen[index]]])));
}
