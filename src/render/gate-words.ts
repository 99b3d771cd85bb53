/** What each gate's answer means: what was found, what to do about it, and who can. */

import { VERDICTS, type Verdict } from '../domain/launch/verdict.ts';
import { type Facts, readPayload } from '../domain/payload.ts';
import { APPROVAL_SENTENCES } from './approval-gate-words.ts';
import { CONTRACT_SENTENCES } from './contract-gate-words.ts';
import type { AllGateSentences, Words } from './input.ts';
import { RENTAL_SENTENCES } from './rental-words.ts';
import { code, heldWords, liftWords, listed, type PlaceWord, text, utc } from './words.ts';

const DELTA_SENTENCES = {
  'delta-readable': {
    countable: (f) => [`knobs that change: ${f.knobs}`],
    structural: (f) => [
      `line ${f.line} (${text(f.side)}) is more than a knob: ${code(f.statement)}`,
      'change values only, and land code in a pull request of its own',
    ],
    unparsable: (f) => [
      `line ${f.line} (${text(f.side)}) is no valid Python: ${text(f.message)}`,
      'repair the file',
    ],
  },
  'delta-declared': {
    declared: (f) => [`the table says what the files say (knobs: ${f.knobs})`],
    'no-table': () => [
      'the body has no before/after table',
      'add the table `Knob`, `Before`, `After` under *Config delta and rationale*',
    ],
    undeclared: (f) => [
      `the table does not declare what changes in ${code(f.knob)}`,
      `write the row ${code(f.row)}`,
    ],
    unchanged: (f) => [`no change needs the table's row for ${code(f.knob)}`, 'remove the row'],
  },
  budget: {
    within: (f) => [`${f.knobs} of at most ${f.most} knobs${newAgainst(f.against)}`],
    over: (f) => [
      `${f.knobs} knobs change${newAgainst(f.against)}, the lane's guidance is ${f.most}`,
      'change fewer',
    ],
    'large-step': (f) => [
      `${code(f.knob)} changes in one step from ${code(f.before)} to ${code(f.after)}; small is ${text(f.small)}`,
      'take a smaller step, or take it back',
    ],
    'leaves-more': () => [
      'the file could not be put back by writing the old values: a setting came or went, or text besides values changed',
      'change values alone',
    ],
  },
  'scale-stable': {
    unchanged: (f) => [
      f.flops === undefined
        ? 'the scale stays'
        : `the scale stays: ${text(f.parameters ?? '')} parameters, ${text(f.flops)} model FLOPs of ${text(f.target ?? '')}`,
    ],
    'asked-for': (f) => [`${code(f.knob)} changes the scale, as ${text(f.by)} asked`],
    'scale-changed': (f) => [
      `${code(f.knob)} changes the scale: ${code(f.before)} to ${code(f.after)}`,
      'take it back, or ask for it by name in a proposal',
    ],
    'not-computed': (f) => [
      `nobody can tell what the run would spend: ${text(f.why)}`,
      "write the number there, or mend the lane's `scale`",
    ],
    'off-target': (f) => [
      `the run would spend ${text(f.flops)} model FLOPs, ${text(f.percent)} % from the ${text(f.target)} that the lane is for (at most ${text(f.tolerance)} %)`,
      "put the scale back, or change the lane's `scale`",
    ],
  },
  'identical-rerun': {
    'something-changes': () => ['something changes'],
    'declared-regression': () => ['the same again, declared as a regression check'],
    'identical-undeclared': (f) => [
      `nothing changes${newAgainst(f.against)} and no regression check is declared`,
      'say under *Objective* which regression this confirms, or change a knob',
    ],
  },
} satisfies Partial<AllGateSentences>;

/** What is counted against another run than the target branch has. */
function newAgainst(run: string | undefined): string {
  return run === undefined ? '' : ` against ${code(run)}`;
}

/** Markdown for one verdict. `remedy` is null where nothing is to be done. */
type GateWords = { readonly found: string; readonly remedy: string | null };

/** The words for a verdict; a code of another version of ferrybot is shown as it stands. */
export function gateWords(verdict: Verdict, place: PlaceWord = 'pull request'): GateWords {
  const read = readPayload(
    { ...VERDICTS[verdict.gate], ...UNREADABLE },
    { ...verdict, detail: verdict.found },
  );
  if (read === null) return { found: code(verdict.code), remedy: null };
  const sentences = { ...SENTENCES[verdict.gate], unreadable };
  // The table has one sentence a code, and each is handed the facts of its own code only.
  const sentence = (sentences as Readonly<Record<string, (facts: object, place: PlaceWord) => Words>>)[
    read.code
  ];
  const [found, remedy] = sentence?.(read.detail, place) ?? [code(verdict.code)];
  return { found, remedy: remedy ?? null };
}

