/** Which role may write which event, and the first event of a run. */

import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { EVENT_TYPES, findIllegalEvent, foldEvents, WRITERS } from '../../src/domain/logbook/fold.ts';
import { ROLES } from '../../src/domain/logbook/parts.ts';
import { aRun } from '../support/run-builder.ts';

const ANY = aRun().events;

describe('the allowed writers of', () => {
  it.each(EVENT_TYPES)('%s', (type) => {
    const [event] = ANY;
    if (event === undefined) throw new Error('no event');
    for (const role of ROLES) {
      const allowed = (WRITERS[type] as readonly string[]).includes(role);
      const rule = findIllegalEvent(null, { ...event, type, role } as LogbookEvent);
      expect(rule === `${role} may not write ${type}`, role).toBe(!allowed);
    }
  });

  it('claims and submissions are only the runner, of observations and ends only the watch', () => {
    expect([WRITERS.claimed, WRITERS.submitted]).toEqual([['runner'], ['runner']]);
    expect([WRITERS.observed, WRITERS.ended]).toEqual([['watch'], ['watch']]);
    expect([WRITERS.approved, WRITERS.ordered, WRITERS.sealed]).toEqual([['control'], ['control'], ['control']]);
  });
});

describe('the first event of a run', () => {
  it('must be its proposal', () => {
    const [, second] = aRun().gated().events;
    if (second === undefined) throw new Error('no event');
    expect(foldEvents([second])).toEqual({
      ok: false,
      error: { seq: second.seq, rule: 'a run begins with proposed, not with gated' },
    });
    expect(foldEvents([])).toEqual({ ok: true, value: null });
  });
});
