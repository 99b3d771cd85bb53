/** A five-hour ferry on virtual time: what the log says at each look, and what an engine can lose. */

import { describe, expect, it } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { parseMetrics } from '../../src/trackers/metrics-file.ts';
import { finishLog, NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { submitTo } from '../support/capabilities.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { readLogText, readText } from '../support/log-text.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

const spec: JobSpec = {
  submissionId: 'ferrybot-ferry-20261121-a1',
  command: ['python', 'experiments/ferries/daily.py'],
  env: {},
  workingDirectory: '.',
  metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
};
const id = spec.submissionId;

describe('a simulated ferry', () => {
  it('takes five hours, moves at every look of 570 s, and ends with its metrics', async () => {
    let nowMs = Date.UTC(2026, 10, 21);
    const engine = createSimulatedEngine({ now: () => nowMs, script: () => ferryScript() });
    await submitTo(engine, spec);
    let facts = NO_LOG_FACTS;
    let offset = 0;
    const steps: number[] = [];
    for (nowMs += 120_000; ; nowMs += 570_000) {
      const read = await readText(engine, id, offset);
      if (read.kind !== 'chunk') throw new Error(read.kind);
      facts = readLogText(facts, read.text);
      offset = read.nextOffset;
      steps.push(facts.step?.value ?? 0);
      const seen = await engine.observe(id, null);
      if (seen.kind === 'found' && seen.status === 'SUCCEEDED') break;
      expect(steps.length).toBeLessThan(40);
    }
    expect(steps).toHaveLength(33);
    expect(new Set(steps).size).toBe(33);
    expect(finishLog(facts)).toMatchObject({
      exactTotal: 5155,
      evalsCompleted: 6,
      checkpointStep: 5155,
      failures: [],
    });
    expect(parseMetrics(engine.metricsOf(id) ?? '')).toMatchObject({ metrics: { global_step: '5154' } });
  });

  it('really starts a job whose answer was lost, and only once', async () => {
    const engine = createSimulatedEngine({ now: () => 0, script: () => ferryScript() });
    engine.loseNextAnswer('submit');
    expect(await submitTo(engine, spec)).toMatchObject({ kind: 'unknown' });
    expect(await submitTo(engine, spec)).toMatchObject({ kind: 'adopted' });
    expect(engine.startCount()).toBe(1);
  });

  it('says state lost, not absent, of a job that an earlier session knew', async () => {
    const engine = createSimulatedEngine({ now: () => 0, script: () => ferryScript() });
    await submitTo(engine, spec);
    const seen = await engine.observe(id, null);
    engine.forgetEverything();
    const session = seen.kind === 'found' ? seen.session : null;
    expect(await engine.observe(id, session)).toMatchObject({ kind: 'state-lost' });
    expect(await engine.observe(id, null)).toMatchObject({ kind: 'absent' });
  });

  it('fails where it is told to', async () => {
    const failAt = { step: 2000, line: 'ray.exceptions.OwnerDiedError: gone', exitCode: 1 };
    let nowMs = 0;
    const engine = createSimulatedEngine({ now: () => nowMs, script: () => ferryScript({ failAt }) });
    await submitTo(engine, spec);
    nowMs = 5 * 3_600_000;
    expect(await engine.observe(id, null)).toMatchObject({ status: 'FAILED', exitCode: 1 });
    const read = await readText(engine, id, 0);
    expect(read.kind === 'chunk' && read.text.trimEnd().endsWith(failAt.line)).toBe(true);
  });
});
