/**
 * Rules of the monitoring loop that no single test of a room states: when a watch observes, what ends it,
 * and what the next watch receives.
 */

import { describe, expect, it } from 'vitest';
import { fromRfc3339 } from '../../src/domain/values.ts';
import { trackerUrl } from '../../src/render/job-table.ts';
import { needsWatch } from '../../src/run/decide-dispatches.ts';
import { listPublications } from '../../src/run/publications.ts';
import { releaseLease, takeLease } from '../../src/watch/cadence.ts';
import { restoreLogFacts } from '../../src/watch/course.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { readLogText } from '../support/log-text.ts';
import { buildPoll } from '../support/look.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { instant, NOON } from '../support/run-facts.ts';

const approved = aRun().gated().approved(bob);
const submitted = approved.ordered().submitted();
const watched = submitted.observed();
const LONG_AFTER = instant('2026-11-22T12:00:00.000Z');

/** The run after an observation of these lines while the engine reports RUNNING. */
function looked(run: RunBuilder, ...lines: readonly string[]): RunBuilder {
  const log = readLogText(restoreLogFacts(run.state).facts, lines.map((line) => `${line}\n`).join(''));
  return run.add(...buildEvents(run.state, buildPoll({ log })));
}

const LOSS = 'I1 tqdm Progress on:train 1.00kit/5.16kit rate:1.9it/s remaining:? elapsed:9:00 postfix:loss=3.47';
const EVAL = 'I1 trainer Evaluated step 1000: eval/loss=3.46797';
const link = (id: string): string => `wandb: View run ferry at: https://wandb.ai/lab/ferries/runs/${id}`;

describe('the watch of a run', () => {
  // rules DF-21, HR-02, HR-68, ML-35
  it('starts after the launch, and again when its lease expired, until the job has ended', () => {
    const until = fromRfc3339(watched.state.observation?.lease.until ?? '') ?? NOON;
    expect(needsWatch(approved.ordered().state, LONG_AFTER)).toBe(false);
    expect(needsWatch(submitted.state, NOON)).toBe(true);
    expect(needsWatch(watched.state, instant(new Date(until - 1).toISOString()))).toBe(false);
    expect(needsWatch(watched.state, until)).toBe(true);
    expect(needsWatch(watched.ended().state, LONG_AFTER)).toBe(false);
  });

  // rule ML-05
  it('continues after first losses, a first eval and a link', () => {
    const run = looked(submitted, LOSS, EVAL, link('abc'));
    expect(run.state.observation).toMatchObject({ loss: '3.47', evals: { 'eval/loss': '3.46797' } });
    expect(run.state.end).toBeNull();
    expect(needsWatch(run.state, LONG_AFTER)).toBe(true);
  });

  // rule ML-17
  it('ends with a job that succeeded, which is reported in the issue', () => {
    const { state } = watched.ended({ status: 'SUCCEEDED' });
    expect(needsWatch(state, LONG_AFTER)).toBe(false);
    expect(listPublications(state)).toContainEqual(
      expect.objectContaining({ kind: 'ended', thread: state.proposal.issue }),
    );
  });

  // rule ML-13
  it('links each tracker run once, and the newest one after a restart inside the job', () => {
    const first = looked(submitted, link('abc'), LOSS, link('abc'));
    expect(first.state.observation?.trackers.map(({ id }) => id)).toEqual(['abc']);
    const second = looked(first, link('def'), link('abc'));
    expect(second.state.observation?.trackers.map(({ id }) => id)).toEqual(['abc', 'def']);
    expect(trackerUrl(second.state)).toBe('https://wandb.ai/lab/ferries/runs/def');
  });

  // rule ML-07
  it('is handed over with job, cluster, newest observation and links', () => {
    const signal = submitted.observed({ signatures: ['owner-died'], evals: { 'eval/loss': '3.46797' } });
    const held = signal.state.observation;
    if (held === null) throw new Error('nothing was observed');
    const now = fromRfc3339(held.at) ?? NOON;
    expect(takeLease(signal.state, 'watch-2', now, 1)).toBeNull();
    const { at: _at, seq: _seq, ...data } = held;
    const { state } = signal.observed({ ...data, lease: releaseLease(held.lease, now) });
    expect(takeLease(state, 'watch-2', now, 1)).toMatchObject({ holder: 'watch-2', fence: 2 });
    expect(state.submission).toMatchObject({ jobId: 'ferrybot-ferry-daily-20261121-a1', cluster: 'local' });
    expect(restoreLogFacts(state)).toEqual({
      offset: held.logOffset,
      facts: {
        ...NO_LOG_FACTS,
        step: { value: held.step, exact: held.stepIsExact },
        exactTotal: held.totalSteps,
        loss: held.loss,
        firstStepCompleted: held.firstStepCompleted,
        evals: { 'eval/loss': '3.46797' },
        checkpointStep: held.checkpointStep,
        trackers: [{ id: 'abc123', url: 'https://wandb.example/lab/ferries/runs/abc123' }],
        failures: [{ id: 'owner-died', line: '', lastLineNumber: 0, workers: [] }],
      },
    });
    expect([held.step, held.loss, held.checkpointStep]).not.toContain(null);
  });
});
