/** Gate: the pull request is open, no draft, and goes to the lane's branch (policy DF-23). */

import { isIssueFirst } from '../domain/issue-first.ts';
import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('target-branch');

export const targetBranch: Gate = {
  id: 'target-branch',
  evaluate: ({ pull, lane, proposal }) =>
    given(pull, (value) => {
      // A closed issue is told by the gate of the issue.
      if (value.state !== 'open' && !isIssueFirst(proposal))
        return block(value.merged ? 'merged' : 'closed', 'author', { pull: value.number });
      if (value.isDraft) return block('draft', 'author', { pull: value.number });
      if (value.baseBranch === lane.targetBranch) return pass('targets-branch', { branch: value.baseBranch });
      // rule DF-23
      return block('wrong-branch', 'author', { found: value.baseBranch, wanted: lane.targetBranch });
    }),
  readsSettings: true,
};
