/** The first eval, and the first link to where a run is followed: the few moments of a run that a person must see. */

import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { compareIdentity } from '../domain/tracker.ts';
import { link } from './escape.ts';
import { progressText, trackerName } from './progress.ts';
import { code, listed, paragraphs, table, text, utc } from './words.ts';

/** The evals of the first look that had any. */
export function renderFirstEval(state: RunState): string {
  const { firstEval, submission } = state;
  if (firstEval === null) throw new Error('a first-eval comment without an eval');
  const rows = Object.entries(firstEval.evals).map(([key, value]) => [code(key), text(value)]);
  const attempt = submission === null ? '' : `, attempt ${submission.attempt}`;
  return paragraphs(
    `**First eval** of ${code(state.run)}${attempt}, seen ${utc(firstEval.at)} at ${progressText(firstEval.step, firstEval.totalSteps)}.`,
    table(['Eval', 'Value'], rows),
  );
}

/** Where the attempt is followed, by the log and the tracker of the first look that said so; each link held against what was approved. */
export function renderFirstTracker(state: RunState): string {
  const { firstTracker, submission, order } = state;
  if (firstTracker === null) throw new Error('a link to the tracker without one');
  const intended = order?.manifest?.tracker.runId ?? '';
  const links = firstTracker.trackers
    .slice(0, limits.shownNamesMax)
    .map(
      ({ id, url }) =>
        `${link(`${trackerName(url)} run ${id}`, url, limits.shownTextCharsMax)}${identityWords(intended, id)}`,
    );
  const attempt = submission === null ? '' : `, attempt ${submission.attempt}`;
  return `**Training of ${code(state.run)}${attempt}** can be followed in ${listed(links)}.`;
}

/** Metrics can look plausible and belong to another run. */
function identityWords(intended: string, id: string): string {
  if (intended === '') return '';
  switch (compareIdentity(intended, id)) {
    case 'same':
      return ', the run that was approved';
    case 'other':
      return `, which is **not** ${code(intended)}, the run that was approved`;
    case 'made-up':
      return ', an id that the tracker made up';
  }
}
