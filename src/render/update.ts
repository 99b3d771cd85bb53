/** What the issue of a run that goes on is told where nothing else has happened for a while: how it stands, in a few lines. */

import type { Notice, RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { progressText } from './progress.ts';
import { stateLine } from './state-line.ts';
import { code, paragraphs, text } from './words.ts';

const HOUR_MS = 3_600_000;

/** As the record stands while it is said. */
export function renderUpdate({ at }: Notice, state: RunState): string {
  const { submission } = state;
  const { symbol, title, evidence } = stateLine(state);
  const launchedAt = submission === null ? null : fromRfc3339(submission.at);
  const hours =
    launchedAt === null ? 0 : Math.floor(((fromRfc3339(at) ?? launchedAt) - launchedAt) / HOUR_MS);
  const attempt = submission === null ? '' : `, ${hours} h into attempt ${submission.attempt}`;
  return paragraphs(
    `**Update on ${code(state.run)}**${attempt}. No other news of the run was told here for a while.`,
    `${symbol} **${title}.** ${evidence}`,
    trainingLines(state),
  );
}

/** What it was at when it was last seen; whether that was lately, the sentence above says. */
function trainingLines({ observation }: RunState): string | null {
  if (observation === null) return null;
  const { step, totalSteps, loss, checkpointStep, evals } = observation;
  const shown = Object.entries(evals).map(([key, value]) => `${code(key)} ${text(value)}`);
  return [
    `- Training: ${progressText(step, totalSteps)}, ${loss === null ? 'no loss seen yet' : `loss ${text(loss)}`}`,
    `- Newest checkpoint: ${checkpointStep === null ? 'none was seen yet' : `step ${checkpointStep}`}`,
    ...(shown.length === 0 ? [] : [`- Evals so far: ${shown.join(', ')}`]),
  ].join('\n');
}
