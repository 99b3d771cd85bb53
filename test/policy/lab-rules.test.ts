/**
 * Rules about the lab's own programs and secrets: how and when they run, and that no secret is in a command.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readLabConfig } from '../../src/app/config-source.ts';
import { known } from '../../src/domain/values.ts';
import { raySchema } from '../../src/engines/ray/definition.ts';
import { cardManifest } from '../../src/render/card-manifest.ts';
import { recordedApprovalVerdicts } from '../../src/run/approvals.ts';
import { diskSchema } from '../../src/settings/machines.ts';
import { aRun } from '../support/run-builder.ts';
import { aConfig } from '../support/run-parts.ts';

const LAB = join(import.meta.dirname, '../../fixtures/lab');
const disk = diskSchema.parse({ mountPoint: '/tmp/gcsfuse_mount', clusterFile: 'infra/vllm.yaml' });

const EVERY_DAY = expect.stringMatching(/^\d+ \d+ \* \* \*$/);

/** The schedule of a lab workflow. */
function schedule(file: string): readonly string[] {
  const workflow = z
    .object({ on: z.object({ schedule: z.array(z.object({ cron: z.string() })) }) })
    .parse(parse(readFileSync(join(LAB, '.github/workflows', file), 'utf8')));
  return workflow.on.schedule.map(({ cron }) => cron);
}

describe("the lab's programs", () => {
  // rule DF-36
  it('propose a ferry every day', () => {
    expect(schedule('ferrybot-daily.yml')).toEqual([EVERY_DAY]);
  });

  // rule AG-02
  it('start through uv, and use another Python only if uv itself does not start', () => {
    const { scripts } = raySchema.parse({
      engine: 'ray',
      acceleratorHoursPerRun: '1',
      dashboard: 'http://10.0.0.2:8265',
      scripts: {},
    });
    if (scripts === null) throw new Error('no scripts');
    for (const command of [scripts.python, disk.scan, disk.initWorker, disk.startCleanup])
      expect(command.slice(0, 2)).toEqual(['uv', 'run']);
    expect(scripts.submit[0]).toBe('{python}');
    expect([scripts.pythonWithoutUv, disk.pythonWithoutUv]).toEqual([
      ['{checkout}/.venv/bin/python'],
      ['.venv/bin/python'],
    ]);
  });

  // rule AG-16
  it('scan for full disks every day without changing anything', () => {
    expect(schedule('ferrybot-disk-scan.yml')).toEqual([EVERY_DAY]);
    expect(disk.scan).toContain('--dry-run');
  });
});

describe('before a launch', () => {
  const { state } = aRun().gated();
  const config = aConfig();

  it('the exact command is on the card', () => {
    const approvals = recordedApprovalVerdicts(state, config);
    const shown =
      cardManifest({ state, config, verdict: null, past: () => known({ rows: [], rented: [] }), approvals }) ?? '';
    expect(state.submission).toBeNull();
    expect(shown).toContain('\nFERRY_DATE=2026-11-21 python3 experiments/ferries/daily.py\n');
  });

  it('a config with a secret in the command is rejected', () => {
    const text = readFileSync(join(LAB, '.github/ferrybot.yml'), 'utf8');
    const token = `hf_${'aB3'.repeat(12)}`;
    const written = text.replace(/^( {4}environment:\n)/m, `$1      HF_HUB: "${token}"\n`);
    expect(readLabConfig(text)).toMatchObject({ kind: 'valid' });
    expect(readLabConfig(written)).toMatchObject({ kind: 'invalid' });
    expect(JSON.stringify(readLabConfig(written))).not.toContain(token);
  });
});

describe('Python', () => {
  // rule AG-22
  it('uses only the syntax of Python 3.11, in each of our files', async () => {
    const root = join(import.meta.dirname, '../..');
    const files = globSync('{docs,fixtures,scripts,src,test}/**/*.py', { cwd: root });
    expect(files.length).toBeGreaterThan(20);
    // Uses Python 3.11 if installed; a newer Python checks by the older grammar.
    const own = await execa('python3.11', ['-c', ''], { reject: false });
    const python = own.exitCode === 0 ? 'python3.11' : 'python3';
    const { stdout } = await execa(python, ['-c', PARSES], { cwd: root, input: JSON.stringify(files) });
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

const PARSES = `
import ast, json, sys
wrong = []
for path in json.load(sys.stdin):
    try:
        ast.parse(open(path, "rb").read(), path, feature_version=(3, 11))
    except SyntaxError as error:
        wrong.append(f"{path}:{error.lineno}: {error.msg}")
print(json.dumps(wrong))
`;
