/** `ferrybot backtest --config FILE [--logbook DIR]`: which decisions of recorded ferries a changed config would have made otherwise. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../../../config/read-config.ts';
import type { LogbookEvent } from '../../../domain/logbook/event.ts';
import { type Backtest, differences } from '../../../domain/replayed.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { backtestTitle } from '../../../render/backtest.ts';
import { backtest } from '../../../run/backtest/backtest.ts';
import { readArgument } from '../read-argument.ts';
import { EXIT, misused, pathOnly, type VerbIo } from '../verb-io.ts';
import { findLogbookFiles } from './logbook-files.ts';
import { verifyFile } from './logbook-verify.ts';

/** Exit 0: the replay was done, whatever it says; 1: the config is not valid, or the logbook does not verify. */
export async function backtestVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const flags = flagsOf(args);
  if (!flags.ok) return misused(io, wantsJson, flags.error);
  const { config: file, logbook } = flags.value;
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, wantsJson, text.error);
  const reading = readConfig(text.value);
  if (reading.kind === 'invalid') {
    const first = reading.problems[0];
    const message = `${file}:${first?.line ?? 1}:${first?.column ?? 1}: ${first?.message ?? 'not valid'}`;
    return no(io, wantsJson, { code: 'config-invalid', message, problems: reading.problems });
  }
  const found = await findLogbookFiles(resolve(io.cwd, logbook), io.cwd, pathOnly(io));
  if (!found.ok) return misused(io, wantsJson, found.error);
  const runs: (readonly LogbookEvent[])[] = [];
  for (const one of found.value) {
    const { bad, verification } = verifyFile(one, { keys: null, head: null });
    // A run that is not over needs no anchor to be replayed.
    if (bad !== null && bad.reason !== 'unanchored')
      return no(io, wantsJson, {
        code: 'logbook-broken',
        message: `${bad.file}:${bad.line}: ${bad.message}`,
      });
    runs.push(verification.events);
  }
  return told(io, wantsJson, backtest(runs, reading.config));
}

function told(io: VerbIo, wantsJson: boolean, answer: Backtest): number {
  const runs = answer.runs.map((run) => ({ ...run, decisions: differences(run) }));
  if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: true, ...answer, runs })}\n`);
  else {
    io.stdout.write(`${backtestTitle(answer)}\n`);
    for (const { run, decisions } of runs) {
      for (const { decision, subject, at, from, to, why } of decisions)
        io.stdout.write(`${run}  ${at}  ${decision} ${subject}: ${from} -> ${to} (${why})\n`);
    }
  }
  return EXIT.yes;
}

function flagsOf(
  args: readonly string[],
): Result<{ readonly config: string; readonly logbook: string }, string> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: { type: 'string' },
        logbook: { type: 'string', default: '.' },
        json: { type: 'boolean', default: false },
      },
    });
    return values.config === undefined
      ? fail('backtest needs --config FILE')
      : ok({ config: values.config, logbook: values.logbook });
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return fail(error.message);
    throw error;
  }
}

function no(
  io: VerbIo,
  wantsJson: boolean,
  error: { readonly code: string; readonly message: string; readonly problems?: readonly unknown[] },
): number {
  if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: false, error })}\n`);
  else io.stderr.write(`${error.message}\n`);
  return EXIT.no;
}
