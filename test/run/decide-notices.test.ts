/** When people are reminded of a run, by the lane's hours. */

import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, fromRfc3339, type Instant, isInstant } from '../../src/domain/values.ts';
import { decideReminder } from '../../src/run/decide-notices.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

const base = aConfig();
const config = {
  ...base,
  lane: { ...base.lane, updateHours: 24, reminders: { ...base.lane.reminders, everyHours: 2, closeAfterHours: null } },
};
const job = aRun().gated().approved(bob).ordered().submitted();

/** The reminder this many hours after an entry. */
function reminderAfter(state: RunState, entry: { readonly at: string } | null, hours: number) {
  const now: Instant = brandAs((fromRfc3339(entry?.at ?? '') ?? 0) + hours * 3_600_000, isInstant);
  return decideReminder(state, config, now);
}

describe('a reminder', () => {
  it('updates the issue of a job once its last news is a day old', () => {
    const { state } = job;
    expect(reminderAfter(state, state.submission, 23)).toBeNull();
    expect(reminderAfter(state, state.submission, 24)).toMatchObject({
      data: { reason: 'update', about: `${state.submission?.seq}-1` },
    });
  });

  it('asks for a decision after the end, first the approvers, then everybody with permission', () => {
    const ended = job.ended();
    const { state } = ended;
    expect(reminderAfter(state, state.end, 1)).toBeNull();
    const first = reminderAfter(state, state.end, 2);
    expect(first).toMatchObject({
      data: { reason: 'undecided', about: `${state.end?.seq}-1`, people: expect.arrayContaining([bob.id]) },
    });
    if (first === null) throw new Error('no reminder');
    const told = ended.add(first).state;
    expect(reminderAfter(told, told.notices.at(-1) ?? null, 1)).toBeNull();
    expect(reminderAfter(told, told.notices.at(-1) ?? null, 2)).toMatchObject({
      data: { about: `${state.end?.seq}-2`, permission: config.permissions.seal },
    });
  });
});
