/** Gate: the ferry issue is open, labelled, links the pull request where there is one, and was updated after the last change (policy DF-33). */

import { isIssueFirst } from '../domain/issue-first.ts';
import { hasLabel } from '../domain/own-pull.ts';
import { toRfc3339 } from '../domain/time.ts';
import { type ChangeGateFacts, type Gate, given, type Judgement, judging } from './gate.ts';

const { block, pass } = judging('issue-updated');

export const issueUpdated: Gate = {
  id: 'issue-updated',
  evaluate: (facts) =>
    given(facts.issue, (value) => {
      const issue = value.number;
      const { pull } = facts.proposal;
      if (value.state !== 'open') return block('issue-closed', 'maintainer', { issue });
      if (!isLabelled(facts, value.labels)) return block('issue-unlabelled', 'maintainer', { issue });
      if (!isIssueFirst(facts.proposal) && !new RegExp(`(#|/pull/)${pull}(?!\\d)`).test(value.body))
        return block('issue-not-linked', 'author', { issue, pull });
      return afterTheChange(facts, issue);
    }),
};

/** The label, or the command, that asked for a run in this very issue says as much as `experiment`. */
function isLabelled({ proposal, contract }: ChangeGateFacts, labels: readonly string[]): boolean {
  if (hasLabel(labels, 'experiment')) return true;
  const { own } = proposal;
  if (!isIssueFirst(proposal) || own === undefined) return false;
  return own.label === null ? contract !== undefined : hasLabel(labels, own.label);
}

/** The last change is the newest commit of the proposal, by its committer's time. */
function afterTheChange({ change, issueToldAt }: ChangeGateFacts, issue: number): Judgement {
  return given(change, ({ headAt, headSha }) =>
    given(issueToldAt, (toldAt) =>
      // rule DF-33
      toldAt >= headAt
        ? pass('updated', { issue })
        : block('issue-older', 'author', {
            issue,
            commit: headSha.slice(0, 12),
            changedAt: toRfc3339(headAt),
            toldAt: toRfc3339(toldAt),
          }),
    ),
  );
}
