/** `ferrybot backtest --config FILE [--logbook DIR]`: which recorded decisions a changed config would change. */

import { type Backtest, differences } from '../../../domain/past-runs.ts';
import { backtestTitle } from '../../../render/check.ts';
import { backtest } from '../../../run/backtest/backtest.ts';
import { readLabConfig } from '../../config-source.ts';
import { answer, EXIT, misused, readArgument, refused, type VerbIo } from '../verb-io.ts';
import { recordedEvents } from './logbook-verify.ts';

/** Exit 0: the backtest ran; 1: the config is invalid or the logbook does not verify. */
export async function backtestVerb(io: VerbIo, file: string, logbook: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, text.error);
  const reading = readLabConfig(text.value);
  if (reading.kind === 'invalid') {
    const first = reading.problems[0];
    const message = `${file}:${first?.line ?? 1}:${first?.column ?? 1}: ${first?.message ?? 'not valid'}`;
    return refused(io, { code: 'config-invalid', message, problems: reading.problems });
  }
  const runs = await recordedEvents(io, logbook);
  if (!runs.ok) return refused(io, runs.error);
  return reportBacktest(io, backtest(runs.value, reading.config));
}

function reportBacktest(io: VerbIo, played: Backtest): number {
  const runs = played.runs.map((run) => ({ ...run, decisions: differences(run) }));
  const lines = runs.flatMap(({ run, decisions }) =>
    decisions.map(
      ({ decision, subject, at, from, to, why }) =>
        `${run}  ${at}  ${decision} ${subject}: ${from} -> ${to} (${why})\n`,
    ),
  );
  answer(io, { ok: true, ...played, runs }, `${backtestTitle(played)}\n${lines.join('')}`);
  return EXIT.yes;
}
