/** When a watch workflow is dispatched: a job runs, and no watch of its very cluster is on its way. */

import { describe, expect, it } from 'vitest';
import type { Instant } from '../../src/domain/ids.ts';
import { known } from '../../src/domain/observed.ts';
import { decideWatch } from '../../src/run/decide-watch.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import { bob } from '../support/run-drafts.ts';
import { aWorkflowRun, instant, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, told } from './parts.ts';

const { state } = gatedOn().approved(bob).ordered().submitted();
const asInstant = (ms: number): Instant => instant(new Date(ms).toISOString());
const watch = (...titles: readonly string[]): string => {
  const runs = titles.map((title) => ({ ...aWorkflowRun(title), status: 'in_progress' as const }));
  const now = instant(state.head.at);
  return told(decideWatch(state, someFacts({ watchRuns: known(runs) }), CONFIG, now, NO_ATTEMPTS));
};

describe('a watch', () => {
  it('is started where none is on its way', () => {
    expect(watch()).toBe('dispatch-workflow watch');
    expect(watch('ferrybot watch local')).toBe('nothing');
  });

  it('is started beside one of a cluster whose name has this one in it', () => {
    expect(watch('ferrybot watch local-big', 'ferrybot watch us-local')).toBe('dispatch-workflow watch');
    expect(watch('Watch (local)')).toBe('nothing');
  });

  it('is started for a job at once where the last one was over before the job began, and not beside one that just was', () => {
    const submittedAt = instant(state.submission?.at ?? '');
    const now = asInstant(submittedAt + 20_000);
    const decided = (createdMs: number): string => {
      const run = {
        ...aWorkflowRun('ferrybot watch local'),
        status: 'completed' as const,
        createdAt: asInstant(createdMs),
      };
      const facts = someFacts({ watchRuns: known([run]) });
      return told(decideWatch(state, facts, CONFIG, now, NO_ATTEMPTS));
    };
    expect(decided(submittedAt - 10_000)).toBe('dispatch-workflow watch');
    expect(decided(submittedAt + 1_000)).toBe('nothing');
  });
});
