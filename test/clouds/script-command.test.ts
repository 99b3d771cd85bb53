/** The lab's scripts run through uv; without it only if uv could not start, and never twice. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeWithScript, scriptCommand } from '../../src/clouds/gcp/gcloud.ts';
import type { ChangeStep } from '../../src/domain/actions/action.ts';
import { sealCapability } from '../../src/domain/actions/capability-seal.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { type ProgramResult, runProgram } from '../../src/host/process.ts';

const VENV = ['.venv/bin/python'];
const NOW = brandAs(1, isInstant);
const LATER = brandAs(2, isInstant);
const STEP: ChangeStep = {
  kind: 'init-worker',
  ...scriptCommand(
    ['uv', 'run', 'cluster.py', '--config', '{clusterFile}', 'init-worker', '{worker}'],
    { clusterFile: 'infra/a.yaml', worker: 'ray-a' },
    VENV,
  ),
};

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'ferrybot-scripts-'));
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

/** A program that records its arguments and exits with the given code. */
function program(path: string, exitCode = 0, mode = 0o755): void {
  const file = join(tree, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "${path} $*" >>"${tree}/calls"\nexit ${exitCode}\n`);
  chmodSync(file, mode);
}
const calls = (): string => (existsSync(join(tree, 'calls')) ? readFileSync(join(tree, 'calls'), 'utf8') : '');
const change = (step = STEP): Promise<ProgramResult> => {
  const capability = sealCapability({ steps: [STEP], until: LATER });
  return changeWithScript(runProgram, step, { capability, now: NOW }, { env: { PATH: join(tree, 'bin') }, cwd: tree });
};
const WITHOUT_UV = '.venv/bin/python cluster.py --config infra/a.yaml init-worker ray-a\n';

describe('a script of the lab', () => {
  it('runs through uv, and nothing else runs', async () => {
    program('bin/uv');
    program('.venv/bin/python');
    expect(await change()).toMatchObject({ ok: true });
    expect(calls()).toBe('bin/uv run cluster.py --config infra/a.yaml init-worker ray-a\n');
  });

  it.each([
    ['uv does not exist', () => undefined],
    ['uv is not executable', () => program('bin/uv', 0, 0o644)],
  ])('runs without uv if %s', async (_, prepare) => {
    prepare();
    program('.venv/bin/python');
    expect(await change()).toMatchObject({ ok: true });
    expect(calls()).toBe(WITHOUT_UV);
  });

  it.each([1, 2, 126, 127])('is not repeated if uv ended with %d', async (exitCode) => {
    program('bin/uv', exitCode);
    program('.venv/bin/python');
    expect(await change()).toMatchObject({ ok: false, exitCode });
    expect(calls().split('\n')).toHaveLength(2);
  });

  it('reports the start error if neither can start', async () => {
    expect(await change()).toMatchObject({ kind: 'not-started', code: 'ENOENT' });
  });

  it('is not run with another Python than the approved one', () => {
    program('.venv/bin/python');
    expect(() => change({ ...STEP, fallback: ['python3', 'cluster.py'] })).toThrow('not what was consented to');
    expect(() => change({ kind: STEP.kind, command: STEP.command })).toThrow('not what was consented to');
    expect(calls()).toBe('');
  });
});

describe('the fallback command', () => {
  it.each([
    ['uv run a/b.py --x', '.venv/bin/python a/b.py --x'],
    ['uv run python a/b.py', '.venv/bin/python a/b.py'],
    ['uv run python3 -m a.b', '.venv/bin/python -m a.b'],
    ['uv run --with rich a/b.py', undefined],
    ['uv sync', undefined],
    ['python3 a/b.py', undefined],
    ['./uv run a/b.py', undefined],
    ['uv run ruff', undefined],
  ])('for %s is %s', (command, instead) => {
    expect(scriptCommand(command.split(' '), {}, VENV).fallback?.join(' ')).toBe(instead);
  });

  it('is absent if the config allows none', () => {
    expect(scriptCommand(['uv', 'run', 'a.py'], {}, null)).toEqual({ command: ['uv', 'run', 'a.py'] });
  });
});
