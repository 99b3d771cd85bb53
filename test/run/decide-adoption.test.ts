/** A job of somebody's that nobody takes over: who hears of it once more, and when its run is over. */

import { describe, expect, it } from 'vitest';
import { branded, type Instant, isInstant } from '../../src/domain/ids.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { decideUnconfirmed } from '../../src/run/decide-adoption.ts';
import type { LaneScopedConfig } from '../../src/run/lane-scope.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

const PROPOSED = Date.parse(aRun().state.proposedAt);
const HOUR = 3_600_000;
const at = (hours: number): Instant => branded(PROPOSED + hours * HOUR, isInstant);
const job = { jobId: 'ray-run-ada', cluster: 'us-central1' };

function asked(found: 'described' | 'unknown' | null, toldAfterHours = 0): RunState {
  const { state } = aRun();
  const told = { why: '', engine: 'ray', status: null, since: null, submitter: null, entrypoint: null };
  const origin = { commit: null, commitIsHere: false, session: null, urls: {} };
  return {
    ...state,
    gate: null,
    proposal: { ...state.proposal, adopts: job },
    description:
      found === null
        ? null
        : { ...told, ...origin, found, seq: 2, at: new Date(at(toldAfterHours)).toISOString() },
  };
}

function withReminders(everyHours: number | null, closeAfterHours: number | null): LaneScopedConfig {
  const config = aConfig();
  return { ...config, lane: { ...config.lane, reminders: { everyHours, closeAfterHours } } };
}

const due = (state: RunState, hours: number, config = withReminders(24, null)) => {
  const draft = decideUnconfirmed(state, config, at(hours));
  return draft === null ? null : draft.type;
};

describe('a job that was told of', () => {
  it('is reminded of after as long as the lane says, to all who may take it over, and given up after three days', () => {
    const state = asked('described');
    expect([23.9, 24, 71.9, 72].map((hours) => due(state, hours))).toEqual([
      null,
      'notified',
      'notified',
      'closed',
    ]);
    expect(decideUnconfirmed(state, withReminders(24, null), at(24))).toMatchObject({
      data: { reason: 'job-unconfirmed', about: '2-1', permission: 'maintain' },
    });
  });

  it('is reminded of once, and in a lane without reminders not at all', () => {
    const state = asked('described');
    const told = { reason: 'job-unconfirmed', about: '2-1', permission: 'maintain' } as const;
    const notices = [{ ...told, seq: 3, at: new Date(at(24)).toISOString(), role: 'control' as const }];
    expect(due({ ...state, notices }, 48)).toBeNull();
    expect(due(state, 71, withReminders(null, null))).toBeNull();
    expect(due(state, 72, withReminders(null, null))).toBe('closed');
  });

  it('has the time that its lane gives from the moment at which it was told', () => {
    const late = asked('described', 40);
    expect([72, 111, 112].map((hours) => due(late, hours))).toEqual(['notified', 'notified', 'closed']);
    expect(due(asked('described'), 5, withReminders(24, 5))).toBe('closed');
  });
});

it.each(['unknown', null] as const)(
  'a job that no cluster tells of (%s) is given up as long after it was asked for, and nobody is reminded of it',
  (found) => {
    expect([24, 71.9, 72].map((hours) => due(asked(found, 40), hours))).toEqual([null, null, 'closed']);
  },
);

it('a run that is over, or whose job was taken over, is left alone', () => {
  const submitted = aRun().gated().approved(bob).ordered().submitted().state;
  expect(due({ ...submitted, proposal: { ...submitted.proposal, adopts: job } }, 100)).toBeNull();
  const { state } = aRun().gated().approved(bob).ordered().submitted().ended({ status: 'FAILED' }).closed();
  expect(due({ ...asked('described'), closed: state.closed }, 100)).toBeNull();
  expect(due(aRun().state, 100)).toBeNull();
});
