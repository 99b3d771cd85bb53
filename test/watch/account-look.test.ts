/** When a watch is started for the sake of an account alone. */

import { expect, it } from 'vitest';
import type { WorkflowRunFacts } from '../../src/domain/facts.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { judgeAccountLook } from '../../src/watch/account-look.ts';
import { aWorkflowRun } from '../support/run-facts.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21, 12) as Instant;

const watchRun = (
  hoursAgo: number,
  status: WorkflowRunFacts['status'],
  conclusion: string | null,
  title = 'ferrybot watch rented',
): WorkflowRunFacts => ({
  ...aWorkflowRun(title, { status, conclusion }),
  createdAt: (NOW - hoursAgo * HOUR) as Instant,
});
const judged = (...runs: readonly WorkflowRunFacts[]): string => judgeAccountLook('rented', known(runs), NOW);

it('an account at which nobody has looked for a day is owed a look', () => {
  expect(judged()).toBe('owed');
  expect(judged(watchRun(23, 'completed', 'success'))).toBe('owed');
  expect(judged(watchRun(23, 'queued', null))).toBe('owed');
  expect(judged(watchRun(1, 'completed', 'success', 'ferrybot watch rented-too'))).toBe('owed');
});

it('a watch that ended well, works or waits has looked, or will', () => {
  expect(judged(watchRun(21, 'completed', 'success'))).toBe('looked');
  expect(judged(watchRun(21, 'in_progress', null))).toBe('looked');
  expect(judged(watchRun(1, 'queued', null))).toBe('looked');
});

it('a watch that failed is followed by another one, and not at once', () => {
  expect(judged(watchRun(0.5, 'completed', 'failure'))).toBe('tried');
  expect(judged(watchRun(2, 'completed', 'failure'))).toBe('owed');
});

it('what GitHub does not tell starts nothing', () => {
  expect(judgeAccountLook('rented', unknown('GitHub is away'), NOW)).toBe('unknown');
});
