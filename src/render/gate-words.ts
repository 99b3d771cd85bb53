/** What each gate's answer means: what was found, what to do about it, and who can. */

import { type Facts, readPayload, type Vocabulary } from '../domain/incidents.ts';
import { type GateId, isOrderRefusal, type OrderRefusal, VERDICTS, type Verdict } from '../domain/launch/verdict.ts';
import type { ApprovalFaultCode } from '../domain/logbook/events/launch-events.ts';
import { formatMoney } from '../domain/values.ts';
import { CONTRACT_SENTENCES } from './contract-words.ts';
import type { AllGateSentences, Words } from './input.ts';
import { RENTAL_SENTENCES } from './rental-words.ts';
import { code, format, holdText, joinAnd, type ThreadKind, unholdText } from './words.ts';

/** Why an approval does not count, for the card and for the comment about it. */
export const APPROVAL_FAULT_WORDS: Readonly<Record<ApprovalFaultCode, string>> = {
  'approval-invalid': 'its comment was edited, hidden or deleted, or it is a review of another commit',
  'approval-outdated': 'it is older than this lab allows',
  'approver-not-permitted': 'its author may no longer approve',
};

export const APPROVAL_SENTENCES = {
  'approver-allowed': {
    enough: (f) => `approved by ${joinAnd(f.who)}: ${f.count} of ${f.needed} people that its cost requires`,
    beforehand: (f) =>
      `approved by ${joinAnd(f.who)} with the manifest that failed: ${f.count} of ${f.needed} people that its cost requires`,
    'too-few': (f) => [
      `${f.count} of ${f.needed} people have approved${f.who.length > 0 ? `: ${joinAnd(f.who)}` : ''}`,
      `the card's \`/approve-launch\` line, commented by ${f.missing} more`,
    ],
    'not-counting': (f) => [
      `the approval of ${f.by} no longer counts: ${APPROVAL_FAULT_WORDS[f.why as ApprovalFaultCode] ?? f.why} (${f.count} of ${f.needed} people count)`,
      "an approver comments the card's `/approve-launch` line",
    ],
  },
  'manifest-unchanged': {
    'not-approved-yet': (f) => `nothing is approved yet; the manifest to approve is ${code(f.digest)}`,
    'as-approved': (f) => `the approved manifest ${code(f.digest)} is what would be launched`,
    'fix-beforehand': (f) =>
      `the approved manifest ${f.approved} permits a fix of this file, and the fix ${code(f.digest)} changes nothing else`,
    changed: (f) => [
      f.approved === f.digest
        ? `the text around manifest ${code(f.digest)} was edited after the approval`
        : `manifest ${f.approved} was approved, and the manifest is now ${code(f.digest)}`,
      'review the change, then approve again',
    ],
  },
} satisfies Partial<AllGateSentences>;

/** The sentence for a refusal. For a gate, its name is enough: the card shows why the gate does not pass. */
export function explainRefusal(reason: string): string {
  return isOrderRefusal(reason) ? WORDS[reason] : `${code(reason)} does not pass on the runner.`;
}

const WORDS: Readonly<Record<OrderRefusal, string>> = {
  'order-unknown': 'The logbook has no such order.',
  'order-void': 'The approvals of the order no longer counted.',
  'order-used': 'The order was carried out before.',
  'order-expired': 'The order had expired.',
  'other-repository': 'The order is for another repository.',
  'stop-requested': 'A stop was requested.',
  'approval-invalid':
    'The comment that the order cites is no approval of what would run: it is gone, hidden, edited, or by another person, it is in another thread, or it names another digest or commit. Approve what the card shows.',
  'approver-not-permitted':
    'The approver may not approve this: the permission is gone, or the change is their own. Another person who may approve is needed.',
  'too-few-approvals': 'There are fewer approvals than the lab requires.',
  'approval-outdated':
    'The approval is older than this lab allows, or older than what was shown: approve what is shown now.',
  'second-card':
    'A comment that ferrybot did not write showed the launch line like a card when the approval was given. Delete or hide that comment, then approve what the card shows.',
  'order-forged': 'The order contradicts itself or the record of its run.',
  'attempt-live':
    'The job of an earlier attempt or of an earlier run of this lane is still on the cluster, although the record has its end: stop the job, and find out who recorded the end.',
  'attempt-otherwise':
    "The cluster's result of an earlier attempt differs from the record: find out who recorded the end.",
  'fix-not-approved':
    'No approval covers this fix: the approved manifest does not allow it, or the commit is not the one that ferrybot would make. Read the difference, and approve what the card shows.',
  'relaunch-not-due': 'The record does not permit another attempt with the same manifest.',
  'pull-closed': "The run's pull request or issue is not open any more.",
  'wrong-origin': 'The launch was not started by a dispatch of the configured launch workflow on the default branch.',
  fork: 'The branch is in a fork.',
  'manifest-changed':
    'What would run is not what was approved: the branch, its base, the description or the manifest has changed.',
  'tree-differs': 'The files on the runner are not the approved files.',
  'secret-missing': 'The launcher lacks a secret that this lane passes to its jobs.',
  'no-state-directory': 'The launcher has no folder for the records of jobs.',
  'files-left-out': 'Some approved files would not reach the job.',
  'build-files-changed':
    'The change contains files that run during the submission, next to the credentials of the cluster.',
  held: 'There is a hold, or a person has commented a brake or rejected the checkpoint since the newest approval. Lift the hold if there is one, then approve again.',
  unreadable: 'A required check could not be read.',
};

