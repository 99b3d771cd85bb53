/** What one process knows about the texts that it posted or found. A new process starts empty and reads the threads. */

import type { CommentFacts } from '../domain/facts.ts';
import type { RunId } from '../domain/values.ts';
import type { AttemptCache } from '../run/step.ts';

export type Posted = {
  /** When this process last saw a text outside of a run's threads (epoch ms), by thread and marker, issue marker and text, or check and commit. */
  readonly texts: Map<string, number>;
  /** Runs with entries of this process that are not posted yet, in order of arrival. */
  readonly owing: Set<RunId>;
  readonly runs: Map<RunId, PostedRun>;
};

/** `ours`: ferrybot's comments in the run's threads; null: read them again. `entries`: how many own entries are posted. */
export type PostedRun = {
  readonly ours: readonly CommentFacts[] | null;
  readonly memory: AttemptCache;
  readonly entries: number;
};

/** Runs that are remembered; a forgotten one costs requests. */
const RUNS_MAX = 2_000;

/** Remembers what became of a run's turn. What failed may be tried again in the next. */
export function rememberRun({ runs }: Posted, run: RunId, { memory, ...rest }: PostedRun): void {
  const outcomes = new Map([...memory.outcomes].filter(([, { kind }]) => kind === 'done'));
  runs.delete(run);
  runs.set(run, { ...rest, memory: { ...memory, outcomes, tries: new Map() } });
  const oldest = runs.keys().next();
  if (runs.size > RUNS_MAX && oldest.done !== true) runs.delete(oldest.value);
}

/** The state of a process that posted nothing. */
export function nothingPosted(): Posted {
  return { texts: new Map(), owing: new Set(), runs: new Map() };
}
