/** What may follow in the record about the watch of a run, by any writer. */

import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';

const UNTIL = '2026-11-21T12:00:00.000Z';
const offered = { state: 'offered', to: bob, until: UNTIL } as const;
const offer: EventDraft = { type: 'handoff', role: 'control', actor: alice, data: offered };
const accepted = (actor = bob, data: object = {}): EventDraft => ({
  type: 'handoff',
  role: 'control',
  actor,
  data: { ...offered, state: 'accepted', ...data },
});
const expired: EventDraft = { type: 'handoff', role: 'control', data: { ...offered, state: 'expired' } };
const bounded: EventDraft = { type: 'watch-bounded', role: 'control', actor: alice, data: { step: 400, time: null } };
const watchEnded = (cause: 'person' | 'step', attempt = 1): EventDraft => ({
  type: 'watch-ended',
  role: cause === 'person' ? 'control' : 'watch',
  ...(cause === 'person' ? { actor: alice } : {}),
  data: { attempt, cause, reason: null },
});
const resumed: EventDraft = { type: 'watch-resumed', role: 'control', actor: alice, data: { attempt: 1 } };

const running = aRun().gated().approved(bob).ordered().submitted().observed();

describe('the record accepts no', () => {
  // threat T188
  it.each<[string, RunBuilder, EventDraft, string]>([
    ['point that nobody reached for', running, watchEnded('step'), 'without a bound'],
    ['end of another attempt', running, watchEnded('person', 2), 'without a job that runs'],
    [
      'end by the watch that names a person',
      running,
      { ...watchEnded('person'), role: 'watch' },
      'in the name of a person by watch',
    ],
  ])('%s', (_, run, draft, rule) => {
    expect(() => run.add(draft)).toThrow(rule);
  });
});

describe('the owner of a watch', () => {
  // rule ML-03
  it('is unchanged until the other person accepts', () => {
    expect(running.add(offer).state.watch.owner).toBeNull();
    expect(running.add(offer, expired).state.watch.owner).toBeNull();
    expect(running.add(offer, accepted()).state.watch.owner).toEqual(bob);
  });

  it('has no stopping point after the watch is resumed', () => {
    const { watch } = running.add(bounded, watchEnded('step'), resumed).state;
    expect(watch).toMatchObject({ plannedEnd: null, ended: null });
  });
});
