/** The judge of a ferry on a real head: fine is fine, and each thing that must stand in the record is missed when it is not there. */

import { describe, expect, it } from 'vitest';
import { rayFerryFaults } from '../support/ray-ferry-faults.ts';

const RUN = 'ferry-daily-20261121';
const JOB = `ferrybot-${RUN}-a1`;
type Event = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
const SUBMITTED: Event = {
  type: 'submitted',
  data: {
    attempt: 1,
    engine: 'ray',
    jobId: JOB,
    adopted: false,
    details: { session: 'session_2026', outputRoot: '/out' },
    urls: { dashboard: `http://127.0.0.1:8265/#/jobs/${JOB}` },
  },
};
const ENDED: Event = {
  type: 'ended',
  data: {
    status: 'SUCCEEDED',
    message: 'Job finished successfully.',
    exitCode: 0,
    lastStep: 40,
    startedAt: '2026-11-21T09:00:00.000Z',
    endedAt: '2026-11-21T09:01:00.000Z',
    engineDetails: { driverNode: '0'.repeat(56) },
  },
};
const FINE: readonly Event[] = [
  { type: 'proposed', data: {} },
  { type: 'claimed', data: { attempt: 1 } },
  SUBMITTED,
  { type: 'observed', data: { attempt: 1, status: 'RUNNING' } },
  ENDED,
  { type: 'sealed', data: {} },
];
const faults = (events: readonly Event[]): readonly string[] =>
  rayFerryFaults(
    RUN,
    events.map((event) => JSON.stringify(event)),
  );
const changed = (event: Event, data: Readonly<Record<string, unknown>>): readonly Event[] =>
  FINE.map((one) => (one === event ? { ...one, data: { ...one.data, ...data } } : one));

describe('the judge of a ferry on Ray', () => {
  it('has nothing to say of one that Ray ran', () => {
    expect(faults(FINE)).toEqual([]);
  });

  it.each<[string, readonly Event[]]>([
    ['no job was submitted', FINE.filter((event) => event !== SUBMITTED)],
    ['an attempt was submitted twice', [...FINE.slice(0, 3), SUBMITTED, ...FINE.slice(3)]],
    ['a submit without a claim', FINE.filter(({ type }) => type !== 'claimed')],
    ['the engine is local', changed(SUBMITTED, { engine: 'local' })],
    ['is no job of attempt 1', changed(SUBMITTED, { jobId: 'raysubmit_x' })],
    ['was there before', changed(SUBMITTED, { adopted: true })],
    ['the session of the head', changed(SUBMITTED, { details: {} })],
    ['the page of the job', changed(SUBMITTED, { urls: {} })],
    ['never seen to run', FINE.filter(({ type }) => type !== 'observed')],
    ['1 jobs and 0 ends', FINE.filter((event) => event !== ENDED)],
    ['it ended FAILED', changed(ENDED, { status: 'FAILED', exitCode: 1 })],
    ["Ray's words", changed(ENDED, { message: '' })],
    ["the driver's node", changed(ENDED, { engineDetails: {} })],
    ["Ray's times", changed(ENDED, { endedAt: null })],
    ['no step', changed(ENDED, { lastStep: null })],
    ['does not end with the seal', FINE.slice(0, -1)],
    ['an incident', [...FINE.slice(0, 4), { type: 'incident', data: {} }, ...FINE.slice(4)]],
  ])('misses what is not there: %s', (fault, events) => {
    expect(faults(events).join('\n')).toContain(fault);
  });
});
