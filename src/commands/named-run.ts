/** Commands that may name their run work in every thread, because the run's own threads may be gone. */

import type { RunId } from '../domain/ids.ts';
import { isRunId } from '../domain/ids.ts';
import { definitionOf } from './registry.ts';

type Given = { readonly name: string; readonly args: Readonly<Record<string, string>> };

/** Null if no run is named or the command cannot name one. */
export function namedRun({ name, args }: Given): RunId | null {
  const { run } = args;
  if (run === undefined || !isRunId(run) || definitionOf(name)?.decideNamed === undefined) return null;
  return run;
}

/** Whether it names a run other than this one. */
export function namesOther(given: Given, run: string | null): boolean {
  const named = namedRun(given);
  return named !== null && named !== run;
}