const DELTA_SENTENCES = {
  'delta-readable': {
    countable: (f) => `knobs that change: ${f.knobs}`,
    structural: (f) => `line ${f.line} (${f.side}) changes more than a knob: ${f.statement}`,
    unparsable: (f) => [`line ${f.line} (${f.side}) is not valid Python: ${f.message}`, 'repair the file'],
  },
  'delta-declared': {
    declared: (f) => `the table matches the files (knobs: ${f.knobs})`,
    'no-table': () => [
      'the description has no before/after table',
      'add the table `Knob`, `Before`, `After` under *Config delta and rationale*',
    ],
    undeclared: (f) => [`the table does not declare the change of ${f.knob}`, `write the row ${f.row}`],
    unchanged: (f) => [`the table declares ${f.knob}, which does not change`, 'remove the row'],
  },
  budget: {
    within: (f) => `${f.knobs} of at most ${f.most} knobs${describeNewAgainst(f.against)}`,
    over: (f) => `${f.knobs} knobs change${describeNewAgainst(f.against)}, the lane's limit is ${f.most}`,
    'large-step': (f) => `${f.knob} changes in one step from ${f.before} to ${f.after}; a small step is ${f.small}`,
    'leaves-more': () =>
      'writing the old values back would not restore the file: a setting was added or removed, or other text changed',
  },
  'scale-stable': {
    unchanged: (f) =>
      f.flops === undefined
        ? 'the scale does not change'
        : `the scale does not change: ${f.parameters ?? ''} parameters, ${f.flops} model FLOPs of ${f.target ?? ''}`,
    'asked-for': (f) => `${f.knob} changes the scale, as ${f.by} requested`,
    'scale-changed': (f) => `${f.knob} changes the scale from ${f.before} to ${f.after}`,
    'not-computed': (f) => `the cost of the run in FLOPs cannot be computed: ${f.why}`,
    'off-target': (f) =>
      `the run would use ${f.flops} model FLOPs, ${f.percent} % from the lane's target of ${f.target} (at most ${f.tolerance} %)`,
  },
  'identical-rerun': {
    'something-changes': () => 'something changes',
    'declared-regression': () => 'an identical rerun, declared as a regression check',
    'identical-undeclared': (f) =>
      `nothing changes${describeNewAgainst(f.against)}, and no regression check is declared`,
  },
} satisfies Partial<AllGateSentences>;

/** The run that the change is compared with, if it is not the target branch. */
function describeNewAgainst(run: string | undefined): string {
  return run === undefined ? '' : ` against ${run}`;
}

/** Markdown for one verdict. `remedy` is null if nothing needs to be done. */
type GateWords = { readonly found: string; readonly remedy: string | null };

type Sentence = (facts: object, place: ThreadKind) => Words | string;

/** The words for a verdict. */
export function gateWords(verdict: Verdict, place: ThreadKind = 'pull request'): GateWords {
  const { gate, outcome, found: detail } = verdict;
  const vocabulary: Vocabulary = { ...VERDICTS[gate], ...UNREADABLE };
  const read = readPayload(vocabulary, { code: verdict.code, detail });
  if (read === null) return { found: code(verdict.code), remedy: null };
  // The table has one sentence per code, and each sentence gets the facts of its own code.
  const sentences = { ...SENTENCES[gate], unreadable: unreadableText } as Readonly<Record<string, Sentence>>;
  const words = sentences[read.code]?.(format(vocabulary[read.code] ?? {}, read.detail), place) ?? code(verdict.code);
  const [found, remedy = REMEDIES[gate]] = typeof words === 'string' ? [words] : words;
  return { found, remedy: outcome === 'pass' ? null : (remedy ?? null) };
}

const UNREADABLE = { unreadable: { why: 'text' } } as const;
const unreadableText = ({ why }: Facts<(typeof UNREADABLE)['unreadable']>): Words => [
  `unknown: ${why}`,
  'ferrybot retries automatically; an unknown never passes',
];

