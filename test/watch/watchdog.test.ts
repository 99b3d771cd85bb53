/** A silent watch is told apart from an ill run, once for each silence, and is started again a few times. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dispatch } from '../../src/domain/dispatch.ts';
import type { Instant } from '../../src/domain/ids.ts';
import type { RentalTerms } from '../../src/domain/launch/manifest.ts';
import type { Machine } from '../../src/domain/logbook/events/rental-events.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { type Cadence, USUAL_CADENCE } from '../../src/watch/cadence.ts';
import {
  isSilenceTold,
  judgeRestart,
  type MonitorHealth,
  monitorHealth,
  runHealth,
  wasStarted,
} from '../../src/watch/watchdog.ts';
import { gatedOn } from '../run/parts.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { instant } from '../support/run-facts.ts';

const MINUTE = 60_000;
const CADENCE = USUAL_CADENCE;
const submitted = gatedOn().approved(bob).ordered().submitted();
const watched = submitted.observed();

const lookedAt = ({ state }: RunBuilder): Instant =>
  instant(state.observation?.at ?? state.submission?.at ?? '');
const later = (run: RunBuilder, ms: number): Instant => instant(new Date(lookedAt(run) + ms).toISOString());
const health = (run: RunBuilder, silentMs: number, cadence: Cadence = CADENCE): MonitorHealth =>
  monitorHealth(run.state, cadence, later(run, silentMs));

describe('the monitor of a run', () => {
  it('is stale after two cadences without a word, and not before', () => {
    expect(health(watched, 19 * MINUTE).kind).toBe('fresh');
    expect(health(watched, 19 * MINUTE + 1)).toEqual({
      kind: 'stale',
      since: watched.state.observation?.seq,
      silentMs: 19 * MINUTE + 1,
    });
  });

  it('that never began to look is stale in the same time after the submission', () => {
    expect(health(submitted, 19 * MINUTE).kind).toBe('fresh');
    expect(health(submitted, 20 * MINUTE)).toMatchObject({
      kind: 'stale',
      since: submitted.state.submission?.seq,
    });
  });

  it('of a job of seconds is given the time of its lease', () => {
    const quick = submitted.observed({ cadenceMs: 3_000 });
    expect(health(quick, 60_000).kind).toBe('fresh');
    expect(health(quick, 93_001).kind).toBe('stale');
  });

  it('is held to the time that its newest look named, in alert mode as in the long steps of a cruise', () => {
    const alert = submitted.observed({ cadenceMs: 120_000 });
    const cruise = submitted.observed({ cadenceMs: 45 * MINUTE });
    expect(health(alert, 4 * MINUTE).kind).toBe('fresh');
    expect(health(alert, 5 * MINUTE).kind).toBe('stale');
    expect(health(cruise, 90 * MINUTE).kind).toBe('fresh');
    expect(health(cruise, 91 * MINUTE).kind).toBe('stale');
  });

  it('of a rental that nobody has looked at is missed at its first pace, and not at that of its cruise', () => {
    const rental = {
      ...CADENCE,
      startupMs: [MINUTE, 3 * MINUTE],
      settleMs: 10 * MINUTE,
      pollMs: 60 * MINUTE,
    };
    expect(health(submitted, 20 * MINUTE, rental).kind).toBe('fresh');
    expect(health(submitted, 21 * MINUTE, rental).kind).toBe('stale');
  });

  it('of a rental whose job has ended counts from the newest read of the account', () => {
    const { state } = watched.ended();
    const terms = { hoursMax: 24 } as unknown as RentalTerms;
    const order = state.order === null ? null : { ...state.order };
    if (order?.manifest == null || state.end === null) throw new Error('there was no job');
    const manifest = { ...order.manifest, envelope: { ...order.manifest.envelope, rental: terms } };
    const machine = { instance: 1, jobId: state.end.message, status: 'running' } as unknown as Machine;
    const look = { at: state.end.at, seq: state.end.seq + 1, cadenceMs: 5 * MINUTE };
    const renting: RunState = {
      ...state,
      order: { ...order, manifest },
      rental: { ...state.rental, machines: [machine], look },
    };
    const at = (ms: number): Instant => instant(new Date(Date.parse(look.at) + ms).toISOString());
    expect(monitorHealth(renting, CADENCE, at(10 * MINUTE))).toMatchObject({
      kind: 'fresh',
      since: look.seq,
    });
    expect(monitorHealth(renting, CADENCE, at(11 * MINUTE)).kind).toBe('stale');
    expect(monitorHealth(state, CADENCE, at(11 * MINUTE)).kind).toBe('none');
  });

  it('is nothing before there is a job, and after its end', () => {
    const ordered = gatedOn().approved(bob).ordered();
    expect(monitorHealth(ordered.state, CADENCE, later(watched, 99 * MINUTE)).kind).toBe('none');
    expect(health(watched.ended(), 99 * MINUTE).kind).toBe('none');
  });

  // rule HR-39
  it('says nothing about the run: what a silent one saw last is no news', () => {
    const ill = submitted.observed({ signatures: ['resource-exhausted'] });
    const unread = submitted.observed({ status: 'UNKNOWN' });
    expect(runHealth(watched.state, health(watched, MINUTE))).toBe('healthy');
    expect(runHealth(ill.state, health(ill, MINUTE))).toBe('unhealthy');
    expect(runHealth(unread.state, health(unread, MINUTE))).toBe('unknown');
    for (const run of [watched, ill, unread])
      expect(runHealth(run.state, health(run, 20 * MINUTE))).toBe('unknown');
  });

  it('is stale from one moment on, whatever the cadence', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 3_600_000 }),
        fc.integer({ min: 0, max: 9_000_000 }),
        fc.integer({ min: 0, max: 9_000_000 }),
        (pollMs, one, more) => {
          const looked = submitted.observed({ cadenceMs: pollMs });
          const isStale = (ms: number): boolean => health(looked, ms).kind === 'stale';
          expect(isStale(one) && !isStale(one + more)).toBe(false);
          expect(isStale(2 * pollMs)).toBe(false);
        },
      ),
    );
  });
});

describe('a silence', () => {
  it('is told once, and the next one again', () => {
    const since = watched.state.observation?.seq ?? 0;
    const told = watched.incident('monitor-stale', { since, why: 'nothing was recorded' });
    expect(isSilenceTold(watched.state, since)).toBe(false);
    expect(isSilenceTold(told.state, since)).toBe(true);
    const back = told.observed();
    expect(isSilenceTold(back.state, back.state.observation?.seq ?? 0)).toBe(false);
  });
});

const sentAt = (ms: number, subject = 'local'): Dispatch => ({
  workflow: 'watch',
  subject,
  workflowRun: 77,
  at: new Date(ms).toISOString(),
  seq: 9,
});

describe('a watch that nobody has started', () => {
  const at = (ms: number): readonly Dispatch[] => [sentAt(later(submitted, ms))];

  it('has not fallen silent', () => {
    expect(wasStarted(submitted.state, [])).toBe(false);
    expect(wasStarted(submitted.state, at(-10 * MINUTE))).toBe(false);
    expect(wasStarted(submitted.state, at(1_000))).toBe(true);
    expect(wasStarted(watched.state, [])).toBe(true);
  });
});

describe('another watch', () => {
  const silentMs = 60 * MINUTE;
  const now = later(watched, silentMs);
  const run = (agoMs: number): Dispatch => sentAt(now - agoMs);
  const judge = (...runs: readonly Dispatch[]): string => judgeRestart(watched.state, silentMs, runs, now);

  it('is started beside one that hangs since before the silence', () => {
    expect(judge()).toBe('restart');
    expect(judge(run(90 * MINUTE))).toBe('restart');
  });

  it('is waited for, and given up after three', () => {
    expect(judge(run(5 * MINUTE))).toBe('on-its-way');
    expect(judge(run(15 * MINUTE))).toBe('restart');
    expect(judge(run(15 * MINUTE), run(30 * MINUTE), run(45 * MINUTE))).toBe('given-up');
  });

  it('of another cluster is none of this run', () => {
    const other = { ...run(5 * MINUTE), subject: 'elsewhere' };
    expect(judge(other)).toBe('restart');
  });
});
