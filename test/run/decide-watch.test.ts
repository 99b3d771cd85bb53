/** When a watch workflow is dispatched: a job runs, and no watch that control started for its cluster waits or works. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideWatch } from '../../src/run/decide-watch.ts';
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
const seen = (status: 'queued' | 'in_progress' | 'completed') =>
  seenRuns(aWorkflowRun('any title', { status }));
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
