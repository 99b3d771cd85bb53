/** Gate: the ferry issue is open, labelled and links this pull request before anything launches (policy/daily-ferry.md, validation). */

import { block, type Gate, given, pass } from './gate.ts';

export const issueUpdated: Gate = {
  id: 'issue-updated',
  evaluate: ({ issue, proposal }) =>
    given(issue, (value) => {
      if (value.state !== 'open') return block('issue-closed', 'maintainer', { issue: value.number });
      if (!value.labels.includes('experiment'))
        return block('issue-unlabelled', 'maintainer', { issue: value.number });
      const links = new RegExp(`(#|/pull/)${proposal.pull}(?!\\d)`).test(value.body);
      return links
        ? pass('linked', { issue: value.number })
        : block('issue-not-linked', 'author', { issue: value.number, pull: proposal.pull });
    }),
};
