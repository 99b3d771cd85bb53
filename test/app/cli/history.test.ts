// `history` as a person uses it: the runs of a lane in a table, newest first, from a copy of the record.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../../src/domain/logbook/define.ts';
import { formatLine } from '../../../src/logbook/chain.ts';
import { createScratchFolder } from '../../host/git/scratch-repository.ts';
import { aRun, type RunBuilder } from '../../support/run-builder.ts';
import { alice, bob } from '../../support/run-drafts.ts';
import { callVerb, type VerbResult } from './call-verb.ts';

const written = (event: LogbookEvent): string => `${formatLine(event)}
`;

/** A checkout of the record with these runs. */
function recordOf(...runs: readonly RunBuilder[]): string {
  const folder = createScratchFolder();
  for (const { state, events } of runs) {
    const file = join(folder, 'runs/2026/11', state.run, 'events.jsonl');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, events.map(written).join(''));
  }
  return folder;
}

const launched = (date: string): RunBuilder => aRun({ date }).gated().approved(alice).ordered().submitted();
const passed = launched('2026-11-21').ended().sealed(bob);
const failed = launched('2026-11-22').ended({ status: 'FAILED' }).closed({ outcome: 'failed' });
const open = aRun({ date: '2026-11-23' });
const weekly = aRun({ date: '2026-11-23', lane: 'weekly', run: 'ferry-weekly-20261123' });
const folder = recordOf(passed, failed, open, weekly);
const history = (...args: readonly string[]): Promise<VerbResult> => callVerb('history', folder, args);

describe('history', () => {
  it('prints names without escapes for GitHub', async () => {
    const { out } = await history('daily');
    expect(out).toContain('eval/paloma/macro_loss 3.711');
    expect(out).not.toMatch(/[\\`]|&\w+;/);
  });

  it('lists the runs of a lane, newest first, with changes, verdict, metrics, cost and threads', async () => {
    const { code, out } = await history('daily', '--json');
    const { ok, lane, runs } = JSON.parse(out);
    expect({ code, ok, lane }).toEqual({ code: 0, ok: true, lane: 'daily' });
    expect(runs).toMatchObject([
      { run: 'ferry-daily-20261123', verdict: 'open', status: null, launches: 0, changes: null },
      { run: 'ferry-daily-20261122', verdict: 'failed', status: 'FAILED', launches: 1 },
      {
        run: 'ferry-daily-20261121',
        base: null,
        verdict: 'pass',
        status: 'SUCCEEDED',
        changes: [{ knob: 'learning_rate', before: '3e-3', after: '6e-3' }],
        metrics: passed.state.end?.metrics,
        acceleratorHours: passed.state.gate?.manifest?.cost.acceleratorHours,
        issue: 12,
        pull: 13,
      },
    ]);
  });

  it('prints a table for people, of all lanes if none is named', async () => {
    const { code, out } = await history();
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line.startsWith('| ferry-'))).toHaveLength(4);
    expect(out).toMatch(
      /\| ferry-daily-20261121 \| learning_rate 3e-3 to 6e-3 \| the target branch \| pass \(SUCCEEDED\)/,
    );
    expect(out).toContain('| #12, #13');
  });

  it('exits 1 for a lane without any run', async () => {
    const { code, out } = await history('monthly', '--json');
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, ok: false, error: { code: 'lane-unknown' } });
  });

  it('exits 1 for a record that does not verify', async () => {
    const broken = recordOf(passed);
    const file = join(broken, 'runs/2026/11', passed.state.run, 'events.jsonl');
    writeFileSync(file, passed.events.map((event) => written({ ...event, at: '2026-11-21T00:00:00.000Z' })).join(''));
    const { code, out } = await callVerb('history', broken, ['--json']);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, error: { code: 'logbook-broken' } });
  });
});
