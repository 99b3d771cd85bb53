// Which observations of a watch become entries.

import { describe, expect, it } from 'vitest';
import type { EventDataByType, EventDraft } from '../../src/domain/logbook/define.ts';
import { foldEvents } from '../../src/domain/logbook/fold.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { digested, type Unrecorded, withUnrecorded } from '../../src/watch/digest.ts';
import { composeFile, listFerryEvents, observed } from '../logbook/sample-logbook.ts';

const MINUTE = 60_000;
/** A ferry with one observation, nine entries after its first. */
const recorded = stateOf(1);
const LOOKED_MS = Date.parse(recorded.observation?.at ?? '');

function stateOf(checks: number): RunState {
  const life = listFerryEvents(checks).slice(0, -4);
  const folded = foldEvents(composeFile(life).events);
  if (!folded.ok || folded.value === null) throw new Error('no run');
  return folded.value;
}

function poll(
  minutes: number,
  changes: Partial<EventDataByType['observed']> = {},
  more: { state?: RunState; isEach?: boolean; others?: readonly EventDraft[] } = {},
) {
  const { state = recorded, isEach = false, others = [] } = more;
  const at = brandAs(LOOKED_MS + minutes * MINUTE, isInstant);
  const draft = observed(1 + minutes);
  if (draft.type !== 'observed') throw new Error('no observation');
  const first: EventDraft = { ...draft, data: { ...draft.data, ...changes } };
  return digested({ recorded, state, drafts: [first, ...others], at, isEach });
}

describe('an observation of a ferry', () => {
  it('is no entry while nothing changes, and one before half an hour is over', () => {
    expect(poll(9.5).drafts).toEqual([]);
    expect(poll(19).drafts).toEqual([]);
    expect(poll(28.5).drafts).toHaveLength(1);
  });

  it.each<[string, Partial<EventDataByType['observed']>]>([
    ['the status changes', { status: 'PENDING' }],
    ['the log shows a failure', { signatures: ['oom-hbm'] }],
    ['the log cannot be read', { unread: { why: 'timeout', since: '2026-11-21T09:10:00.000Z' } } as never],
    ['the first eval arrives', { evals: { 'eval/loss': '3.1' } }],
    ['another watch takes over', { lease: { holder: 'watch-2', fence: 2, until: '2026-11-21T10:00:00.000Z' } }],
  ])('is an entry when %s', (_, changes) => {
    expect(poll(9.5, changes).drafts).toHaveLength(1);
  });

  it('is an entry together with an incident, and at every check where the policy asks for it', () => {
    const incident = { type: 'incident', role: 'watch', data: {} } as never;
    expect(poll(9.5, {}, { others: [incident] }).drafts).toHaveLength(2);
    expect(poll(9.5, {}, { isEach: true }).drafts).toHaveLength(1);
  });

  it('renews the lease until after the next entry, and says when that is due', () => {
    const [entry] = poll(28.5).drafts;
    const data = entry?.type === 'observed' ? entry.data : null;
    // Twice this is 65 minutes.
    expect(data?.nextEntryMs).toBe(32.5 * MINUTE);
    expect(Date.parse(data?.lease.until ?? '')).toBeGreaterThan(LOOKED_MS + (28.5 + 32.5) * MINUTE);
    const [each] = poll(28.5, {}, { isEach: true }).drafts;
    expect(each?.type === 'observed' ? each.data.nextEntryMs : 0).toBeUndefined();
  });
});

describe('a digest', () => {
  const losses = (drafts: readonly EventDraft[]): readonly number[] =>
    drafts.flatMap((draft) => (draft.type === 'observed' ? (draft.data.losses ?? []) : [])).map(({ step }) => step);

  it('has the losses of the checks that were not recorded', () => {
    let state = recorded;
    for (const [minutes, step] of [
      [9.5, 100],
      [19, 200],
    ] as const) {
      const { drafts, unrecorded } = poll(minutes, { losses: [{ step, loss: '4.5' }] }, { state });
      expect(losses(drafts)).toEqual([]);
      state = withUnrecorded(recorded, unrecorded ?? undefined);
    }
    const { drafts, unrecorded } = poll(28.5, { losses: [{ step: 300, loss: '4.4' }] }, { state });
    expect(losses(drafts)).toEqual([100, 200, 300]);
    expect(unrecorded?.after.losses.map(({ step }) => step)).toEqual([100, 200, 300]);
  });
});

describe('what is not recorded', () => {
  it('continues in the process that saw it', () => {
    const { unrecorded } = poll(9.5);
    const state = withUnrecorded(recorded, unrecorded ?? undefined);
    expect(state.observation?.step).toBe(10.5);
    expect(poll(19, {}, { state }).drafts).toEqual([]);
  });

  it('is forgotten when another process recorded an observation', () => {
    const unrecorded = poll(9.5).unrecorded as Unrecorded;
    const others = stateOf(2);
    expect(withUnrecorded(others, unrecorded)).toBe(others);
    expect(withUnrecorded(recorded, undefined)).toBe(recorded);
  });
});
