/** The first eval, and the first link to where a run is followed: the few moments of a run that a person must see. */

import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { link } from './escape.ts';
import { progressText } from './progress.ts';
import { code, listed, paragraphs, table, text, utc } from './words.ts';

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

/** Where the attempt is followed, by the log of the first look that said so. */
export function renderFirstTracker(state: RunState): string {
  const { firstTracker, submission } = state;
  if (firstTracker === null) throw new Error('a link to the tracker without one');
  const links = firstTracker.trackers
    .slice(0, limits.shownNamesMax)
    .map(({ id, url }) => link(`W&B run ${id}`, url, limits.shownTextCharsMax));
  const attempt = submission === null ? '' : `, attempt ${submission.attempt}`;
  return `**Training of ${code(state.run)}${attempt}** can be followed in ${listed(links)}.`;
}
