/**
 * A run without progress is reported to people if its log mentions cluster problems; lack of progress alone
 * is not reported.
 */

import { describe, expect, it } from 'vitest';
import { SIGNATURES } from '../../src/diagnosis/rows.ts';
import type { JobObservation } from '../../src/domain/engine.ts';
import { type FailureClass, FIRST_RESPONSE } from '../../src/domain/failure-class.ts';
import type { Standstill } from '../../src/domain/logbook/events/job-events.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { addMs, toRfc3339 } from '../../src/domain/values.ts';
import { restoreLogFacts } from '../../src/watch/course.ts';
import { buildEvents } from '../../src/watch/observation.ts';
import { STANDSTILL_OBSERVATIONS_MIN } from '../../src/watch/observation-incidents.ts';
import { readLogText } from '../support/log-text.ts';
import { buildPoll, foundJob } from '../support/look.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { NOON } from '../support/run-facts.ts';

const OWNER_DIED = 'ray.exceptions.OwnerDiedError: Failed to retrieve object\n';
const stepLine = (step: number): string =>
  `I20261121 1 tqdm Progress on:train ${step}.00it/100.0it rate:1.0it/s remaining:? elapsed:00:01 postfix:loss=2\n`;

/**
 * Observes every 570 s the lines added since, records each observation, and returns the degraded incidents.
 */
function watching(): {
  readonly look: (added: string, seen?: JobObservation, unread?: string) => readonly unknown[];
  readonly standstill: () => Standstill | undefined;
} {
  let run = aRun().gated().approved(bob).ordered().submitted();
  let at = NOON;
  return {
    look: (added, seen = foundJob('RUNNING'), unread) => {
      at = addMs(at, 570_000);
      const { facts } = restoreLogFacts(run.state);
      const look = buildPoll({
        at,
        job: seen,
        log: readLogText(facts, added),
        logUnread: unread ?? null,
        lease: { holder: 'watch-1', fence: 1, until: toRfc3339(addMs(at, 700_000)) },
      });
      const events = buildEvents(run.state, look);
      for (const event of events) {
        if (event.type === 'observed') run = run.observed(event.data);
        if (event.type === 'incident') run = run.incident(event.data.code, event.data.detail);
      }
      return events.flatMap((event) =>
        event.type === 'incident' && event.data.code === 'run-degraded' ? [event.data.detail] : [],
      );
    },
    standstill: () => run.state.observation?.standstill,
  };
}

const submitted = aRun().gated().approved(bob).ordered().submitted();
/** The incidents of one observation of this line. */
const told = (state: RunState, line: string): readonly object[] =>
  buildEvents(
    state,
    buildPoll({ at: addMs(NOON, 120_000), log: readLogText(restoreLogFacts(state).facts, `${line}\n`) }),
  ).flatMap((event) => (event.type === 'incident' ? [event.data.detail] : []));

describe('a run without progress', () => {
  // rule ML-21
  it('is reported as degraded once per standstill, while its log mentions dead nodes', () => {
    const { look, standstill } = watching();
    expect(look(stepLine(5))).toEqual([]);
    expect(look(stepLine(6) + OWNER_DIED)).toEqual([]);
    expect(look('still here\n')).toEqual([]);
    expect(standstill()).toMatchObject({ observations: 1 });
    const since = standstill()?.since;
    expect(look(stepLine(6))).toEqual([{ since, observations: '2', step: '6', signatures: 'owner-died' }]);
    expect(look('')).toEqual([]);
    expect(look(stepLine(7))).toEqual([]);
    expect(standstill()).toBeUndefined();
    expect(look('')).toEqual([]);
    const later = standstill()?.since ?? '';
    expect(later > (since ?? '')).toBe(true);
    expect(look('')).toMatchObject([{ step: '7', since: later }]);
  });

  it('is reported as degraded before its first step too, when resources are missing', () => {
    const { look } = watching();
    expect(look('unsatisfied autoscaler demand: tier_blocked: v5p-8\n')).toEqual([]);
    expect(look('')).toEqual([]);
    expect(look('')).toMatchObject([{ step: 'none', signatures: 'autoscaler-demand' }]);
  });

  it('is not reported while its log mentions no cluster problem', () => {
    const { look, standstill } = watching();
    for (const added of [stepLine(5), "KeyError: 'x'\n", 'an eval that takes an hour\n', '', ''])
      expect(look(added)).toEqual([]);
    expect(standstill()).toMatchObject({ observations: 4 });
  });

  it('is judged only by observations that succeeded', () => {
    const { look, standstill } = watching();
    look(stepLine(5) + OWNER_DIED);
    const away: JobObservation = { kind: 'unknown', message: 'no answer' };
    expect([look('', away), look('', away), look('', away)].flat()).toEqual([]);
    expect(standstill()).toBeUndefined();
    expect(look('')).toEqual([]);
    expect(look('')).toEqual([]);
    expect(standstill()).toMatchObject({ observations: 1 });
    // A failed observation neither extends nor ends the standstill.
    expect(look('', foundJob('RUNNING'), 'the log comes too slowly')).toEqual([]);
    expect(look('', away)).toEqual([]);
    expect(standstill()).toMatchObject({ observations: 1 });
    expect(look('')).toMatchObject([{ observations: '2' }]);
  });

  it('is not degraded any more once its engine reports the end', () => {
    const { look, standstill } = watching();
    look(OWNER_DIED);
    look('');
    expect(standstill()).toMatchObject({ observations: 1 });
    expect(look('', foundJob('FAILED'))).toEqual([]);
  });
});

describe('a failure in the log', () => {
  it.each([
    ['the whole cluster', OWNER_DIED.trimEnd(), 'owner-died'],
    ['a quota', "Quota 'TPUV5sPodPerProjectPerZoneForTPUAPI' exceeded. Limit: 8", 'quota-exceeded'],
    ['the memory of the accelerator', 'Program hbm requirement 55.24G:', 'hbm-requirement'],
    ['the memory of the host', 'std::bad_alloc', 'bad-alloc'],
  ])('is reported to people in the first observation that shows it, if it concerns %s', (_, line, signature) => {
    expect(told(submitted.state, line)).toMatchObject([{ signature }]);
  });

  it('is marked as repeated if an earlier attempt had it, and a new one is not', () => {
    const detail = { signature: 'hbm-requirement', class: 'oom-hbm', response: 'escalate', line: 'x' };
    const again = {
      ...submitted.incident('failure-signature', detail).state,
      submission: submitted.state.submission === null ? null : { ...submitted.state.submission, attempt: 2 },
    };
    const [first, second] = [told(again, 'Program hbm requirement 55.24G:'), told(again, 'std::bad_alloc')];
    expect(first).toMatchObject([{ signature: 'hbm-requirement', again: 'yes', attempt: 2 }]);
    expect(second).toMatchObject([{ signature: 'bad-alloc', attempt: 2 }]);
    expect(second[0]).not.toHaveProperty('again');
  });

  it('of memory, machines, storage or code is escalated, never a small fix', () => {
    const never: readonly FailureClass[] = ['oom-hbm', 'oom-host', 'infra-cluster', 'storage', 'code-other'];
    for (const kind of never) {
      expect(SIGNATURES.some((row) => row.class === kind)).toBe(true);
      expect(FIRST_RESPONSE[kind]).toBe('escalate');
    }
    expect(SIGNATURES.map(({ class: kind }) => kind)).not.toContain('code-small');
  });
});

it('requires at least two observations for a standstill', () => {
  expect(STANDSTILL_OBSERVATIONS_MIN).toBeGreaterThanOrEqual(2);
});
