/** Gates over a proposal: its branch, its authors, its age, its checks, its checklist and its issue. */

import { hasLabel, isIssueFirst } from '../domain/actor.ts';
import type { ChangeFacts, CheckFacts } from '../domain/facts.ts';
import type { Facts } from '../domain/incidents.ts';
import type { Verdicts } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { toRfc3339 } from '../domain/values.ts';
import { type ChangeGateFacts, defineGate, type GateFacts, given } from './gate.ts';

/** The pull request is open, not a draft, and targets the lane's branch (policy DF-23). */
export const targetBranch = defineGate(
  'target-branch',
  ({ pull, lane, proposal }, { block, pass }) =>
    given(pull, (value) => {
      // `issueUpdated` reports a closed issue.
      if (value.state !== 'open' && !isIssueFirst(proposal)) return block('closed', 'author');
      if (value.isDraft) return block('draft', 'author');
      if (value.baseBranch === lane.targetBranch) return pass('targets-branch', { branch: value.baseBranch });
      // rule DF-23
      return block('wrong-branch', 'author', { found: value.baseBranch, wanted: lane.targetBranch });
    }),
  { readsSettings: true },
);

/** The head commit is in this repository. ferrybot never ships a fork's commit to a runner that holds credentials. */
export const headRepository = defineGate('head-repository', ({ pull, repository }, { block, pass }) =>
  given(pull, (value) =>
    value.headRepository === repository
      ? pass('same-repository')
      : block('fork', 'author', { found: value.headRepository ?? 'a deleted fork', wanted: repository }),
  ),
);

/** Every author of the proposal is known, so that no author can approve their own work unnoticed. */
export const authorsKnown = defineGate('authors-known', ({ authors, onePersonIsEnough }, { block, pass }) => {
  if (onePersonIsEnough) return pass('one-person');
  return given(authors, ({ people, unnamed }) => {
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
export const freshness = defineGate(
  'freshness',
  ({ change, lane, now }, { block, pass, warn }) =>
    given(change, (value) => {
      const found = foundIn(value, lane.freshnessHours);
      const branch = lane.targetBranch;
      if (value.mergeBase === value.baseSha) return pass('fresh', found);
      if (now - value.mergeBaseAt > lane.freshnessHours * MS_PER_HOUR)
        return block('stale', 'author', { ...found, branch });
      return given(value.isPastTip, (isPastTip) => {
        if (!isPastTip)
          return block('no-past-tip', 'author', { base: found.base, branch, moves: limits.branchMovesRead });
        return value.laterCommits.length === 0 ? pass('fresh', found) : warn('fresh', 'author', found);
      });
    }),
  { readsSettings: true },
);

/** The facts leave out the age: it differs at every evaluation, and an unchanged verdict must be recorded only once. */
function foundIn(change: ChangeFacts, hoursMax: number): Facts<Verdicts['freshness']['fresh']> {
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
export const checksGreen = defineGate(
  'checks-green',
  ({ checks, lane }, { block, pass }) =>
    given(checks, (all) => {
      const wanted = wantedOf(all, lane);
      const those = (state: CheckFacts['state']) => {
        const found = wanted.filter((check) => check.state === state);
        return { first: found[0], count: found.length };
      };
      const { first: failed, count: failures } = those('failed');
      if (failed !== undefined)
        return block('failed', 'author', { check: nameOf(failed), says: failed.says, count: failures });
      const { first: waiting, count } = those('awaits-approval');
      if (waiting !== undefined) return block('awaits-approval', 'maintainer', { workflow: nameOf(waiting), count });
      const missing = missingChecks(lane.requiredChecks, all);
      if (missing[0] !== undefined) return block('missing', 'author', { check: missing[0], count: missing.length });
      const { first: running, count: unfinished } = those('running');
      if (running !== undefined)
        return block('running', 'time', { check: nameOf(running), says: running.says, count: unfinished });
      return pass('green', { checks: wanted.length });
    }),
  { readsSettings: true },
);

/** The checks that count: all except ferrybot's own, or those that the config names. */
function wantedOf(all: readonly CheckFacts[], { requiredChecks }: GateFacts['lane']): readonly CheckFacts[] {
  const others = all.filter((check) => !check.ours);
  if (requiredChecks === 'all') return others;
  // A workflow that waits for approval has no jobs yet. It may contain the named check, so it counts.
  return others.filter((check) => check.state === 'awaits-approval' || isNamed(check, requiredChecks));
}

function missingChecks(required: GateFacts['lane']['requiredChecks'], all: readonly CheckFacts[]): readonly string[] {
  if (required === 'all') return [];
  return required.filter((name) => !all.some((check) => !check.ours && isNamed(check, [name])));
}

/** Matches the check's own name, or `workflow / name`, as GitHub shows it. */
function isNamed(check: CheckFacts, names: readonly string[]): boolean {
  return names.includes(check.name) || names.includes(nameOf(check));
}

function nameOf({ name, workflow }: CheckFacts): string {
  return workflow === null || workflow === name ? name : `${workflow} / ${name}`;
}

/** The run name contains its date, so that its results are not confused with another day's (policy DF-14). */
// Compares both the proposed name and the name that would be launched: the config may have changed in between.
export const runNameDated = defineGate(
  'run-name-dated',
  ({ proposal, lane, manifest }, { block, pass }) =>
    given(manifest, ({ runName }) => {
      const wanted = lane.runName.replaceAll('{date}', proposal.date);
      const found = proposal.runName === wanted ? runName : proposal.runName;
      // rule DF-14
      return found === wanted ? pass('dated', { runName: wanted }) : block('wrong-name', 'lab', { found, wanted });
    }),
  { readsSettings: true },
);

/** Every required checklist box exists and is ticked. ferrybot itself ticks the boxes of outcomes. */
export const preconditions = defineGate(
  'preconditions',
  ({ body, lane }, { block, pass }) =>
    given(body, ({ boxes }) => {
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
export const issueUpdated = defineGate('issue-updated', (facts, { block, pass }) =>
  given(facts.issue, ({ number: issue, state, labels, body }) => {
    const { pull } = facts.proposal;
    if (state !== 'open') return block('issue-closed', 'maintainer', { issue });
    if (!isLabelled(facts, labels)) return block('issue-unlabelled', 'maintainer', { issue });
    if (!isIssueFirst(facts.proposal) && !new RegExp(`(#|/pull/)${pull}(?!\\d)`).test(body))
      return block('issue-not-linked', 'author', { issue, pull });
    // The last change is the newest commit of the proposal, by its committer date.
    return given(facts.change, ({ headAt, headSha }) =>
      given(facts.issueToldAt, (toldAt) => {
        // rule DF-33
        if (toldAt >= headAt) return pass('updated', { issue });
        const [changedAt, told] = [toRfc3339(headAt), toRfc3339(toldAt)];
        return block('issue-older', 'author', {
          issue,
          commit: headSha.slice(0, 12),
          changedAt,
          toldAt: told,
        });
      }),
    );
  }),
);

/** In an issue-first run, the label or command that asked for the run replaces the label `experiment`. */
function isLabelled({ proposal, contract }: ChangeGateFacts, labels: readonly string[]): boolean {
  if (hasLabel(labels, 'experiment')) return true;
  const { own } = proposal;
  if (!isIssueFirst(proposal) || own === undefined) return false;
  return own.label === null ? contract !== undefined : hasLabel(labels, own.label);
}
