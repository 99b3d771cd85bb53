/** What a run holds in the world decides whether it is live, wherever that is asked: also after its job has ended. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Holding, holdingsOf } from '../../src/domain/logbook/holdings.ts';
import { isLive, watchedClusters } from '../../src/domain/logbook/liveness.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { illegalAfter } from '../../src/domain/logbook/transition.ts';
import { known } from '../../src/domain/observed.ts';
import { after } from '../../src/domain/time.ts';
import { needsWatch } from '../../src/run/decide-watch.ts';
import { laneStanding } from '../../src/run/lane-standing.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import { monitorHealth } from '../../src/watch/watchdog.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { aComment, instant, NOON, someFacts } from '../support/run-facts.ts';
import { gatesOn, heardAtNoon } from './parts.ts';

/** Stands for a machine that bills on: no kind of run has one yet, so it is put where a kind would tell of it. */
const machine = vi.hoisted(() => ({ of: '' }));
vi.mock('../../src/domain/logbook/holdings.ts', async (original) => {
  const whole = await original<typeof import('../../src/domain/logbook/holdings.ts')>();
  const held: Holding = { kind: 'job', cluster: 'us-central1', jobId: 'instance-1' };
  return {
    ...whole,
    holdingsOf: (state: RunState): readonly Holding[] =>
      state.run === machine.of ? [...whole.holdingsOf(state), held] : whole.holdingsOf(state),
  };
});
afterEach(() => {
  machine.of = '';
});

const ordered = aRun().gated().approved(bob).ordered();
const claimed = ordered.claimed();
const submitted = ordered.submitted();
const ended = submitted.observed().ended();
const other = aRun({ run: 'ferry-daily-20261120' })
  .gated()
  .approved(bob)
  .ordered()
  .submitted()
  .observed()
  .ended();
const givenUp = submitted.observed({ status: 'UNKNOWN' }).add({
  type: 'closed',
  role: 'control',
  actor: bob,
  data: { outcome: 'lost', reason: 'the head is gone', closurePull: 20 },
});
const LATER = after(NOON, 24 * 3_600_000);

describe('what a ferry holds', () => {
  it.each([
    ['nothing while it is proposed and approved', aRun().gated().approved(bob), [], false],
    ['nothing while its order is open, which keeps its lane all the same', ordered, [], true],
    ['perhaps a job, from the claim on', claimed, ['launch'], true],
    ['its job, from the submission on', submitted, ['job'], true],
    ['its job while nobody sees it', submitted.observed({ status: 'UNKNOWN' }), ['job'], true],
    ['nothing once the job was seen to have ended', ended, [], false],
    ['nothing once it is sealed', ended.sealed(bob), [], false],
    ['nothing where a person gave it up', givenUp, [], false],
  ] as const)('is %s', (_, { state }, kinds, live) => {
    expect(holdingsOf(state).map(({ kind }) => kind)).toEqual(kinds);
    expect(isLive(state)).toBe(live);
    expect(watchedClusters(state)).toHaveLength(kinds.some((kind) => kind === 'job') ? 1 : 0);
  });
});

describe('a run that holds something after its job has ended', () => {
  const { run } = other.state;
  const laneFree = (): string | undefined =>
    gatesOn(aRun().gated().state, someFacts({ recordedRuns: known([other.state]) })).verdicts.find(
      ({ gate }) => gate === 'lane-free',
    )?.outcome;

  it('keeps its lane, so that nothing is launched beside it', () => {
    expect(laneFree()).toBe('pass');
    machine.of = run;
    expect(isLive(other.state)).toBe(true);
    expect(laneFree()).toBe('fail');
  });

  it('is in the way of a proposal even where it was sealed', () => {
    const sealed = other.sealed(bob).state;
    expect(laneStanding([sealed], null).kind).toBe('free');
    machine.of = run;
    expect(laneStanding([sealed], null)).toMatchObject({ kind: 'busy', run: { run } });
  });

  it('is watched, and its watch is missed', () => {
    const health = () =>
      monitorHealth(other.state, { ...USUAL_CADENCE, startupMs: 1, pollMs: 1 }, LATER).kind;
    expect([needsWatch(other.state, LATER), health()]).toEqual([false, 'none']);
    machine.of = run;
    expect([needsWatch(other.state, LATER), health()]).toEqual([true, 'stale']);
  });

  it('is neither sealed nor closed, by its record or by a command', () => {
    const seal = other.sealed(bob).events.at(-1);
    const close = other.closed().events.at(-1);
    if (seal === undefined || close === undefined) throw new Error('both have an event');
    const codes = (): readonly string[] =>
      ['/seal accept="it counts"', '/ack', '/ack reject="no"'].map((text, index) => {
        const heard = heardAtNoon(ended, [
          aComment(bob, text, { id: index + 1, createdAt: instant('2026-11-21T11:59:00.000Z') }),
        ]);
        return heard.kind === 'step' && heard.step.kind === 'append'
          ? heard.step.drafts.map(({ type, data }) => ('code' in data ? String(data.code) : type)).join(' ')
          : heard.kind;
      });
    expect([illegalAfter(other.state, seal), illegalAfter(other.state, close)]).toEqual([null, null]);
    expect(codes()).toEqual(['command-seen', 'command-seen acknowledged', 'command-seen']);
    machine.of = run;
    expect(illegalAfter(other.state, seal)).toBe('sealed while the run holds something');
    expect(illegalAfter(other.state, close)).toBe('closed while the job runs');
    machine.of = ended.state.run;
    expect(codes()).toEqual([
      'command-seen seal-not-ended',
      'command-seen acknowledged-nothing',
      'command-seen acknowledged-nothing',
    ]);
  });
});
