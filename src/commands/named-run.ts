/** Commands that may name their run: they work in every thread, so that a run is stopped though its own threads are gone. */

import type { RunId } from '../domain/ids.ts';
import { isRunId } from '../domain/ids.ts';
import { definitionOf } from './registry.ts';

/** What a command is called and was given. */
type Given = { readonly name: string; readonly args: Readonly<Record<string, string>> };

/** The run that a command names; null where it names none, or is none that may. */
export function namedRun({ name, args }: Given): RunId | null {
  const { run } = args;
  if (run === undefined || !isRunId(run) || definitionOf(name)?.decideNamed === undefined) return null;
  return run;
}

/** Whether it is said of another run than this one; null: of no run. */
export function namesOther(given: Given, run: string | null): boolean {
  const named = namedRun(given);
  return named !== null && named !== run;
}
