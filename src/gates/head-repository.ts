/** Gate: what would run lies in this repository; a fork's commit is never shipped to a runner that holds credentials. */

import { type Gate, given, judging } from './gate.ts';

const { block, pass } = judging('head-repository');

export const headRepository: Gate = {
  id: 'head-repository',
  evaluate: ({ pull, repository }) =>
    given(pull, (value) =>
      value.headRepository === repository
        ? pass('same-repository')
        : block('fork', 'author', { found: value.headRepository ?? 'a deleted fork', wanted: repository }),
    ),
};
