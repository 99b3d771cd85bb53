/** Measures what starting a script of the lab costs here: as a runner does it, in a copy of the checkout, with a home that is empty. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { known, type Observed, unknown } from '../../../domain/observed.ts';
import type { ScriptCalls } from '../../../engines/definition.ts';
import { runProgram } from '../../../host/process.ts';
import { runInGroup } from '../../../host/process-group.ts';
import type { VerbIo } from '../verb-io.ts';
import type { CallTimes, MeasureCalls } from './judge-script-calls.ts';
import { isOwnConfig, NOT_OWN } from './own-config.ts';

/** A person waits for the answer; an environment that is not made by then is reason enough to keep one. */
const CALL_MS = 60_000;
/** What uv says while it makes an environment. */
const OUTPUT_BYTES = 1024 * 1024;

/**
 * What a config names is started here only where the checkout that the person stands in has that very config: the
 * repository that is asked about may be somebody else's. Nothing in the checkout is changed, and no token is handed on.
 */
export function createMeasure(io: VerbIo, configText: string): MeasureCalls {
  return async (cluster, calls) => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-doctor-'));
    try {
      const checkout = join(folder, 'checkout');
      const env = { PATH: io.environment['PATH'] ?? '', LANG: io.environment['LANG'] ?? 'C.UTF-8' };
      const copied = await runProgram(
        'git',
        ['clone', '--quiet', '--depth', '1', '--', `file://${io.cwd}`, checkout],
        { env: { ...env, HOME: folder }, cwd: folder },
      );
      if (!copied.ok) return unknown('this folder is no checkout');
      if (!(await isOwnConfig({ cwd: checkout }, configText))) return unknown(NOT_OWN);
      return await measured(folder, checkout, cluster, calls, { ...env, ...passed(io, calls) });
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  };
}

async function measured(
  folder: string,
  checkout: string,
  cluster: string,
  { program }: ScriptCalls,
  env: Readonly<Record<string, string>>,
): Promise<Observed<CallTimes>> {
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  const nothing = join(folder, 'nothing.py');
  await writeFile(nothing, '');
  const [file = '', ...args] = program.map((part) =>
    part.replaceAll('{checkout}', checkout).replaceAll('{cluster}', cluster),
  );
  const times: number[] = [];
  for (const _ of ['first', 'next']) {
    const started = performance.now();
    const end = await runInGroup(file, [...args, nothing], {
      env: { ...env, HOME: home },
      cwd: checkout,
      timeoutMs: CALL_MS,
      outputBytesMax: OUTPUT_BYTES,
    });
    if (end.kind === 'not-started') return unknown(`${file} could not be started: ${end.code}`);
    if (end.kind === 'cut') return unknown(`it had not ended after ${CALL_MS / 1_000} s`);
    if (end.exitCode !== 0) return unknown(`${file} ended with exit code ${end.exitCode}`);
    times.push(performance.now() - started);
  }
  const [firstMs = 0, nextMs = 0] = times;
  return known({ firstMs, nextMs });
}

function passed(io: VerbIo, { passVariables }: ScriptCalls): Readonly<Record<string, string>> {
  return Object.fromEntries(
    passVariables.flatMap((name) => {
      const value = io.environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
