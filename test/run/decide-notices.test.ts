/** Who is reminded of a run, and which run is nobody's to decide about. */

import { describe, expect, it } from 'vitest';
import { branded, type Instant, isInstant } from '../../src/domain/ids.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { fromRfc3339 } from '../../src/domain/time.ts';
import { decideReminder, unsealedClosing } from '../../src/run/decide-notices.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

const HOUR = 3_600_000;
const base = aConfig();
const config = { ...base, lane: { ...base.lane, reminders: { everyHours: 6, closeAfterHours: 48 } } };
const running = aRun().gated().approved(bob).ordered().submitted();
const ended = running.ended();

function hoursAfterEnd(state: RunState, hours: number): Instant {
  return branded((fromRfc3339(state.end?.at ?? '') ?? 0) + hours * HOUR, isInstant);
}

describe('a reminder', () => {
  it('is due a period after the end, and a period after the last', () => {
    expect(decideReminder(ended.state, config, hoursAfterEnd(ended.state, 5))).toBeNull();
    const first = decideReminder(ended.state, config, hoursAfterEnd(ended.state, 6));
    expect(first?.data).toMatchObject({ reason: 'undecided', people: [bob.id] });
    const told = ended.later(6 * HOUR).add(...(first === null ? [] : [first])).state;
    expect(decideReminder(told, config, hoursAfterEnd(told, 11))).toBeNull();
    expect(decideReminder(told, config, hoursAfterEnd(told, 13))?.data).toMatchObject({
      permission: 'maintain',
    });
  });

  it('is due to nobody while the job runs, or something of the run is still in the world', () => {
    const late = branded((fromRfc3339(running.state.head.at) ?? 0) + 400 * HOUR, isInstant);
    expect(decideReminder(running.state, config, late)).toBeNull();
    expect(unsealedClosing(running.state, config, late)).toBeNull();
    const held = running.ended({ status: 'FAILED' }).state;
    expect(unsealedClosing(held, config, late)).not.toBeNull();
    const order = held.order === null ? null : { ...held.order, status: 'claimed' as const };
    const holding = { ...held, order, submission: null };
    expect(unsealedClosing(holding, config, late)).toBeNull();
    expect(
      decideReminder(
        holding,
        { ...config, lane: { ...config.lane, reminders: { everyHours: 6, closeAfterHours: null } } },
        late,
      ),
    ).toBeNull();
  });

  it('gives way where the run closes itself', () => {
    expect(decideReminder(ended.state, config, hoursAfterEnd(ended.state, 48))).toBeNull();
    expect(unsealedClosing(ended.state, config, hoursAfterEnd(ended.state, 47))).toBeNull();
    expect(unsealedClosing(ended.state, config, hoursAfterEnd(ended.state, 48))).toMatchObject({
      decision: { kind: 'close', outcome: 'unsealed' },
      said: null,
    });
  });
});
