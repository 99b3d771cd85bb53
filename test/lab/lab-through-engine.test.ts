/** The example lab on the local engine: what a watch sees of a real job, and what remains after a stop. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSignature } from '../../src/diagnosis/rows.ts';
import { type Engine, type FoundJob, isTerminal, type JobSpec } from '../../src/domain/engine.ts';
import { createLocalEngine } from '../../src/engines/local/engine.ts';
import { readMetricsFile } from '../../src/trackers/metrics-file.ts';
import { finishLog, type LogFacts, NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { readLogText, readText } from '../support/log-text.ts';

const lab = new URL('../../fixtures/lab', import.meta.url).pathname;
let directory: string;
let engine: Engine;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ferrybot-lab-'));
  engine = createLocalEngine({ directory: join(directory, 'jobs'), now: Date.now });
});
afterEach(async () => {
  await stopIn(engine, 'job-1');
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const ferry = (env: Readonly<Record<string, string>>): JobSpec => ({
  submissionId: 'job-1',
  command: ['python3', '-B', 'experiments/ferries/daily.py'],
  env: { FERRY_DATE: '2026-11-21', LAB_OUTPUT_ROOT: directory, LAB_STEP_DELAY_MS: '0', ...env },
  workingDirectory: lab,
  metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
});
const output = (): string => join(directory, 'ferry_daily_125m_2026-11-21');

async function facts(): Promise<LogFacts> {
  const read = await readText(engine, 'job-1', 0);
  return read.kind === 'chunk' ? finishLog(readLogText(NO_LOG_FACTS, read.text)) : NO_LOG_FACTS;
}
async function ended(): Promise<FoundJob> {
  for (let look = 0; look < 1200; look += 1) {
    const seen = await engine.observe('job-1', null);
    if (seen.kind === 'found' && isTerminal(seen.status)) return seen;
    await sleep(50);
  }
  throw new Error('the ferry did not end');
}

describe('a ferry on the local engine', () => {
  it('succeeds with exact total, link, eval, checkpoint and metrics', async () => {
    await submitTo(engine, ferry({ FERRY_NUM_TRAIN_STEPS: '150' }));
    expect(await ended()).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    const seen = await facts();
    expect(seen).toMatchObject({
      exactTotal: 150,
      step: { value: 150, exact: true },
      firstStepCompleted: true,
      checkpointStep: 150,
      failures: [],
    });
    const read = await readMetricsFile(join(output(), 'tracker_metrics.jsonl'));
    const metrics = read.kind === 'metrics' ? read.metrics : {};
    expect(metrics['global_step']).toBe('149');
    expect(Number(metrics['eval/loss']).toFixed(5)).toBe(seen.evals['eval/loss']);
  });

  it.each([
    ['vmem', 'vmem-exhausted', 'oom-hbm', 1],
    ['owner-died', 'owner-died', 'infra-cluster', 1],
    ['name-error', 'name-error', 'code-other', 1],
    ['watchdog-124', 'stalled-training', 'stalled', 124],
  ])('fails with %s, and its log is recognized', async (failure, id, kind, exitCode) => {
    const env = { LAB_FAIL: failure, LAB_FAIL_AT_STEP: '3', LAB_WATCHDOG_TIMEOUT_S: '0.1' };
    await submitTo(engine, ferry({ FERRY_NUM_TRAIN_STEPS: '20', ...env }));
    expect(await ended()).toMatchObject({ status: 'FAILED', exitCode });
    expect((await facts()).failures.map((failed) => failed.id)).toContain(id);
    expect(findSignature(id)?.class).toBe(kind);
  });

  it('leaves a temporary checkpoint when it is stopped', async () => {
    await submitTo(engine, ferry({ LAB_STEP_DELAY_MS: '50' }));
    await expect.poll(async () => (await facts()).firstStepCompleted).toBe(true);
    expect(await stopIn(engine, 'job-1')).toEqual({ kind: 'stopped' });
    expect(await engine.observe('job-1', null)).toMatchObject({ status: 'STOPPED', exitCode: null });
    const [step = ''] = await readdir(join(output(), 'checkpoints'));
    const metadata = await readFile(join(output(), 'checkpoints', step, 'metadata.json'), 'utf8');
    expect(JSON.parse(metadata)).toMatchObject({ is_temporary: true });
  });
});
