/** `ferrybot backtest --config FILE [--logbook DIR]`: which decisions of recorded ferries a changed config would have made otherwise. */

import { resolve } from 'node:path';
import type { LogbookEvent } from '../../../domain/logbook/event.ts';
import { type Backtest, differences } from '../../../domain/replayed.ts';
import { backtestTitle } from '../../../render/check.ts';
import { backtest } from '../../../run/backtest/backtest.ts';
import { readLabConfig } from '../../config-source.ts';
import { readArgument } from '../read-argument.ts';
import { answer, EXIT, misused, pathOnly, refused, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles } from './logbook-files.ts';
import { verifyFile } from './logbook-verify.ts';

/** Exit 0: the replay was done, whatever it says; 1: the config is not valid, or the logbook does not verify. */
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
    const { bad, verification } = verifyFile(one, { keys: null, head: null });
    // A run that is not over needs no anchor to be replayed.
    if (bad !== null && bad.reason !== 'unanchored')
      return refused(io, {
        code: 'logbook-broken',
        message: `${bad.file}:${bad.line}: ${bad.message}`,
      });
    runs.push(verification.events);
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
