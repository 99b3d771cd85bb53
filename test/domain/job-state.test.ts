/** The state of a job by its witnesses and how old their words are. */

import { describe, expect, it } from 'vitest';
import { type JobState, jobStateBy, jobStateOf, type Witnesses } from '../../src/domain/logbook/job-state.ts';
import { after } from '../../src/domain/time.ts';
import { aRun } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';

const MINUTE = 60_000;
const ago = (minutes: number) => after(NOON, -minutes * MINUTE);

/** Seen a minute ago, and all is well. */
const WELL: Witnesses = {
  engine: { at: ago(1), says: 'RUNNING' },
  log: { at: ago(1), hasLines: true },
  progress: { at: ago(1) },
  tracker: null,
  checkpoint: null,
  trouble: { signatures: [], alarms: [] },
  watch: { at: ago(1), nextWithinMs: 570_000 },
};
const DARK_LOG = { at: ago(20), hasLines: true };
const says = (said: NonNullable<Witnesses['engine']>['says']) => ({ engine: { at: ago(1), says: said } });
const tracked = (movedMinutes: number | null) => ({
  tracker: { at: ago(1), movedAt: movedMinutes === null ? null : ago(movedMinutes) },
});

describe('a job', () => {
  it.each<[JobState, string, Partial<Witnesses>]>([
    ['submitted', 'that nobody has looked at', { engine: null, watch: null }],
    ['pending', 'in the queue, whatever an earlier step says', says('PENDING')],
    ['allocated', 'that RUNNING alone speaks for', { log: { at: ago(1), hasLines: false }, progress: null }],
    ['compiling', 'that prints and has made no step', { progress: null }],
    ['stepping', 'whose bar has moved', {}],
    ['stepping', 'whose bar stands, within what its detectors allow', { progress: { at: ago(30) } }],
    ['stepping', 'whose steps the tracker alone sees', { log: DARK_LOG, progress: null, ...tracked(2) }],
    ['compiling', 'whose tracker runs and counts nothing', { progress: null, ...tracked(null) }],
    ['stepping', 'of which the tracker has heard nothing', tracked(null)],
    ['degraded', 'whose log shows a failure', { trouble: { signatures: ['owner-died'], alarms: [] } }],
    ['degraded', 'that stands', { trouble: { signatures: [], alarms: ['stalled-steps'] } }],
    ['stepping', 'of which something has happened', { trouble: { signatures: [], alarms: ['flapping'] } }],
    ['unknown', 'whose engine does not answer', says('UNKNOWN')],
    ['unknown', 'whose log is dark, and so is what it did', { log: DARK_LOG, progress: { at: ago(20) } }],
    ['unknown', 'whose watch is silent', { watch: { at: ago(21), nextWithinMs: 570_000 } }],
    ['stepping', 'whose watch looks seldom', { watch: { at: ago(21), nextWithinMs: 30 * MINUTE } }],
    ['state-lost', 'that the engine has forgotten', says('lost')],
  ])('is %s: one %s', (state, _, said) => {
    expect(jobStateBy({ ...WELL, ...said }, NOON)).toBe(state);
  });
});

describe('the record of a job', () => {
  const submitted = aRun().gated().approved(bob).ordered().submitted();
  const silent = { since: 1, why: 'nothing was recorded for 25 min' };

  it.each([
    ['submitted', submitted],
    ['stepping', submitted.observed()],
    ['compiling', submitted.observed({ step: 0 })],
    ['degraded', submitted.observed({ alarms: ['throughput-collapse'] })],
    [
      'stepping',
      submitted
        .observed()
        .later(20 * MINUTE)
        .observed(),
    ],
    [
      'unknown',
      submitted
        .observed()
        .later(25 * MINUTE)
        .incident('monitor-stale', silent),
    ],
    ['unknown', submitted.observed({ status: 'UNKNOWN' })],
    ['ended-stopped', submitted.observed().stopRequested(alice).ended({ status: 'STOPPED' })],
  ] as const)('gives %s', (state, run) => {
    expect(jobStateOf(run.state)).toBe(state);
  });
});
