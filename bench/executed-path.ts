/** Counts what of `src` one command executed, from V8's coverage of the functions that ran. */

import type { Profiler } from 'node:inspector/promises';
import { changeVerdicts } from '../src/gates/run-gates.ts';

/** A path through the sources: how many files and functions ran, and how often the gates of a run were evaluated. */
export type ExecutedPath = { readonly files: number; readonly functions: number; readonly gateEvaluations: number };

/** Control calls this function once for each evaluation of a run's gates, and the runner once for each order. */
const GATE_EVALUATION = { file: 'gates/run-gates.ts', name: changeVerdicts.name };

/** A file counts when one of its functions ran. Code of the module level does not count: it runs once, when the file is loaded. `sources` is the URL of the folder `src/`. */
export function executedPath(coverage: readonly Profiler.ScriptCoverage[], sources: string): ExecutedPath {
  const files = executedFiles(coverage, sources);
  const evaluations = files
    .filter(({ file }) => file === GATE_EVALUATION.file)
    .flatMap(({ ran }) => ran.filter(({ functionName }) => functionName === GATE_EVALUATION.name));
  return {
    files: files.length,
    functions: files.reduce((sum, { ran }) => sum + ran.length, 0),
    gateEvaluations: evaluations.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0),
  };
}

/** The files of `sources` in which a function ran, by name, with these functions. */
function executedFiles(
  coverage: readonly Profiler.ScriptCoverage[],
  sources: string,
): readonly { readonly file: string; readonly ran: readonly Profiler.FunctionCoverage[] }[] {
  return coverage
    .filter(({ url }) => url.startsWith(sources))
    .map(({ url, functions }) => ({ file: url.slice(sources.length), ran: functions.filter(isExecuted) }))
    .filter(({ ran }) => ran.length > 0)
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

/** V8 reports the module level as a function without a name that begins where the file begins. */
function isExecuted({ functionName, ranges: [whole] }: Profiler.FunctionCoverage): boolean {
  const isModule = functionName === '' && whole?.startOffset === 0;
  return !isModule && (whole?.count ?? 0) > 0;
}