const UNREADABLE = { unreadable: { why: 'text' } } as const;
const unreadable = ({ why }: Facts<(typeof UNREADABLE)['unreadable']>): Words => [
  `cannot be told: ${text(why)}`,
  'ferrybot looks again by itself; an unknown never passes',
];

function commits(later: readonly string[]): string {
  return listed(later.map(code));
}

/** What the change, or a fix of an attempt, may touch. */
function scopeWords({
  attempt,
  may,
}: Pick<Facts<(typeof VERDICTS)['scope']['inside']>, 'attempt' | 'may'>): string {
  return attempt === undefined
    ? "the lane's scope"
    : `what a fix of attempt ${attempt} may touch, which is ${listed(may.map(code))}`;
}

const BACK = 'put the branch back on the commit that was proposed, or propose anew';

/** Every code of every gate. */
export const SENTENCES: AllGateSentences = {
  'target-branch': {
    'targets-branch': (f) => [`goes to ${code(f.branch)}`],
    'wrong-branch': (f) => [`goes to ${code(f.found)}`, `change the base branch to ${code(f.wanted)}`],
    closed: () => ['the pull request is closed or merged', 'reopen it, or propose a new ferry'],
    draft: () => ['the pull request is a draft', 'mark it as ready for review'],
  },
  'head-repository': {
    'same-repository': () => ['the branch lies in this repository'],
    fork: (f) => [
      `the branch lies in ${code(f.found)}`,
      `push it to ${code(f.wanted)}: a fork is never run with credentials`,
    ],
  },
  'authors-known': {
    'one-person': () => ['one person is enough here, whoever had a hand in it'],
    named: (f) => [
      f.who.length === 0
        ? 'only ferrybot contributed to it'
        : `${listed(f.who.map(text))} had a hand in it, and may not approve it`,
    ],
    'opened-unnamed': (f) => [
      `${text(f.about)} was opened by ${code(f.by)}, and no person can be named for it`,
      'open a pull request of your own from the same change',
    ],
    'commit-unnamed': (f) => [
      `GitHub links ${code(f.about)} by ${code(f.by)} to nobody (pieces of work like that: ${f.count})`,
      `commit it under an address that your account has; or ${BACK}`,
    ],
    'push-unnamed': (f) => [
      `${f.by ? code(f.by) : 'somebody whom GitHub does not name'} pushed ${code(f.about)}, and no person can be named for it`,
      `push it yourself; or ${BACK}`,
    ],
    'edit-unnamed': (f) => [
      `the text of ${text(f.about)} was edited by ${f.by ? code(f.by) : 'somebody whom GitHub does not name'}, and no person can be named for it`,
      'put the text back as ferrybot wrote it, or propose anew',
    ],
    'too-much-work': () => ['more commits or pushes stand on the branch than are read', BACK],
  },
  freshness: {
    fresh: (f) => {
      const base = `based on ${code(f.base)} of ${text(utc(f.baseAt))}`;
      return f.later.length === 0
        ? [`${base}; nothing that the job ships changed since`]
        : [
            `${base}; since then what the job ships changed in ${commits(f.later)}`,
            'rebase if one of them matters for this ferry',
          ];
    },
    stale: (f) => [
      `based on ${code(f.base)} of ${text(utc(f.baseAt))}, more than ${f.hoursMax} h ago${f.later.length > 0 ? `; since then what the job ships changed in ${commits(f.later)}` : ''}`,
      `Rebase the branch onto ${code(f.branch)}`,
    ],
    'no-past-tip': (f) => [
      `based on ${code(f.base)}, which ${code(f.branch)} did not point to in its newest ${f.moves} moves`,
      `Rebase the branch onto ${code(f.branch)}`,
    ],
  },
  'checks-green': {
    green: (f) => [`checks that are green, of those that are wanted: ${f.checks}`],
    failed: (f) => [
      `${code(f.check)} says ${text(f.says)} (checks not green: ${f.count})`,
      'repair what it checks, or run it again',
    ],
    'awaits-approval': (f, place) => [
      `the workflow run of ${code(f.workflow)} waits for approval (workflows: ${f.count})`,
      `look at the change, then *Approve and run* on ${place === 'issue' ? 'the page of that run' : 'the pull request'}`,
    ],
    missing: (f) => [
      `the required check ${code(f.check)} did not run on this commit (missing: ${f.count})`,
      'start it; a push by a workflow starts none',
    ],
    running: (f) => [
      `${code(f.check)} is ${text(f.says)} (checks running: ${f.count})`,
      'wait until it has ended',
    ],
  },
  'config-valid': {
    valid: () => ['the newest config of the default branch is valid and in force'],
    invalid: (f) => [
      `the newest config is not valid since ${text(f.since)} (problems: ${f.count}; line ${f.line}: ${text(f.first)}); the one of ${code(f.inForce)} stays in force`,
      'repair it on the default branch',
    ],
    'lane-gone': (f) => [
      `the config in force (${code(f.inForce)}) has no lane ${code(f.lane)} any more, so nothing says what this run may do`,
      'put the lane back on the default branch, or close this proposal',
    ],
  },
  scope: {
    inside: (f) => [`files changed: ${f.files}, all inside ${scopeWords(f)}`],
    outside: (f, place) => [
      `${code(f.first)} is outside ${scopeWords(f)} (files outside: ${f.count})`,
      place === 'issue' ? 'take it out of the branch' : 'take it out of this pull request',
    ],
  },
  ...CONTRACT_SENTENCES,
  ...RENTAL_SENTENCES,
  ...DELTA_SENTENCES,
  'run-name-dated': {
    dated: (f) => [code(f.runName)],
    'wrong-name': (f) => [`the run is named ${code(f.found)}`, `the lane's pattern gives ${code(f.wanted)}`],
  },
  'risk-present': {
    present: (f) => [`risk ${text(f.risk)}`],
    missing: () => ['no single risk level', 'write `low`, `medium` or `high` under *Risk level*'],
  },
  'last-ferry-linked': {
    linked: () => ['the last ferry is linked, or there is none'],
    missing: () => [
      'the last ferry is not linked',
      'name its issue or pull request under *Last ferry references*',
    ],
  },
  preconditions: {
    ticked: (f) => [`boxes ticked: ${f.boxes}`],
    'box-open': (f) =>
      f.line === undefined
        ? [
            `the box ${code(f.box)} is missing`,
            'add it to the *Launch checklist*, and tick it when it is true',
          ]
        : [`the box ${code(f.box)} (line ${f.line}) is open`, 'tick it when it is true'],
  },
  'issue-updated': {
    updated: (f, place) => [
      place === 'issue'
        ? `issue #${f.issue} is open and was updated after the last change`
        : `issue #${f.issue} is open, links this pull request, and was updated after the last change`,
    ],
    'issue-older': (f) => [
      `issue #${f.issue} was last written in at ${text(utc(f.toldAt))}, before the last change (${code(f.commit)} of ${text(utc(f.changedAt))})`,
      `say in #${f.issue} what changed`,
    ],
    'issue-closed': (f) => [`issue #${f.issue} is closed`, 'reopen it'],
    'issue-unlabelled': (f) => [`issue #${f.issue} lacks the label \`experiment\``, 'put the label on it'],
    'issue-not-linked': (f) => [
      `issue #${f.issue} does not mention #${f.pull}`,
      `write #${f.pull} into the issue's body`,
    ],
  },
  'cluster-matches': {
    'lane-cluster': (f) => [code(f.cluster)],
    'other-cluster': (f) => [
      `the launch would go to ${code(f.found)}`,
      `the lane's cluster is ${code(f.wanted)}`,
    ],
  },
  'cost-budget': {
    within: (f) => [
      `${text(f.cost)} ${f.most === undefined ? 'accelerator-hours; the lane has no budget' : `of at most ${text(f.most)} accelerator-hours`}`,
    ],
    over: (f) => [
      `${text(f.cost)} accelerator-hours, the lane's budget is ${text(f.most)}`,
      'change the budget in the config, or the run that it pays for',
    ],
    'over-period': (f) => [
      `${text(f.cost)} accelerator-hours on top of ${text(f.spent)} in the ${f.period} ${f.period === 'week' ? 'from ' : ''}${text(f.from)}, and the lane's budget for a ${f.period} is ${text(f.most)}`,
      `change the budget in the config, or wait for the next ${f.period}`,
    ],
    'over-rented': (f) => [
      `machines for at most $${text(f.cost)} on top of $${text(f.spent)} ${f.period === 'day' ? 'on' : 'in'} ${text(f.from)}, and the cluster may rent for $${text(f.most)} in a ${f.period}`,
      `change the budget of the cluster, or wait for the next ${f.period}`,
    ],
  },
  'lane-free': {
    free: () => ['no other run is live'],
    busy: (f) => [`${code(f.run)} is live`, 'wait until it has ended, or stop it'],
  },
  'not-held': {
    free: () => ['no hold'],
    held: (f) => [heldWords(f, text(f.by), f.reason), `${liftWords(f)} lifts it`],
  },
  'manifest-complete': {
    complete: () => ['everything that decides what will run is known'],
    'not-shipped': (f) => [
      `the proposed commit has no ${code(f.path)} (missing: ${f.count})`,
      'put it back: the config says that the job gets it',
    ],
    unseen: (f) => [
      `${text(f.part)} holds ${code(f.sign)}, which nobody sees: what is shown would not be what runs`,
      'write it without that sign',
    ],
    'too-long': (f) => [
      `the manifest has ${f.chars} characters, and the card shows ${f.most}: nobody would see all of what runs`,
      'a shorter command, or fewer changes in one run',
    ],
  },
  ...APPROVAL_SENTENCES,
};
