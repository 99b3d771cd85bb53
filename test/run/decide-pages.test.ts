/** Who is paged for an incident at which hour, by the lab's own table. */

import { describe, expect, it } from 'vitest';
import { onCallSchema } from '../../src/config/approvals-schema.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, type Instant, isInstant } from '../../src/domain/values.ts';
import { buildPages, decidePages, isQuietHour, listPeopleOnCall } from '../../src/run/decide-notices.ts';
import { aRun } from '../support/run-builder.ts';
import { bob, incidentDraft } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

/** Every fact that one of these incidents needs. */
const DETAIL = { code: 'tag-elsewhere', message: 'm', why: 'w', cluster: 'local' };
const at = (text: string): Instant => brandAs(Date.parse(text), isInstant);
const base = aConfig();
const staffed = (onCall: object, inCharge: readonly number[] = []) => ({
  ...base,
  onCall: onCallSchema.parse(onCall),
  lane: { ...base.lane, inCharge: inCharge.map((id) => ({ written: String(id), ids: [id] })) },
});
const people = ({ data }: { readonly data: object }): unknown => ('people' in data ? data.people : null);

describe('the people on call', () => {
  const config = staffed(
    {
      shifts: [
        { users: [1], days: ['mon', 'tue'], from: '08:00', until: '20:00' },
        { users: [2], days: ['mon'], from: '20:00', until: '08:00', since: '2026-11-23', through: '2026-11-23' },
        { users: [3, 9] },
      ],
    },
    [9],
  );
  it.each([
    ['2026-11-23T07:59:59Z', [9, 3]],
    ['2026-11-23T08:00:00Z', [9, 1, 3]],
    ['2026-11-23T20:00:00Z', [9, 2, 3]],
    ['2026-11-24T07:59:00Z', [9, 2, 3]],
    ['2026-11-24T08:00:00Z', [9, 1, 3]],
    ['2026-11-30T21:00:00Z', [9, 3]],
  ])('at %s', (moment, expected) => {
    expect(listPeopleOnCall(config, at(moment))).toEqual(expected);
  });

  it('are empty when the config names no one', () => {
    expect(listPeopleOnCall(staffed({}), at('2026-11-23T08:00:00Z'))).toEqual([]);
  });
});

describe('quiet hours', () => {
  const config = staffed({ quietHours: { from: '22:00', until: '06:00' } }, [7]);
  const run = (code: string): RunState => aRun().gated().approved(bob).ordered().add(incidentDraft(code, DETAIL)).state;

  it.each([
    ['21:59', false],
    ['22:00', true],
    ['05:59', true],
    ['06:00', false],
  ])('at %s: %s', (time, expected) => {
    expect(isQuietHour(config, at(`2026-11-23T${time}:00Z`))).toBe(expected);
  });

  it('let urgent incidents through, and page the others when they are over', () => {
    const day = run('seal-failed');
    const now = run('submit-unknown');
    const moment = day.incidents[0]?.at.slice(0, 10) ?? '';
    expect(decidePages(day, config, at(`${moment}T23:00:00Z`))).toEqual([]);
    expect(decidePages(now, config, at(`${moment}T23:00:00Z`)).map(people)).toEqual([[7]]);
    expect(decidePages(day, config, at(`${moment}T21:00:00Z`)).map(people)).toEqual([[7]]);
  });

  it('page no one for an incident that others resolved or that is days old', () => {
    const back = run('cluster-back');
    const moment = back.incidents[0]?.at.slice(0, 10) ?? '';
    expect(decidePages(back, config, at(`${moment}T21:00:00Z`))).toEqual([]);
    expect(decidePages(run('submit-unknown'), config, at('2026-12-24T12:00:00Z'))).toEqual([]);
  });
});

describe('the page of an incident that is being recorded', () => {
  it('names the entry that the incident will get, and has the role of the recording process', () => {
    const { state } = aRun().gated().approved(bob).ordered().submitted();
    const drafts = [incidentDraft('seal-failed', DETAIL), incidentDraft('engine-state-lost', DETAIL)].map((draft) => ({
      ...draft,
      role: 'watch' as const,
    }));
    const pages = buildPages(state, drafts, staffed({}, [7]), at('2026-11-23T12:00:00Z'));
    expect(pages.map(({ role, data }) => ({ role, ...data }))).toEqual([
      { role: 'watch', reason: 'incident', about: `${state.head.seq + 1}-1`, people: [7] },
      { role: 'watch', reason: 'incident', about: `${state.head.seq + 2}-1`, people: [7] },
    ]);
  });
});
