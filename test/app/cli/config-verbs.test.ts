// `check-config` and `backtest` as a person uses them: one JSON value, exit 0, 1 or 2.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createScratchFolder } from '../../host/git/scratch-repository.ts';
import { composeFile, listFerryEvents, RUN } from '../../logbook/sample-logbook.ts';
import { callVerb, type VerbResult } from './call-verb.ts';

const LAB = join(import.meta.dirname, '../../../fixtures/lab');
const EXPERIMENT = 'experiments/ferries/daily.py';
const VALID = readFileSync(join(LAB, '.github/ferrybot.yml'), 'utf8');
const BROKEN = VALID.replace('quorum: 1', 'quorum: none').replace('afterSeal: close', 'afterSeal: clsoe');

const call = (verb: string, cwd: string, ...args: readonly string[]): Promise<VerbResult> => callVerb(verb, cwd, args);

function lab(config: string): string {
  const folder = createScratchFolder();
  mkdirSync(join(folder, '.github'));
  writeFileSync(join(folder, '.github/ferrybot.yml'), config);
  mkdirSync(join(folder, 'experiments/ferries'), { recursive: true });
  writeFileSync(join(folder, EXPERIMENT), readFileSync(join(LAB, EXPERIMENT)));
  mkdirSync(join(folder, 'logbook/runs/2026/11', RUN), { recursive: true });
  writeFileSync(join(folder, 'logbook/runs/2026/11', RUN, 'events.jsonl'), composeFile(listFerryEvents(2)).text);
  return folder;
}

describe('check-config', () => {
  it('reads the config of the lab in the current folder', async () => {
    const { code, out } = await call('check-config', lab(VALID), '--json');
    expect({ code, answer: JSON.parse(out) }).toEqual({ code: 0, answer: { ok: true, problems: [] } });
  });

  it('reports every problem with line and column, key path, code and message', async () => {
    const { code, out } = await call('check-config', lab(BROKEN), '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      problems: [
        { severity: 'error', path: 'approvals.quorum', code: 'wrong-type', line: expect.any(Number), column: 3 },
        {
          path: 'lanes.daily.afterSeal',
          code: 'bad-value',
          column: 5,
          message: expect.stringContaining('did you mean close?'),
        },
      ],
    });
  });

  it('names an experiment that the checkout does not have', async () => {
    const { code, out } = await call('check-config', lab(VALID.replaceAll(EXPERIMENT, 'experiments/ferries/dayly.py')));
    expect(code).toBe(1);
    expect(out).toMatch(
      /ferrybot\.yml:\d+:5: error: lanes\.daily\.experiment: there is no experiments\/ferries\/dayly\.py/,
    );
    expect(out).not.toContain('is valid');
  });

  it('names a candidate whose knob the experiment does not have, and the nearest one', async () => {
    const knob = 'train_config.SimpleTrainConfig().learning_rate';
    const near = await call('check-config', lab(VALID.replace(`path: ${knob}`, `path: ${knob}s`)), '--json');
    expect(JSON.parse(near.out)).toMatchObject({
      ok: false,
      problems: [{ path: 'lanes.daily.candidates.0.path', message: expect.stringContaining(`did you mean ${knob}?`) }],
    });
    const far = await call('check-config', lab(VALID.replace(`path: ${knob}`, 'path: lr')));
    expect(far.out).toContain(`lr is no knob of ${EXPERIMENT}: \`ferrybot read-knobs ${EXPERIMENT}\` lists its knobs`);
  });

  it('prints problems for people in the format of compilers', async () => {
    const { out } = await call('check-config', lab(BROKEN));
    expect(out).toMatch(/^\.github\/ferrybot\.yml:\d+:3: error: approvals\.quorum: expected a number/);
  });
});

describe('backtest', () => {
  const CONFIG = ['--config', '.github/ferrybot.yml'];

  it('replays the runs of a logbook against a config', async () => {
    const strict = VALID.replace('quorum: 1', 'quorum: 2');
    const { code, out } = await call('backtest', lab(strict), ...CONFIG, '--logbook', 'logbook', '--json');
    const answer = JSON.parse(out);
    expect({ code, ok: answer.ok, run: answer.runs[0].run }).toEqual({ code: 0, ok: true, run: RUN });
    expect(answer.runs[0].decisions).toContainEqual(
      expect.objectContaining({ decision: 'quorum', from: 'reached', to: 'not-reached', why: '0-of-2' }),
    );
    expect(answer.changed).toBeGreaterThan(0);
    const people = await call('backtest', lab(strict), ...CONFIG, '--logbook', 'logbook');
    expect(people.out).toContain(`${RUN}  `);
    expect(people.out).toContain('reached -> not-reached (0-of-2)');
  });

  it('exits 1 for an invalid config and lists its problems', async () => {
    const { code, out } = await call('backtest', lab(BROKEN), ...CONFIG, '--logbook', 'logbook', '--json');
    expect({ code, answer: JSON.parse(out) }).toMatchObject({
      code: 1,
      answer: {
        ok: false,
        error: { code: 'config-invalid', problems: [{ code: 'wrong-type' }, { code: 'bad-value' }] },
      },
    });
  });

  it('exits 1 for a logbook that was tampered with', async () => {
    const folder = lab(VALID);
    const file = join(folder, 'logbook/runs/2026/11', RUN, 'events.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"id":', '"id": '));
    const { code, out } = await call('backtest', folder, ...CONFIG, '--logbook', 'logbook', '--json');
    expect({ code, answer: JSON.parse(out) }).toMatchObject({ code: 1, answer: { error: { code: 'logbook-broken' } } });
  });
});