/** What the change, or a fix of an attempt, may touch. */
function describeScope({ attempt, may }: Pick<Facts<(typeof VERDICTS)['scope']['inside']>, 'attempt' | 'may'>): string {
  return attempt === undefined
    ? "the lane's scope"
    : `what a fix of attempt ${attempt} may touch, which is ${joinAnd(may)}`;
}

const UNKNOWN_USER = 'a user that GitHub does not name';

/** The next action for any finding of a gate without its own remedy. */
const REMEDIES: Partial<Readonly<Record<GateId, string>>> = {
  'authors-known':
    'reset the branch to the proposed commit and the text to what ferrybot wrote, or open a new proposal',
  budget: 'change fewer values, in smaller steps',
  'checks-green': 'repair the check, or run it again; a push by a workflow starts no checks',
  'config-drift':
    'revert it, name it in the contract under *Intended changes*, or continue as another run with `/resume-as`',
  'cost-budget': 'change the budget in the config, reduce the cost of the run, or wait for the next period',
  'delta-readable': 'change only values, and land code in a separate pull request',
  'identical-rerun': 'name the regression to confirm under *Objective*, or change a knob',
  'lane-free': 'wait until it has ended, or stop it',
  'output-root-own':
    'name an unused output root in the issue and in the command (or write `{outputRoot}` there), or name the run to continue under *Source run*',
  'scale-stable': "restore the scale, request the change by name in a proposal, or change the lane's `scale`",
  'tracker-own': 'name another run id in the issue, or name the run to continue under *Source run*',
};

