/** `ferrybot checkpoints ROOT --run RUN`, over a copy of the logbook. */

import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { canonicalize } from '../../../src/logbook/chain.ts';
import { aRun } from '../../support/run-builder.ts';
import { alice, bob } from '../../support/run-drafts.ts';
import { openFolder } from '../../support/store-servers.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/app/cli/main.ts');

async function ferrybot(...args: readonly string[]): Promise<{ code: number; told: unknown }> {
  const { exitCode, stdout } = await execa(process.execPath, [PROGRAM, ...args, '--json'], {
    reject: false,
    stdin: 'ignore',
    extendEnv: false,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return { code: exitCode ?? -1, told: JSON.parse(stdout) };
}

it("chooses no checkpoint that the run's attempts did not write", async () => {
  const { base, put, close } = await openFolder();
  onTestFinished(close);
  const data = { step: 200, reason: 'the loss had diverged', comment: 7, surface: 'comment' } as const;
  const run = aRun()
    .gated()
    .shown()
    .approved(alice)
    .ordered()
    .submitted()
    .observed({ checkpointStep: 300 })
    .add({ type: 'checkpoint-rejected', role: 'control', actor: bob, data });
  const { run: name } = run.state;
  const lines = run.events.map((event) => `${canonicalize(JSON.parse(JSON.stringify(event)))}\n`).join('');
  await put(`${base}/logbook/runs/2026/11/${name}/events.jsonl`, lines);
  const unknown = [
    'checkpoints',
    `${base}/root`,
    '--run',
    'ferry-daily-20200101',
    '--dir',
    `${base}/logbook`,
  ];
  expect((await ferrybot(...unknown)).told).toMatchObject({ error: { code: 'run-unknown' } });
  for (const step of [100, 300])
    await put(
      `${base}/root/step-${step}/metadata.json`,
      JSON.stringify({ step, timestamp: '2026-11-21T09:30:00', is_temporary: false }),
    );
  // Written by this machine's clock, while the attempt has not ended.
  const chosen = await ferrybot('checkpoints', `${base}/root`, '--run', name, '--dir', `${base}/logbook`);
  expect(chosen).toMatchObject({
    code: 0,
    told: {
      chosen: { step: 100, attempt: 1 },
      checkpoints: [{ standing: 'eligible' }, { step: 300, standing: 'rejected' }],
    },
  });
  const asked = await ferrybot(
    'checkpoints',
    `${base}/root`,
    '--run',
    name,
    '--dir',
    `${base}/logbook`,
    '--step',
    '300',
  );
  expect(asked).toMatchObject({ code: 1, told: { refused: { code: 'rejected' } } });
});
