/** The first eval: one of the few moments of a run that a person must see. */

import type { RunState } from '../domain/logbook/run-state.ts';
import { progressText } from './progress.ts';
import { code, paragraphs, table, text, utc } from './words.ts';

/** The evals of the first look that had any. */
export function renderFirstEval(state: RunState): string {
  const { firstEval } = state;
  if (firstEval === null) throw new Error('a first-eval comment without an eval');
  const rows = Object.entries(firstEval.evals).map(([key, value]) => [code(key), text(value)]);
  return paragraphs(
    `**First eval** of ${code(state.run)}, seen ${utc(firstEval.at)} at ${progressText(firstEval.step, firstEval.totalSteps)}.`,
    table(['Eval', 'Value'], rows),
  );
}
