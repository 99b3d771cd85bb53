/** Gates over a proposal: its branch, its authors, its age, its checks, its checklist and its issue. */

import { hasLabel, isIssueFirst } from '../domain/actor.ts';
import type { ChangeFacts, CheckFacts } from '../domain/facts.ts';
import type { Facts } from '../domain/incidents.ts';
import type { Verdicts } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { toRfc3339 } from '../domain/values.ts';
import { type ChangeGateFacts, defineGate, type GateFacts, ifKnown } from './gate.ts';

/** The pull request is open, not a draft, and targets the lane's branch (policy DF-23). */
export const targetBranchGate = defineGate(
  'target-branch',
  ({ pull, lane, proposal }, { block, pass }) =>
    ifKnown(pull, (value) => {
      // `issueUpdatedGate` reports a closed issue.
      if (value.state !== 'open' && !isIssueFirst(proposal)) return block('closed', 'author');
      if (value.isDraft) return block('draft', 'author');
      if (value.baseBranch === lane.targetBranch) return pass('targets-branch', { branch: value.baseBranch });
      // rule DF-23
      return block('wrong-branch', 'author', { found: value.baseBranch, wanted: lane.targetBranch });
    }),
  { readsSettings: true },
);

/** The head commit is in this repository. ferrybot never ships a fork's commit to a runner that holds credentials. */
export const headRepositoryGate = defineGate('head-repository', ({ pull, repository }, { block, pass }) =>
  ifKnown(pull, (value) =>
    value.headRepository === repository
      ? pass('same-repository')
      : block('fork', 'author', { found: value.headRepository ?? 'a deleted fork', wanted: repository }),
  ),
);

/** Every author of the proposal is known, so that no author can approve their own work unnoticed. */
export const authorsKnown = defineGate('authors-known', ({ authors, onePersonIsEnough }, { block, pass }) => {
  if (onePersonIsEnough) return pass('one-person');
  return ifKnown(authors, ({ people, unnamed }) => {
    const first = unnamed[0];
    if (first !== undefined)
      return block(first.code, 'author', { about: first.about, by: first.by, count: unnamed.length });
    const who = people.slice(0, limits.shownNamesMax).map(({ login }) => login);
    return pass('named', { who });
  });
});

const MS_PER_HOUR = 3_600_000;

/** The change is based on a recent commit of the target branch (docs/decisions/0125-evaluate-gates-on-current-facts.md). */
// A merge base at the branch's tip is fresh at any age: a rebase would change nothing.
export const freshnessGate = defineGate(
  'freshness',
  ({ change, lane, now }, { block, pass, warn }) =>
    ifKnown(change, (value) => {
      const found = freshnessFacts(value, lane.freshnessHours);
      const branch = lane.targetBranch;
      if (value.mergeBase === value.baseSha) return pass('fresh', found);
      if (now - value.mergeBaseAt > lane.freshnessHours * MS_PER_HOUR)
        return block('stale', 'author', { ...found, branch });
      return ifKnown(value.isPastTip, (isPastTip) => {
        if (!isPastTip)
          return block('no-past-tip', 'author', { base: found.base, branch, moves: limits.branchMovesRead });
        return value.laterCommits.length === 0 ? pass('fresh', found) : warn('fresh', 'author', found);
      });
    }),
  { readsSettings: true },
);

