/** The example labs: small enough to read, valid, and each trains on this machine from the proposal to the seal. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../demo/beside.ts';
import { recordLines } from '../support/run-record.ts';
import { startProcess } from '../support/start-process.ts';

const LINES_MAX = 60;
const STEPS = 8_000;
/** Most of it is training, which takes minutes on a busy machine. */
const FERRY_TIMEOUT_MS = 15 * 60_000;
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function countLines(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  return (await Promise.all(texts)).reduce((sum, text) => sum + text.trimEnd().split('\n').length, 0);
}

describe.each([
  ['nanogpt', 'learning_rate'],
  ['hf-trainer', 'learning_rate'],
  ['torchtitan', 'optimizer.lr'],
])('the example %s', (name, knob) => {
  it(`has at most ${LINES_MAX} lines of config and code`, async () => {
    expect(await countLines(join(EXAMPLES, name))).toBeLessThanOrEqual(LINES_MAX);
  });

  it(
    'plays a ferry to its seal, and reads steps, losses and checkpoints from the log',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'ferrybot-example-'));
      folders.push(folder);
      const started = startProcess(folder, '--example', name);
      const { code, answer } = await started.ended;
      expect(answer?.reason, started.said()).toBeNull();
      expect(code).toBe(0);
      const [run] = answer?.runs ?? [];
      const manifest = JSON.parse(await readFile(run?.manifest ?? '', 'utf8'));
      expect(JSON.stringify(manifest)).toContain(`"${knob}"`);
      const events = (await recordLines(join(folder, 'logbook'), run?.run ?? '')).map((line) => JSON.parse(line));
      const end = events.find(({ type }) => type === 'ended').data;
      expect(end).toMatchObject({ status: 'SUCCEEDED', lastStep: STEPS, metrics: { 'eval/loss': expect.any(String) } });
      // An untrained model of this text has a loss of 4.5.
      expect(Number(end.metrics['eval/loss'])).toBeLessThan(2.3);
      expect(events.filter(({ type, data }) => type === 'observed' && data.checkpointStep !== null)).not.toEqual([]);
      expect(events.map(({ type }) => type)).toContain('sealed');
      // As on GitHub Enterprise Server, REST is at /api/v3 of another address, and every link leads there.
      const world = await readFile(join(folder, 'world.json'), 'utf8');
      expect(world).toContain('/lab/ferries/issues/1');
      expect(world).not.toMatch(/https:\/\/(?:api\.)?github\.com\/(?!ferrybot)/);
    },
    FERRY_TIMEOUT_MS,
  );
});
