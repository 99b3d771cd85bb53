/** The default branch as a workflow run is told it, or not. */

import { expect, it } from 'vitest';
import { defaultBranchOf } from '../../src/app/action/default-branch.ts';

it('is what the event says, also where the run stands on another branch', () => {
  const payload = { repository: { default_branch: 'trunk' } };
  expect(defaultBranchOf({ name: 'issue_comment', payload, ref: 'refs/heads/main' })).toBe('trunk');
});

it('is the branch of a schedule, which names no repository and runs nowhere else', () => {
  const event = { name: 'schedule', payload: { schedule: '17 6 * * *' }, ref: 'refs/heads/lab/trunk' };
  expect(defaultBranchOf(event)).toBe('lab/trunk');
});

it.each([
  ['an event that cannot be read', 'workflow_dispatch', null, 'refs/heads/mine'],
  ['an event without a repository', 'push', {}, 'refs/heads/mine'],
  ['an empty name', 'push', { repository: { default_branch: '' } }, 'refs/heads/mine'],
  ['a schedule on no branch', 'schedule', {}, 'refs/tags/main'],
  ['a schedule without a ref', 'schedule', null, ''],
])('is not guessed for %s', (_, name, payload, ref) => {
  expect(() => defaultBranchOf({ name, payload, ref })).toThrow('does not say');
});
