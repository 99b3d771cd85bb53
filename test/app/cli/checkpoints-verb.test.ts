/** `ferrybot checkpoints` over a real folder, as a person types it. */

import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { openFolder } from '../../support/store-servers.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/app/cli/main.ts');

async function ferrybot(...args: readonly string[]): Promise<{ code: number; out: string }> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const { exitCode, stdout } = await execa(process.execPath, [PROGRAM, 'checkpoints', ...args], {
    reject: false,
    stdin: 'ignore',
    extendEnv: false,
    env,
  });
  return { code: exitCode ?? -1, out: stdout };
}

it('prints which checkpoint is chosen and why the others are not', async () => {
  const { base, put, close } = await openFolder();
  onTestFinished(close);
  const metadata = (step: number): string =>
    JSON.stringify({ step, timestamp: '2026-11-20T10:00:00', is_temporary: step === 1_000 });
  await put(`${base}/kept/step-900/metadata.json`, metadata(900));
  await put(`${base}/kept/step-2000/model/w`, 'half');
  await put(`${base}/rolling/step-1000/metadata.json`, metadata(1_000));
  const people = await ferrybot(`${base}/kept/`, '--temporary', `${base}/rolling`);
  expect({ ...people, out: people.out.replaceAll(base, '') }).toEqual({
    code: 0,
    out: [
      'step ?  /kept/step-2000  skipped: incomplete: it has no metadata.json',
      'step 900  /kept/step-900  complete',
      'step 1000  /rolling/step-1000  complete, temporary',
      'chosen: /rolling/step-1000',
    ].join('\n'),
  });
  const json = await ferrybot(`${base}/kept`, '--max-step', '500', '--json');
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
  const asked = await ferrybot(`${base}/kept`, '--step', '2000', '--json');
  expect({ code: asked.code, refused: JSON.parse(asked.out).refused }).toEqual({
    code: 1,
    refused: { code: 'no-metadata', why: `${base}/kept/step-2000` },
  });
  const nowhere = await ferrybot('ftp://somewhere', '--json');
  expect(JSON.parse(nowhere.out).ask.code).toBe('root-unreadable');
});
