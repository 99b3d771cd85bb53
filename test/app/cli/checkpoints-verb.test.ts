/** `ferrybot checkpoints` over a real folder, and over a copy of the logbook. */

import { expect, it, onTestFinished } from 'vitest';
import { canonicalize } from '../../../src/logbook/chain.ts';
import { aRun } from '../../support/run-builder.ts';
import { alice, bob } from '../../support/run-drafts.ts';
import { openFolder } from '../../support/store-servers.ts';
import { callVerb, type VerbResult } from './call-verb.ts';

const checkpoints = (...args: readonly string[]): Promise<VerbResult> => callVerb('checkpoints', '/', args);

it('prints which checkpoint is chosen and why the others are not', async () => {
  const { base, put, close } = await openFolder();
  onTestFinished(close);
  const metadata = (step: number): string =>
    JSON.stringify({ step, timestamp: '2026-11-20T10:00:00', is_temporary: step === 1_000 });
  await put(`${base}/kept/step-900/metadata.json`, metadata(900));
  await put(`${base}/kept/step-2000/model/w`, 'half');
  await put(`${base}/rolling/step-1000/metadata.json`, metadata(1_000));
  const people = await checkpoints(`${base}/kept/`, '--temporary', `${base}/rolling`);
  expect({ ...people, out: people.out.replaceAll(base, '') }).toEqual({
    code: 0,
    out: [
      'step ?  /kept/step-2000  skipped: incomplete: it has no metadata.json',
      'step 900  /kept/step-900  complete',
      'step 1000  /rolling/step-1000  complete, temporary',
      'chosen: /rolling/step-1000\n',
    ].join('\n'),
    err: '',
  });
  const json = await checkpoints(`${base}/kept`, '--max-step', '500', '--json');
  expect({ code: json.code, answer: JSON.parse(json.out) }).toEqual({
    code: 1,
    answer: {
      ok: false,
      checkpoints: [
        expect.objectContaining({ path: `${base}/kept/step-2000`, step: null, standing: 'no-metadata' }),
        expect.objectContaining({ path: `${base}/kept/step-900`, step: 900, standing: 'above-max' }),
      ],
      chosen: null,
      ask: { code: 'none-of-lineage', why: '2 looked at' },
    },
  });
  const asked = await checkpoints(`${base}/kept`, '--step', '2000', '--json');
  expect({ code: asked.code, refused: JSON.parse(asked.out).refused }).toEqual({
    code: 1,
    refused: { code: 'no-metadata', why: `${base}/kept/step-2000` },
  });
  const nowhere = await checkpoints('ftp://somewhere', '--json');
  expect(JSON.parse(nowhere.out).ask.code).toBe('root-unreadable');
});

it('chooses nothing that no attempt of the run wrote', async () => {
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
  const dir = ['--dir', `${base}/logbook`, '--json'];
  const unknown = await checkpoints(`${base}/root`, '--run', 'ferry-daily-20200101', ...dir);
  expect(JSON.parse(unknown.out)).toMatchObject({ error: { code: 'run-unknown' } });
  for (const step of [100, 300])
    await put(
      `${base}/root/step-${step}/metadata.json`,
      JSON.stringify({ step, timestamp: '2026-11-21T09:30:00', is_temporary: false }),
    );
  // Written by the clock of this machine, while the attempt has not ended.
  const chosen = await checkpoints(`${base}/root`, '--run', name, ...dir);
  expect({ ...chosen, told: JSON.parse(chosen.out) }).toMatchObject({
    code: 0,
    told: {
      chosen: { step: 100, attempt: 1 },
      checkpoints: [{ standing: 'eligible' }, { step: 300, standing: 'rejected' }],
    },
  });
  const asked = await checkpoints(`${base}/root`, '--run', name, ...dir, '--step', '300');
  expect({ ...asked, told: JSON.parse(asked.out) }).toMatchObject({ code: 1, told: { refused: { code: 'rejected' } } });
});
