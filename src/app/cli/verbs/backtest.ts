/** `ferrybot backtest --config FILE [--logbook DIR]`: which recorded decisions a changed config would change. */

import { resolve } from 'node:path';
import type { LogbookEvent } from '../../../domain/logbook/event.ts';
import { type Backtest, differences } from '../../../domain/past-runs.ts';
import { backtestTitle } from '../../../render/check.ts';
import { backtest } from '../../../run/backtest/backtest.ts';
import { readLabConfig } from '../../config-source.ts';
import { answer, EXIT, misused, pathOnly, readArgument, refused, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles } from './logbook-files.ts';
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
  const found = await findLogbookFiles(resolve(io.cwd, logbook), io.cwd, pathOnly(io));
  if (!found.ok) return misused(io, found.error);
  const runs: (readonly LogbookEvent[])[] = [];
  for (const one of found.value) {
    const events = recordedEvents(one);
    if (!events.ok) return refused(io, events.error);
    runs.push(events.value);
  }
  return told(io, backtest(runs, reading.config));
}

function told(io: VerbIo, played: Backtest): number {
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
