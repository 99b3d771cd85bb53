/** When a watch workflow is dispatched: a job runs, and no watch that control started for its cluster waits or works. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideAccountLook, decideWatch } from '../../src/run/decide-watch.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { aWorkflowRun, instant, NOON, seenRuns, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, told } from './parts.ts';

const submitted = gatedOn().approved(bob).ordered().submitted();
const watched = submitted.observed();
const afterHead = (run: RunBuilder, ms: number): Instant =>
  instant(new Date(Date.parse(run.state.head.at) + ms).toISOString());
const watch = (run: RunBuilder, facts: Partial<RunFacts> = {}, now = afterHead(run, 61_000)): string =>
  told(decideWatch(run.state, someFacts(facts), CONFIG, now, NO_ATTEMPTS));
const seen = (status: 'queued' | 'in_progress' | 'completed') => seenRuns(aWorkflowRun({ status }));
const STARTED = 'dispatch-workflow watch';

describe('a watch', () => {
  it('is started for a live job without a running lease', () => {
    expect(watch(submitted)).toBe(STARTED);
    expect(watch(watched, {}, afterHead(watched, 0))).toBe('nothing');
    expect(watch(watched, {}, NOON)).toBe(STARTED);
    expect(watch(watched.ended())).toBe('nothing');
    expect(watch(gatedOn().approved(bob).ordered())).toBe('nothing');
  });

  it('is not started beside one of ours that waits or works, and is started once that is over', () => {
    const sent = submitted.dispatched('watch', 'local');
    expect(watch(sent)).toBe('need workflowRuns of 77');
    expect(watch(sent, seen('queued'))).toBe('nothing');
    expect(watch(sent, seen('in_progress'))).toBe('nothing');
    expect(watch(sent, { workflowRuns: new Map([[77, unknown('away')]]) })).toBe('nothing');
    expect(watch(sent, seen('completed'))).toBe(STARTED);
  });

  it('is started beside one of another cluster', () => {
    expect(watch(submitted.dispatched('watch', 'local-big'), seen('queued'))).toBe(STARTED);
  });

  it('is shared by the runs of a cluster', () => {
    const other = aRun({ run: 'ferry-daily-20261120' }).dispatched('watch', 'local').state;
    const shared = { recordedRuns: known([submitted.state, other]) };
    expect(watch(submitted, { ...shared, ...seen('in_progress') })).toBe('nothing');
    expect(watch(submitted, { ...shared, ...seen('completed') })).toBe(STARTED);
  });

  it('is started for a job at once where the last one was over before the job began, and not beside one that just was', () => {
    const before = gatedOn().approved(bob).ordered().dispatched('watch', 'local').submitted();
    expect(watch(before, seen('completed'), afterHead(before, 0))).toBe(STARTED);
    const since = submitted.dispatched('watch', 'local');
    expect(watch(since, seen('completed'), afterHead(since, 20_000))).toBe('nothing');
  });
});

describe('a look at the account of a cluster that rents', () => {
  const HOUR = 3_600_000;
  const look = (
    hoursAgo: number | null,
    change: Parameters<typeof aWorkflowRun>[0] | null,
    subject = 'local',
  ) => {
    const at = new Date(NOON - (hoursAgo ?? 0) * HOUR).toISOString();
    const dispatches =
      hoursAgo === null ? [] : [{ workflow: 'watch', subject, workflowRun: 77, at, seq: 1 } as const];
    const workflowRuns = new Map(change === null ? [] : [[77, known(aWorkflowRun(change))] as const]);
    return told(
      decideAccountLook('local', CONFIG, { dispatches, workflowRuns, now: NOON, memory: NO_ATTEMPTS }),
    );
  };
  const success = { status: 'completed', conclusion: 'success' } as const;

  it('starts a watch where none was dispatched for the cluster within a day', () => {
    expect(look(null, null)).toBe(STARTED);
    expect(look(23, success)).toBe(STARTED);
    expect(look(2, success, 'local-big')).toBe(STARTED);
  });

  it('starts none while one of ours has succeeded, waits or works', () => {
    expect(look(21, null)).toBe('need workflowRuns of 77');
    expect(look(21, success)).toBe('nothing');
    expect(look(21, { status: 'in_progress' })).toBe('nothing');
    expect(look(2, { status: 'queued' })).toBe('nothing');
  });

  it('starts another one an hour after one that failed or was cancelled', () => {
    for (const conclusion of ['failure', 'cancelled']) {
      expect(look(0.5, { status: 'completed', conclusion })).toBe('nothing');
      expect(look(2, { status: 'completed', conclusion })).toBe(STARTED);
    }
  });
});