/** The facts leave out the age: it differs at every evaluation, and an unchanged verdict must be recorded only once. */
function freshnessFacts(change: ChangeFacts, hoursMax: number): Facts<Verdicts['freshness']['fresh']> {
  return {
    base: change.mergeBase.slice(0, 12),
    baseAt: toRfc3339(change.mergeBaseAt),
    hoursMax,
    later: change.laterCommits.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`),
  };
}

/**
 * The lab's checks on the head commit are green; ferrybot's own checks do not count (architecture, D4). The worst state comes first:
 * failures need the author, pending workflow approvals need a maintainer, running checks need time.
 */
export const checksGreenGate = defineGate(
  'checks-green',
  ({ checks, lane }, { block, pass }) =>
    ifKnown(checks, (all) => {
      const wanted = filterRequiredChecks(all, lane);
      const namesInState = (state: CheckFacts['state']) => {
        const found = wanted.filter((check) => check.state === state);
        return { first: found[0], count: found.length };
      };
      const { first: failed, count: failures } = namesInState('failed');
      if (failed !== undefined)
        return block('failed', 'author', { check: checkName(failed), says: failed.says, count: failures });
      const { first: waiting, count } = namesInState('awaits-approval');
      if (waiting !== undefined) return block('awaits-approval', 'maintainer', { workflow: checkName(waiting), count });
      const missing = listMissingChecks(lane.requiredChecks, all);
      if (missing[0] !== undefined) return block('missing', 'author', { check: missing[0], count: missing.length });
      const { first: running, count: unfinished } = namesInState('running');
      if (running !== undefined)
        return block('running', 'time', { check: checkName(running), says: running.says, count: unfinished });
      return pass('green', { checks: wanted.length });
    }),
  { readsSettings: true },
);

/** The checks that count: all except ferrybot's own, or those that the config names. */
function filterRequiredChecks(
  all: readonly CheckFacts[],
  { requiredChecks }: GateFacts['lane'],
): readonly CheckFacts[] {
  const others = all.filter((check) => !check.isOwn);
  if (requiredChecks === 'all') return others;
  // A workflow that waits for approval has no jobs yet. It may contain the named check, so it counts.
  return others.filter((check) => check.state === 'awaits-approval' || isCheckNamed(check, requiredChecks));
}

function listMissingChecks(
  required: GateFacts['lane']['requiredChecks'],
  all: readonly CheckFacts[],
): readonly string[] {
  if (required === 'all') return [];
  return required.filter((name) => !all.some((check) => !check.isOwn && isCheckNamed(check, [name])));
}

/** Matches the check's own name, or `workflow / name`, as GitHub shows it. */
function isCheckNamed(check: CheckFacts, names: readonly string[]): boolean {
  return names.includes(check.name) || names.includes(checkName(check));
}

function checkName({ name, workflow }: CheckFacts): string {
  return workflow === null || workflow === name ? name : `${workflow} / ${name}`;
}

/** The run name contains its date, so that its results are not confused with another day's (policy DF-14). */
// Compares both the proposed name and the name that would be launched: the config may have changed in between.
export const runNameDatedGate = defineGate(
  'run-name-dated',
  ({ proposal, lane, manifest }, { block, pass }) =>
    ifKnown(manifest, ({ runName }) => {
      const wanted = lane.runName.replaceAll('{date}', proposal.date);
      const found = proposal.runName === wanted ? runName : proposal.runName;
      // rule DF-14
      return found === wanted ? pass('dated', { runName: wanted }) : block('wrong-name', 'lab', { found, wanted });
    }),
  { readsSettings: true },
);

/** Every required checklist box exists and is ticked. ferrybot itself ticks the boxes of outcomes. */
export const preconditionsGate = defineGate(
  'preconditions',
  ({ body, lane }, { block, pass }) =>
    ifKnown(body, ({ boxes }) => {
      // rule DF-22
      for (const wanted of lane.checklist.preconditions) {
        const found = boxes.filter((box) => box.text === wanted);
        const [first] = found;
        if (first === undefined) return block('box-open', 'author', { box: wanted });
        // rule DF-19
        if (!found.every((box) => box.checked)) return block('box-open', 'author', { box: wanted, line: first.line });
      }
      return pass('ticked', { boxes: lane.checklist.preconditions.length });
    }),
  { readsSettings: true },
);

/** The ferry issue is open, labelled, links its pull request if there is one, and was updated after the last change (policy DF-33). */
export const issueUpdatedGate = defineGate('issue-updated', (facts, { block, pass }) =>
  ifKnown(facts.issue, ({ number: issue, state, labels, body }) => {
    const { pull } = facts.proposal;
    if (state !== 'open') return block('issue-closed', 'maintainer', { issue });
    if (!isIssueLabelled(facts, labels)) return block('issue-unlabelled', 'maintainer', { issue });
    if (!isIssueFirst(facts.proposal) && !new RegExp(`(#|/pull/)${pull}(?!\\d)`).test(body))
      return block('issue-not-linked', 'author', { issue, pull });
    // The last change is the newest commit of the proposal, by its committer date.
    return ifKnown(facts.change, ({ headAt, headSha }) =>
      ifKnown(facts.issueChangedAt, (toldAt) => {
        // rule DF-33
        if (toldAt >= headAt) return pass('updated', { issue });
        const [changedAt, told] = [toRfc3339(headAt), toRfc3339(toldAt)];
        return block('issue-older', 'author', { issue, commit: headSha.slice(0, 12), changedAt, toldAt: told });
      }),
    );
  }),
);

/** In an issue-first run, the label or command that asked for the run replaces the label `experiment`. */
function isIssueLabelled({ proposal, contract }: ChangeGateFacts, labels: readonly string[]): boolean {
  if (hasLabel(labels, 'experiment')) return true;
  const { own } = proposal;
  if (!isIssueFirst(proposal) || own === undefined) return false;
  return own.label === null ? contract !== undefined : hasLabel(labels, own.label);
}
