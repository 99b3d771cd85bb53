/** When a stop workflow is dispatched: somebody has given /stop, and no watch is seen to be alive. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { notAsked } from '../../src/domain/need.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideStop } from '../../src/run/decide-stop.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../../src/run/step.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aWorkflowRun, instant, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, memory, told } from './parts.ts';

const submitted = gatedOn().approved(bob).ordered().submitted();
const watched = submitted.observed();
const asked = watched.stopRequested(alice);
const past = (run: RunBuilder, ms: number): Instant =>
  instant(new Date(Date.parse(run.state.stop?.at ?? run.state.head.at) + ms).toISOString());

const ALIVE = { ...aWorkflowRun('ferrybot watch local'), status: 'in_progress' as const };
const stop = (
  run: RunBuilder,
  facts: Partial<RunFacts>,
  ms = 1_000,
  own: AttemptCache = NO_ATTEMPTS,
): string => told(decideStop(run.state, someFacts(facts), CONFIG, past(run, ms), own));
const UNREAD = { watchRuns: notAsked(), stopRuns: notAsked() };
const DISPATCH = 'dispatch-workflow stop';

describe('a stop', () => {
  it('is left to a watch that is alive: it looks every 30 s', () => {
    expect(stop(asked, { watchRuns: known([ALIVE]) })).toBe('nothing');
    expect(stop(asked, { watchRuns: known([ALIVE]) }, 34_000)).toBe('nothing');
    expect(stop(asked.observed(), { watchRuns: known([]) }, 90_000)).toBe('nothing');
  });

  it('is dispatched where no watch is seen', () => {
    expect(stop(asked, { watchRuns: known([]) })).toBe(DISPATCH);
    expect(stop(asked, { watchRuns: known([{ ...ALIVE, status: 'completed' }]) })).toBe(DISPATCH);
    expect(stop(asked, { watchRuns: known([{ ...ALIVE, status: 'queued' }]) })).toBe(DISPATCH);
    expect(stop(asked, { watchRuns: known([{ ...ALIVE, title: 'ferrybot watch elsewhere' }]) })).toBe(
      DISPATCH,
    );
    // `local-big` is another cluster.
    expect(stop(asked, { watchRuns: known([{ ...ALIVE, title: 'ferrybot watch local-big' }]) })).toBe(
      DISPATCH,
    );
    expect(stop(submitted.stopRequested(alice), { watchRuns: known([ALIVE]) })).toBe(DISPATCH);
  });

  it('is dispatched where a watch that should have looked has not, or nobody can tell', () => {
    expect(stop(asked, { watchRuns: known([ALIVE]) }, 35_000)).toBe(DISPATCH);
    expect(stop(asked, { watchRuns: unknown('away'), stopRuns: unknown('away') })).toBe(DISPATCH);
  });

  it('is not dispatched beside one on its way, and not for ever', () => {
    const facts = (...runs: { status: 'completed' | 'queued'; ms: number }[]): Partial<RunFacts> => ({
      stopRuns: known(
        runs.map(({ status, ms }) => ({
          ...aWorkflowRun(`ferrybot stop ${asked.state.run}`),
          status,
          createdAt: past(asked, ms),
        })),
      ),
    });
    // The second run of a day has the first one's name and more.
    const others = { ...aWorkflowRun(`ferrybot stop ${asked.state.run}-2`), status: 'queued' as const };
    expect(stop(asked, { stopRuns: known([{ ...others, createdAt: past(asked, 0) }]) })).toBe(DISPATCH);
    const late = 12 * 60_000;
    expect(stop(asked, facts({ status: 'queued', ms: 0 }))).toBe('nothing');
    expect(stop(asked, facts({ status: 'completed', ms: 0 }), 60_000)).toBe('nothing');
    expect(stop(asked, facts({ status: 'completed', ms: 0 }), late)).toBe(DISPATCH);
    expect(stop(asked, facts({ status: 'completed', ms: -60_000 }))).toBe(DISPATCH);
    const three = [0, 1, 2].map((ms) => ({ status: 'completed' as const, ms }));
    expect(stop(asked, facts(...three), late)).toBe('nothing');
  });

  it('is dispatched once by a process', () => {
    const key = `stop:${asked.state.run}:0`;
    const done = memory({ outcomes: new Map([[key, { kind: 'done', number: 1 }]]) });
    expect(stop(asked, {}, 1_000, done)).toBe('nothing');
    expect(stop(asked, UNREAD, 1_000, done)).toBe('nothing');
  });

  it('asks for what GitHub lists where that decides, and for no more', () => {
    expect(stop(asked, UNREAD, 1_000)).toBe('need watchRuns');
    expect(stop(asked, { ...UNREAD, watchRuns: known([]) }, 1_000)).toBe('need stopRuns');
    // Too late for a watch to be given the benefit of the doubt.
    expect(stop(asked, UNREAD, 35_000)).toBe('need stopRuns');
    expect(stop(asked.observed(), UNREAD, 90_000)).toBe('nothing');
  });

  it('is nothing where nobody asked, where there is no job, and after its end', () => {
    const ordered = gatedOn().approved(bob).ordered();
    for (const run of [watched, ordered.stopRequested(alice), asked.ended()]) {
      expect(stop(run, {})).toBe('nothing');
      expect(stop(run, UNREAD)).toBe('nothing');
    }
  });
});