/** Every code of every gate. */
export const SENTENCES: AllGateSentences = {
  'target-branch': {
    'targets-branch': (f) => `targets ${f.branch}`,
    'wrong-branch': (f) => [`targets ${f.found}`, `change the base branch to ${f.wanted}`],
    closed: () => ['the pull request is closed or merged', 'reopen it, or propose a new ferry'],
    draft: () => ['the pull request is a draft', 'mark it as ready for review'],
  },
  'head-repository': {
    'same-repository': () => 'the branch is in this repository',
    fork: (f) => [`the branch is in ${f.found}`, `push it to ${f.wanted}; ferrybot never runs a fork with credentials`],
  },
  'authors-known': {
    'one-person': () => 'one person may approve here, including an author',
    named: (f) => [
      f.who.length === 0
        ? 'only ferrybot contributed to this change'
        : `${joinAnd(f.who)} contributed to this change and may not approve it`,
    ],
    'opened-unnamed': (f) => [
      `${f.about} was opened by ${f.by}, and no person is responsible for it`,
      'open a pull request with the same change from your own account',
    ],
    'commit-unnamed': (f) => `GitHub links ${f.about} by ${f.by} to no account (such items: ${f.count})`,
    'push-unnamed': (f) => `${f.by || UNKNOWN_USER} pushed ${f.about}, and no person is responsible for it`,
    'edit-unnamed': (f) => `${f.by || UNKNOWN_USER} edited the text of ${f.about}, and no person is responsible for it`,
    'too-much-work': () => 'the branch has more commits or pushes than ferrybot reads',
  },
  freshness: {
    fresh: (f) => {
      const base = `based on ${f.base} of ${f.baseAt}`;
      return f.later.length === 0
        ? `${base}; nothing that the job ships has changed since`
        : [
            `${base}; files that the job ships have changed since in ${joinAnd(f.later)}`,
            'rebase if one of these commits matters for this ferry',
          ];
    },
    stale: (f) => [
      `based on ${f.base} of ${f.baseAt}, more than ${f.hoursMax} h ago${f.later.length > 0 ? `; files that the job ships have changed since in ${joinAnd(f.later)}` : ''}`,
      `rebase the branch onto ${f.branch}`,
    ],
    'no-past-tip': (f) => [
      `based on ${f.base}, which is not among the newest ${f.moves} tips of ${f.branch}`,
      `rebase the branch onto ${f.branch}`,
    ],
  },
  'checks-green': {
    green: (f) => `checks that are green: ${f.checks}`,
    failed: (f) => `${f.check} is ${f.says} (checks not green: ${f.count})`,
    'awaits-approval': (f, place) => [
      `the workflow run of ${f.workflow} waits for approval (workflows: ${f.count})`,
      `review the change, then select *Approve and run* on ${place === 'issue' ? 'the page of that run' : 'the pull request'}`,
    ],
    missing: (f) => `the required check ${f.check} did not run on this commit (missing: ${f.count})`,
    running: (f) => [`${f.check} is ${f.says} (checks running: ${f.count})`, 'wait until it has ended'],
  },
  'config-valid': {
    valid: () => 'the newest config of the default branch is valid and in force',
    invalid: (f) => [
      `the newest config is invalid since ${f.since} (problems: ${f.count}; line ${f.line}: ${f.first}); the config of ${f.inForce} stays in force`,
      'repair it on the default branch',
    ],
    'lane-gone': (f) => [
      `the config in force (${f.inForce}) no longer has the lane ${f.lane}`,
      'put the lane back on the default branch, or close this proposal',
    ],
  },
  scope: {
    inside: (f) => `files changed: ${f.files}, all inside ${describeScope(f)}`,
    outside: (f, place) => [
      `${f.first} is outside ${describeScope(f)} (files outside: ${f.count})`,
      takeOutRemedy(place),
    ],
  },
  ...CONTRACT_SENTENCES,
  ...RENTAL_SENTENCES,
  ...DELTA_SENTENCES,
  'run-name-dated': {
    dated: (f) => f.runName,
    'wrong-name': (f) => [`the run is named ${f.found}`, `the lane's pattern gives ${f.wanted}`],
  },
  'risk-present': {
    present: (f) => `risk ${f.risk}`,
    missing: () => ['no single risk level', 'write `low`, `medium` or `high` under *Risk level*'],
  },
  'last-ferry-linked': {
    linked: () => 'the last ferry is linked, or there is none',
    missing: () => ['the last ferry is not linked', 'name its issue or pull request under *Last ferry references*'],
  },
  preconditions: {
    ticked: (f) => `boxes ticked: ${f.boxes}`,
    'box-open': (f) =>
      f.line === undefined
        ? [`the box ${f.box} is missing`, 'add it to the *Launch checklist*, and tick it when it is true']
        : [`the box ${f.box} (line ${f.line}) is open`, 'tick it when it is true'],
  },
  'issue-updated': {
    updated: (f, place) =>
      `issue #${f.issue} is open${place === 'issue' ? '' : ', links this pull request,'} and was updated after the last change`,
    'issue-older': (f) => [
      `issue #${f.issue} was last updated at ${f.toldAt}, before the last change (${f.commit} of ${f.changedAt})`,
      `describe the change in #${f.issue}`,
    ],
    'issue-closed': (f) => [`issue #${f.issue} is closed`, 'reopen it'],
    'issue-unlabelled': (f) => [`issue #${f.issue} lacks the label \`experiment\``, 'add the label'],
    'issue-not-linked': (f) => [
      `issue #${f.issue} does not mention #${f.pull}`,
      `write #${f.pull} into the issue's description`,
    ],
  },
  'cluster-matches': {
    'lane-cluster': (f) => f.cluster,
    'other-cluster': (f) => [`the launch would use ${f.found}`, `the lane's cluster is ${f.wanted}`],
  },
  'cost-budget': {
    within: (f) => [
      `${f.cost} ${f.most === undefined ? 'accelerator-hours; the lane has no budget' : `of at most ${f.most} accelerator-hours`}`,
    ],
    over: (f) => `${f.cost} accelerator-hours, the lane's budget is ${f.most}`,
    'over-period': (f) =>
      `${f.cost} accelerator-hours in addition to ${f.spent} in the ${f.period} ${f.period === 'week' ? 'from ' : ''}${f.from}; the lane's budget for a ${f.period} is ${f.most}`,
    'over-rented': (f) =>
      `machines for at most ${formatMoney(f.cost)} in addition to ${formatMoney(f.spent)} ${f.period === 'day' ? 'on' : 'in'} ${f.from}; the cluster's budget for a ${f.period} is ${formatMoney(f.most)}`,
  },
  'lane-free': { free: () => 'no other run is live', busy: (f) => `${f.run} is live` },
  'not-held': { free: () => 'no hold', held: (f) => [holdText(f, f.by, f.reason), `${unholdText(f)} lifts it`] },
  'manifest-complete': {
    complete: () => 'everything that decides what will run is known',
    'not-shipped': (f) => [
      `the proposed commit lacks ${f.path}, which the config ships to the job (missing: ${f.count})`,
      'restore it',
    ],
    unseen: (f) => [
      `${f.part} contains the invisible character ${f.sign}, so the card cannot show what would run`,
      'remove this character',
    ],
    'too-long': (f) => [
      `the manifest has ${f.chars} characters, and the card shows at most ${f.most}`,
      'use a shorter command, or fewer changes in one run',
    ],
  },
  ...APPROVAL_SENTENCES,
};

function takeOutRemedy(place: ThreadKind): string {
  return place === 'issue' ? 'remove it from the branch' : 'remove it from this pull request';
}
