/** One watch at a time, when it looks, and what a look comes to. */

import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { fromRfc3339 } from '../../src/domain/time.ts';
import { nextCheckAt, stopLookPeriodMs } from '../../src/watch/cadence.ts';
import { leaseFor, released } from '../../src/watch/lease.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { eventsOf, type Look } from '../../src/watch/observation.ts';
import { logFactsFrom } from '../../src/watch/resume-log.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { instant, NOON } from '../support/run-facts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();
const watched = submitted.observed();
const until = fromRfc3339(watched.state.observation?.lease.until ?? '') ?? NOON;
const lastMomentBefore = instant(new Date(until - 1).toISOString());
const CADENCE = { startupMs: 120_000, pollMs: 570_000 };

describe('the lease', () => {
  it('begins at fence 1 and outlives its cadence', () => {
    expect(leaseFor(submitted.state, 'w', NOON, 570_000)).toEqual({
      holder: 'w',
      fence: 1,
      until: '2026-11-21T12:11:00.000Z',
    });
  });

  it('is prolonged by its holder under the same fence, and by nobody else until it is over', () => {
    expect(leaseFor(watched.state, 'watch-1', lastMomentBefore, 1)?.fence).toBe(1);
    expect(leaseFor(watched.state, 'watch-2', lastMomentBefore, 1)).toBeNull();
    expect(leaseFor(watched.state, 'watch-2', until, 1)).toMatchObject({ holder: 'watch-2', fence: 2 });
  });

  it('given back is free at once', () => {
    const lease = watched.state.observation?.lease;
    if (lease === undefined) throw new Error('no lease');
    const run = watched.observed({ lease: released(lease, NOON) });
    expect(leaseFor(run.state, 'watch-2', NOON, 1)?.fence).toBe(2);
  });
});

describe('the cadence', () => {
  const at = (run: typeof watched): number => Date.parse(run.state.head.at);

  it('is 120 s after the submit, 570 s after a look, and now for a stop', () => {
    expect(nextCheckAt(submitted.state, CADENCE, NOON)).toBe(at(submitted) + 120_000);
    expect(nextCheckAt(watched.state, CADENCE, NOON)).toBe(at(watched) + 570_000);
    expect(nextCheckAt(watched.stopRequested(alice).state, CADENCE, NOON)).toBe(NOON);
  });

  it('looks for a stop every 30 s at least', () => {
    expect(stopLookPeriodMs(CADENCE)).toBe(30_000);
    expect(stopLookPeriodMs({ startupMs: 2_000, pollMs: 5_000 })).toBe(2_000);
  });
});

describe('a look', () => {
  const lease = { holder: 'watch-1', fence: 1, until: '2026-11-21T23:00:00.000Z' };
  const base = {
    log: NO_LOG_FACTS,
    logOffset: 0,
    metrics: {},
    lease,
    cadenceMs: 570_000,
    redact: (t: string) => t,
  };
  const found = (status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'STOPPED', message = ''): Look => ({
    ...base,
    job: {
      kind: 'found',
      status,
      message,
      errorType: null,
      exitCode: null,
      startedAtMs: NOON,
      endedAtMs: null,
      metadata: null,
      session: null,
      details: {},
    },
  });
  const types = (look: Look, run = submitted): readonly string[] =>
    eventsOf(run.state, look).map((e) => e.type);

  it('ends the run on a terminal status and on nothing else', () => {
    expect(types(found('RUNNING'))).toEqual(['observed']);
    for (const status of ['SUCCEEDED', 'FAILED', 'STOPPED'] as const)
      expect(types(found(status))).toEqual(['observed', 'ended']);
  });

  it('at a job that is gone says so once, and never that it ended', () => {
    const look: Look = { ...base, job: { kind: 'absent', session: null } };
    const first = eventsOf(submitted.state, look);
    expect(first).toMatchObject([
      { type: 'observed', data: { status: 'UNKNOWN' } },
      { data: { code: 'engine-state-lost' } },
    ]);
    expect(types(look, submitted.add(...first))).toEqual(['observed']);
  });

  it('long after a stop that the engine did not heed says so once', () => {
    const stopped = watched.stopRequested(alice);
    const pending = found('RUNNING');
    const early = stopped.observed();
    const late = stopped.later(limits.stopUnheardMs).observed();
    expect(types(pending, stopped)).toEqual(['observed']);
    expect(types(pending, early)).toEqual(['observed']);
    const first = eventsOf(late.state, pending);
    expect(first).toMatchObject([
      { type: 'observed' },
      { data: { code: 'stop-unconfirmed', detail: { message: expect.stringContaining('RUNNING') } } },
    ]);
    expect(types(pending, late.add(...first))).toEqual(['observed']);
    expect(types(found('STOPPED'), late)).toEqual(['observed', 'ended']);
  });

  it('at an ended run or one that was not submitted is nothing', () => {
    expect(types(found('RUNNING'), watched.ended())).toEqual([]);
    expect(types(found('RUNNING'), aRun())).toEqual([]);
  });

  it('whose message is cut in the middle of a character can still be recorded', () => {
    const message = `${'x'.repeat(limits.messageCharactersMax - 1)}🚢`;
    expect(submitted.add(...eventsOf(submitted.state, found('FAILED', message))).state.end?.message).toMatch(
      /^x+\ufffd$/,
    );
  });

  it('goes on where the last one stopped', () => {
    expect(logFactsFrom(submitted.state)).toEqual({ facts: NO_LOG_FACTS, offset: 0 });
    expect(logFactsFrom(watched.state)).toMatchObject({
      offset: 4096,
      facts: { step: { value: 4600, exact: false } },
    });
  });
});
