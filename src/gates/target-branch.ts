/** Gate: the pull request is open and goes to the lane's branch (policy/daily-ferry.md, PR to main). */

import { block, type Gate, given, pass } from './gate.ts';

export const targetBranch: Gate = {
  id: 'target-branch',
  evaluate: ({ pull, policy }) =>
    given(pull, (value) => {
      if (value.state !== 'open')
        return block(value.merged ? 'merged' : 'closed', 'author', { pull: value.number });
      if (value.baseBranch === policy.targetBranch)
        return pass('targets-branch', { branch: value.baseBranch });
      return block('wrong-branch', 'author', { found: value.baseBranch, wanted: policy.targetBranch });
    }),
};
