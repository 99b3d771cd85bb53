// `check-pr` on a checkout of the example lab: what a person learns before opening a pull request.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addSecondLane } from '../../../demo/second-lane.ts';
import { runProgram } from '../../../src/host/process.ts';
import { createScratchFolder, environment } from '../../host/git/scratch-repository.ts';
import { callVerb, type VerbResult } from './call-verb.ts';

const LAB = join(import.meta.dirname, '../../../fixtures/lab');
const EXPERIMENT = 'experiments/ferries/daily.py';
const answer = z.object({
  ok: z.boolean(),
  failing: z.array(z.string()),
  unknown: z.array(z.string()),
  verdicts: z.array(z.looseObject({ gate: z.string(), outcome: z.string(), code: z.string(), says: z.string() })),
});
const folder = join(createScratchFolder(), 'lab');

async function git(...args: readonly string[]): Promise<void> {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example'];
  const result = await runProgram('git', ['-C', folder, ...who, ...args], { env: environment });
  if (!result.ok) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
}

async function edit(branch: string, from: string, to: string): Promise<void> {
  await git('switch', '--quiet', '-c', branch, 'main');
  const path = join(folder, EXPERIMENT);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  await git('commit', '--quiet', '-am', branch);
}

function check(...args: readonly string[]): Promise<VerbResult> {
  return callVerb('check-pr', join(folder, 'experiments'), args);
}

async function judged(...args: readonly string[]) {
  const { code, out } = await check(...args, '--json');
  const told = answer.parse(JSON.parse(out));
  const of = (gate: string): string | undefined => told.verdicts.find((verdict) => verdict.gate === gate)?.code;
  return { code, ...told, of };
}

beforeAll(async () => {
  cpSync(LAB, folder, { recursive: true });
  await runProgram('git', ['init', '--quiet', '-b', 'main', folder], { env: environment });
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'the lab');
  await edit('good', 'learning_rate=3e-3', 'learning_rate=3.5e-3');
  await edit('scaled', 'train_batch_size=', 'train_batch_size=1+');
  await git('switch', '--quiet', 'good');
});

describe('check-pr', () => {
  it.each([
    ['yaml', 'optimizer:\n  lr: 3.0e-3 # why\n'],
    ['toml', '[optimizer]\nlr = 3.0e-3 # why\n'],
    ['json', '{"optimizer": {"lr": 3.0e-3}}\n'],
  ])('judges a lane on a %s file', async (suffix, text) => {
    const path = `experiments/daily.${suffix}`;
    await git('switch', '--quiet', '-c', suffix, 'main');
    const config = join(folder, '.github/ferrybot.yml');
    const lane = readFileSync(config, 'utf8').replaceAll(EXPERIMENT, path);
    writeFileSync(config, lane.replace(/^ {4}scale:\n(?: {6}.*\n)+/m, '    scale: null\n'));
    writeFileSync(join(folder, path), text);
    await git('add', '--all');
    await git('commit', '--quiet', '-m', suffix);
    for (const [after, code] of [
      ['4.0e-3', 0],
      ['3.0e-3, x: &x 1', 1],
    ] as const) {
      await git('switch', '--quiet', '-c', `${suffix}-${code}`, suffix);
      writeFileSync(join(folder, path), text.replace('3.0e-3', after));
      await git('commit', '--quiet', '-am', after);
      const { failing, of, ...found } = await judged('--base', suffix);
      expect(found.code).toBe(code);
      if (code === 0) expect(of('delta-readable')).toBe('countable');
      else expect(failing).toContain('delta-readable');
    }
    await git('switch', '--quiet', 'good');
  });

  it('exits 0 when no local check fails, and lists the checks that only GitHub can answer', async () => {
    const { code, ok, failing, unknown, of } = await judged();
    expect({ code, ok, failing }).toEqual({ code: 0, ok: true, failing: [] });
    expect(of('delta-readable')).toBe('countable');
    expect(of('freshness')).toBe('fresh');
    expect(unknown).toEqual(expect.arrayContaining(['checks-green', 'lane-free', 'not-held', 'risk-present']));
  });

  it('reads the body of a future pull request from a file', async () => {
    writeFileSync(join(folder, 'experiments/body.md'), '## Risk level\n\nlow\n');
    const { code, failing, of } = await judged('--body', 'body.md');
    expect(code).toBe(1);
    expect(failing).toContain('delta-declared');
    expect(of('delta-declared')).toBe('undeclared');
  });

  it('judges another branch by name, also in text output', async () => {
    const { code, failing } = await judged('--base', 'main', '--head', 'scaled');
    expect(code).toBe(1);
    expect(failing).toContain('scale-stable');
    const { out } = await check('--head', 'scaled');
    expect(out).toMatch(/^fail {4}scale-stable: .*\(a maintainer\)$/m);
    expect(out).toMatch(/^unknown checks-green: only GitHub knows/m);
  });

  it('uses the lane that the files imply or that is named, and asks when neither does', async () => {
    await git('switch', '--quiet', '-c', 'lanes', 'main');
    const path = join(folder, '.github/ferrybot.yml');
    writeFileSync(path, addSecondLane(readFileSync(path, 'utf8')));
    await git('commit', '--quiet', '-am', 'a second lane');
    await git('switch', '--quiet', '-c', 'lanes-good');
    const text = readFileSync(join(folder, EXPERIMENT), 'utf8');
    writeFileSync(join(folder, EXPERIMENT), text.replace('learning_rate=3e-3', 'learning_rate=3.5e-3'));
    await git('commit', '--quiet', '-am', 'lanes-good');
    const both = ['--base', 'lanes', '--head', 'lanes-good'];
    expect((await check(...both)).err).toContain('which of the lanes daily, canary it is for cannot be told');
    expect(await judged(...both, '--lane', 'canary')).toMatchObject({ code: 0, failing: [] });
    expect((await check(...both, '--lane', 'hourly')).err).toContain('there is no lane hourly');
    await git('switch', '--quiet', 'good');
  });

  it.each([
    [['--head', 'nowhere']],
    [['--base', 'nowhere']],
    [['--body', 'missing.md']],
    [['--deep']],
    [['one', 'more']],
  ])('exits 2 with a usage error for %j', async (args) => {
    const { code, out } = await check(...args, '--json');
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'usage' } });
  });
});
