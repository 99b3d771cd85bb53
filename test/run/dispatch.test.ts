/** A dispatch: its id is recorded, only that very run counts, and it is made again once that run is over. */

import { describe, expect, it } from 'vitest';
import type { Dispatch } from '../../src/domain/dispatch.ts';
import type { EffectOutcome } from '../../src/domain/effect.ts';
import { branded, type Instant, isInstant } from '../../src/domain/ids.ts';
import { limits } from '../../src/domain/limits.ts';
import { known, type Observed, unknown } from '../../src/domain/observed.ts';
import { decideMutations } from '../../src/run/decide-care.ts';
import { decideDispatch, dispatchKey } from '../../src/run/dispatch.ts';
import { at, record } from '../care/consent-parts.ts';
import { aWorkflowRun } from '../support/run-facts.ts';
import { CONFIG, memory, told } from './parts.ts';

const NOW = branded(at(10), isInstant);
const WANTED = {
  workflow: 'stop',
  subject: '12',
  file: 'stop.yml',
  ref: 'main',
  inputs: {},
  since: NOW,
  triesMax: null,
  overdueMs: null,
} as const;

const later = (ms: number): Instant => branded(NOW + ms, isInstant);
const sent = (ms: number, workflowRun = 77, change: Partial<Dispatch> = {}): Dispatch => ({
  workflow: 'stop',
  subject: '12',
  workflowRun,
  at: new Date(NOW + ms).toISOString(),
  seq: 20,
  ...change,
});

type Seen = Observed<ReturnType<typeof aWorkflowRun> | null>;
type Case = {
  readonly dispatches?: readonly Dispatch[];
  readonly run?: Seen;
  readonly outcome?: EffectOutcome;
  readonly ms?: number;
};

function decide({ dispatches = [], run, outcome, ms = 0 }: Case, change: object = {}): string {
  const wanted = { ...WANTED, ...change };
  const outcomes = outcome === undefined ? [] : [[dispatchKey(wanted, dispatches), outcome] as const];
  return told(
    decideDispatch(wanted, {
      dispatches,
      workflowRuns: new Map(run === undefined ? [] : [[77, run]]),
      now: later(ms),
      memory: memory({ outcomes: new Map(outcomes) }),
    }),
  );
}

const shown = (status: 'queued' | 'in_progress' | 'completed'): Seen => known(aWorkflowRun({ status }));
const MINUTE = 60_000;

describe('a dispatch', () => {
  it('is made where no run of ours is recorded, and its id is recorded', () => {
    expect(decide({})).toBe('dispatch-workflow stop');
    expect(decide({ outcome: { kind: 'done', number: 99 } })).toBe('dispatched');
    expect(decide({ dispatches: [sent(0, 77, { subject: '13' })] })).toBe('dispatch-workflow stop');
  });

  it('is made again where its answer was lost, because nobody knows the id', () => {
    expect(decide({ outcome: { kind: 'unknown', message: 'reset' } })).toBe('dispatch-workflow stop');
    expect(decide({ outcome: { kind: 'refused', code: '422', message: 'disabled' } })).toBe('nothing');
  });

  it('waits for its run by the id, whatever else GitHub shows', () => {
    const dispatches = [sent(0)];
    expect(decide({ dispatches, ms: MINUTE })).toBe('need workflowRuns of 77');
    for (const run of [shown('queued'), shown('in_progress'), unknown('GitHub is away')])
      expect(decide({ dispatches, run, ms: 30 * MINUTE })).toBe('nothing');
  });

  it('is made again once its run has ended, was cancelled or was deleted', () => {
    const dispatches = [sent(0)];
    const cancelled = known(aWorkflowRun({ status: 'completed', conclusion: 'cancelled' }));
    for (const run of [shown('completed'), cancelled, known(null)]) {
      expect(decide({ dispatches, run, ms: MINUTE - 1 })).toBe('nothing');
      expect(decide({ dispatches, run, ms: MINUTE })).toBe('dispatch-workflow stop');
    }
  });

  it('is made again ever more slowly, and no more often than it may', () => {
    const dispatches = [sent(0), sent(MINUTE), sent(3 * MINUTE)];
    const run = shown('completed');
    expect(decide({ dispatches, run, ms: 5 * MINUTE })).toBe('nothing');
    expect(decide({ dispatches, run, ms: 6 * MINUTE })).toBe('dispatch-workflow stop');
    expect(decide({ dispatches, run, ms: 60 * MINUTE }, { triesMax: 3 })).toBe('nothing');
    const many = Array.from({ length: 30 }, () => sent(0));
    expect(decide({ dispatches: many, run, ms: limits.redispatchPeriodMs })).toBe('dispatch-workflow stop');
    expect(decide({ dispatches: [sent(-1)], run, ms: 0 })).toBe('dispatch-workflow stop');
  });

  it('is made beside a run that is in progress for too long', () => {
    const dispatches = [sent(0)];
    const overdue = { overdueMs: 20 * MINUTE };
    expect(decide({ dispatches, run: shown('in_progress'), ms: 19 * MINUTE }, overdue)).toBe('nothing');
    expect(decide({ dispatches, run: shown('in_progress'), ms: 20 * MINUTE }, overdue)).toBe(
      'dispatch-workflow stop',
    );
    expect(decide({ dispatches, run: shown('queued'), ms: 20 * MINUTE }, overdue)).toBe('nothing');
  });
});

describe('the dispatch of a change of a cluster', () => {
  const one = record({ begun: null });
  const care = (dispatches: readonly Dispatch[], status: 'queued' | 'completed'): string =>
    told(
      decideMutations({
        record: 'journal',
        mutations: [one],
        incidents: [],
        dispatches,
        workflowRuns: new Map([[77, shown(status)]]),
        isHeld: false,
        config: CONFIG,
        ref: 'main',
        now: later(5 * MINUTE),
        memory: memory({}),
      }),
    );

  it('is made for each consent, and not beside a run of ours', () => {
    const own = sent(0, 77, { workflow: 'care', subject: one.digest });
    expect(care([], 'queued')).toBe('dispatch-workflow care');
    expect(care([own], 'queued')).toBe('nothing');
    expect(care([own], 'completed')).toBe('dispatch-workflow care');
  });
});
