/** What the doctor says of calls of a lab's scripts: measured as a runner makes them, and told where a watch would suffer. */

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallTimes, judgeScriptCalls } from '../../../src/app/cli/doctor/judge-script-calls.ts';
import { createMeasure } from '../../../src/app/cli/doctor/measure-calls.ts';
import { readLabConfig } from '../../../src/app/config-source.ts';
import { known, type Observed, unknown } from '../../../src/domain/observed.ts';
import { raySchema } from '../../../src/engines/ray/schema.ts';
import type { LabConfig } from '../../../src/run/lane-scope.ts';
import { changed } from '../../config/small-config.ts';

const configWith = (keys: string): LabConfig => {
  const reading = readLabConfig(
    changed(
      'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
      `local: { engine: ray, acceleratorHoursPerRun: "2.5", ${keys} }`,
    ),
  );
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
  return reading.config;
};
const DASHBOARD = 'dashboard: "http://10.0.0.2:8265"';
const measures = (times: Observed<CallTimes>) => async () => times;
const SLOW = known({ firstMs: 19_400, nextMs: 8_050 });

describe('a call of a script', () => {
  it('that takes long is what a watch without a dashboard cannot do with', async () => {
    const alone = await judgeScriptCalls(configWith('scripts: {}'), measures(SLOW));
    expect(alone).toMatchObject({
      check: 'script-calls',
      state: 'missing',
      found: expect.stringMatching(/takes 8\.\d s on this machine, the first of a job 19\.4 s/),
      todo: expect.stringContaining('Set `dashboard`'),
    });
    const kept = await judgeScriptCalls(
      configWith('scripts: {}'),
      measures(known({ firstMs: 900, nextMs: 80 })),
    );
    expect(kept.state).toBe('ok');
  });

  it('is told beside a dashboard too, and is in order there: a launch makes it once', async () => {
    const finding = await judgeScriptCalls(configWith(`${DASHBOARD}, scripts: {}`), measures(SLOW));
    expect(finding).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('looks go through the dashboard'),
    });
  });

  it('is told where a watch has scripts alone: by the config, beside the key, and by what `doctor` measured', async () => {
    const text = changed(
      'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
      'local: { engine: ray, acceleratorHoursPerRun: "2.5", scripts: { python: [sh, -c, "sleep 0.3"] } }',
    );
    expect(readLabConfig(text)).toMatchObject({
      kind: 'valid',
      warnings: [
        {
          code: 'scripts-alone',
          path: 'clusters.local',
          message: expect.stringContaining('8 to 20 s through `uv run --project`'),
        },
      ],
    });
    expect(raySchema.shape.scripts.unwrap().unwrap().shape.python.description).toMatch(
      /takes 8 to 20 s with a warm cache.*`ferrybot doctor` measures yours.*a watch needs a dashboard, or a kept environment/,
    );
    const asked: unknown[] = [];
    const own = configWith('scripts: { python: [sh, -c, "sleep 0.3"] }');
    const finding = await judgeScriptCalls(own, async (cluster, calls) => {
      asked.push({ cluster, ...calls });
      return SLOW;
    });
    expect(asked).toMatchObject([{ cluster: 'local', program: ['sh', '-c', 'sleep 0.3'], looksToo: true }]);
    expect(finding.state).toBe('missing');
  });

  it('that nobody could measure is not in order, and none at all is', async () => {
    const away = await judgeScriptCalls(
      configWith('scripts: {}'),
      measures(unknown('uv could not be started')),
    );
    expect(away).toMatchObject({
      state: 'unknown',
      found: expect.stringContaining('uv could not be started'),
    });
    const none = await judgeScriptCalls(configWith(DASHBOARD), measures(unknown('nobody should have asked')));
    expect(none.state).toBe('ok');
  });
});

describe('a measurement', () => {
  let lab: string;
  const CONFIG = 'version: 1\n';
  const git = (...args: readonly string[]) =>
    execa('git', ['-c', 'user.name=Lab', '-c', 'user.email=lab@lab.example', ...args], { cwd: lab });
  const io = () => ({
    stdout: { write: () => undefined },
    stdin: Readable.from([]),
    stderr: { write: () => undefined },
    cwd: lab,
    environment: { PATH: process.env['PATH'], GITHUB_TOKEN: 'ghs_hush', UV_CACHE_DIR: '/var/cache/uv' },
    json: false,
  });
  const calls = (program: readonly string[]) => ({
    program,
    passVariables: ['UV_CACHE_DIR'],
    looksToo: true,
  });

  beforeEach(async () => {
    lab = await mkdtemp(join(tmpdir(), 'ferrybot-doctor-lab-'));
    await mkdir(join(lab, '.github'), { recursive: true });
    await writeFile(join(lab, '.github/ferrybot.yml'), CONFIG);
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '--all');
    await git('commit', '--quiet', '-m', 'Lab');
  });
  afterEach(() => rm(lab, { recursive: true, force: true, maxRetries: 5 }));

  it('tells the first call from the next, in a copy of the checkout that is gone afterwards', async () => {
    const out = join(lab, '..', `seen-${process.pid}`);
    const tell = `[ -e "$HOME/env" ] || sleep 1; touch "$HOME/env" made-here; env > ${out}`;
    const times = await createMeasure(io(), CONFIG)('local', calls(['sh', '-c', tell]));
    if (times.kind === 'unknown') throw new Error(times.why);
    expect(times.value.firstMs).toBeGreaterThan(1_000);
    expect(times.value.nextMs).toBeLessThan(times.value.firstMs);
    const seen = (await execa('cat', [out])).stdout;
    await rm(out);
    expect(seen).toContain('UV_CACHE_DIR=/var/cache/uv');
    expect(seen).not.toContain('ghs_hush');
    const home = /^HOME=(.*)$/m.exec(seen)?.[1] ?? '';
    expect(await readdir(dirname(dirname(home)))).not.toContain(dirname(home).split('/').at(-1));
    expect(await readdir(lab)).not.toContain('made-here');
  });

  it('starts nothing of a config that the checkout has not', async () => {
    const times = await createMeasure(io(), 'version: 1\n# of somebody else\n')(
      'local',
      calls(['touch', 'started']),
    );
    expect(times).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('has not the .github/ferrybot.yml'),
    });
  });

  it.each([
    [['/nowhere/uv', 'run'], '/nowhere/uv could not be started: ENOENT'],
    [['sh', '-c', 'exit 3'], 'sh ended with exit code 3'],
  ])('of what does not work is none: %j', async (program, why) => {
    expect(await createMeasure(io(), CONFIG)('local', calls(program))).toEqual({ kind: 'unknown', why });
  });
});
