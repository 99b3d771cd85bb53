/** What each gate's answer means: what was found, what to do about it, and who can. */

import type { GateId, Verdict } from '../domain/launch/verdict.ts';
import { AUTHORS_WORDS } from './authors-words.ts';
import { type DetailReader, numbered, reading } from './detail.ts';
import type { PlaceWord } from './place-word.ts';
import { code, listed } from './words.ts';

/** Markdown for one verdict. `remedy` is null where nothing is to be done. */
export type GateWords = { readonly found: string; readonly remedy: string | null };
type Sentence = (found: DetailReader, place: PlaceWord) => readonly [found: string, remedy?: string];

/** The words for a verdict; a code of another version of ferrybot is shown as it stands. */
export function gateWords(verdict: Verdict, place: PlaceWord = 'pull request'): GateWords {
  const facts = reading(verdict.found);
  const sentence = verdict.code === 'unreadable' ? UNREADABLE : SENTENCES[verdict.gate][verdict.code];
  const [found, remedy] = sentence?.(facts, place) ?? [code(verdict.code)];
  return { found, remedy: remedy ?? null };
}

const UNREADABLE: Sentence = (f) => [
  `cannot be told: ${f.text('why')}`,
  'ferrybot looks again by itself; an unknown never passes',
];

function approvers(f: DetailReader): string {
  return listed(numbered('who', f).map((name) => f.text(name)));
}

/** What became of an approval (`ApprovalStanding`). */
function whyNot(standing: string): string {
  switch (standing) {
    case 'permission-lost':
      return 'they may not approve any more';
    case 'comment-edited':
      return 'the approving comment was edited';
    case 'comment-hidden':
      return 'the approving comment was hidden';
    case 'comment-gone':
      return 'the approving comment was deleted';
    case 'approval-expired':
      return 'the approval is older than this lab allows';
    case 'other-commit':
      return 'the review was written on another commit';
    default:
      return 'its reason is of another version';
  }
}

/** The later commits that a verdict carries as `later1`, `later2` and so on, each as id and subject. */
function laterCommits(f: DetailReader): string {
  return listed(numbered('later', f).map((name) => f.code(name)));
}

/** Every code of every gate file under src/gates; a test holds the two against each other. */
export const SENTENCES: Readonly<Record<GateId, Readonly<Record<string, Sentence>>>> = {
  'target-branch': {
    'targets-branch': (f) => [`goes to ${f.code('branch')}`],
    'wrong-branch': (f) => [`goes to ${f.code('found')}`, `change the base branch to ${f.code('wanted')}`],
    merged: () => ['the pull request is merged already', 'propose a new ferry'],
    closed: () => ['the pull request is closed', 'reopen it, or propose a new ferry'],
  },
  'head-repository': {
    'same-repository': () => ['the branch lies in this repository'],
    fork: (f) => [
      `the branch lies in ${f.code('found')}`,
      `push it to ${f.code('wanted')}: a fork is never run with credentials`,
    ],
  },
  'authors-known': AUTHORS_WORDS,
  freshness: {
    'at-tip': (f) => [`based on the newest commit of the branch (${f.code('base')})`],
    fresh: (f) => [
      `based on ${f.code('base')} of ${f.time('baseAt')}; nothing that the job ships changed since`,
    ],
    'fresh-behind': (f) => [
      `based on ${f.code('base')} of ${f.time('baseAt')}; since then what the job ships changed in ${laterCommits(f)}`,
      'rebase if one of them matters for this ferry',
    ],
    stale: (f) => [
      `based on ${f.code('base')} of ${f.time('baseAt')}, more than ${f.text('hoursMax')} h ago${f.has('later1') ? `; since then what the job ships changed in ${laterCommits(f)}` : ''}`,
      'rebase the branch on its target',
    ],
  },
  'checks-green': {
    green: (f) => [`checks that are green: ${f.text('checks')}`],
    none: () => ['no check ran on this commit, and none is required'],
    failed: (f) => [
      `${f.code('check')} says ${f.text('says')} (checks not green: ${f.text('count')})`,
      'repair what it checks, or run it again',
    ],
    'awaits-approval': (f, place) => [
      `the workflow run of ${f.code('workflow')} waits for approval (workflows: ${f.text('count')})`,
      `look at the change, then *Approve and run* on ${place === 'issue' ? 'the page of that run' : 'the pull request'}`,
    ],
    missing: (f) => [
      `the required check ${f.code('check')} did not run on this commit (missing: ${f.text('count')})`,
      'start it; a push by a workflow starts none',
    ],
    running: (f) => [
      `${f.code('check')} is ${f.text('says')} (checks running: ${f.text('count')})`,
      'wait until it has ended',
    ],
  },
  'config-valid': {
    valid: () => ['the newest config of the default branch is valid and in force'],
    invalid: (f) => [
      `the newest config is not valid since ${f.text('since')} (problems: ${f.text('count')}; line ${f.text('line')}: ${f.text('first')}); the one of ${f.code('inForce')} stays in force`,
      'repair it on the default branch',
    ],
    'lane-gone': (f) => [
      `the config in force (${f.code('inForce')}) has no lane ${f.code('lane')} any more, so nothing says what this run may do`,
      'put the lane back on the default branch, or close this proposal',
    ],
  },
  scope: {
    inside: (f) => [`files changed: ${f.text('files')}, all inside the lane's scope`],
    outside: (f, place) => [
      `${f.code('first')} is outside the lane's scope (files outside: ${f.text('count')})`,
      place === 'issue' ? 'take it out of the branch' : 'take it out of this pull request',
    ],
  },
  'delta-readable': {
    'no-change': () => ['no knob changes'],
    countable: (f) => [`knobs that change: ${f.text('knobs')}`],
    structural: (f) => [
      `line ${f.text('line')} (${f.text('side')}) is more than a knob: ${f.code('statement')}`,
      'change values only, and land code in a pull request of its own',
    ],
    unparsable: (f) => [
      `line ${f.text('line')} (${f.text('side')}) is no valid Python: ${f.text('message')}`,
      'repair the file',
    ],
  },
  'delta-declared': {
    declared: (f) => [`the table says what the files say (knobs: ${f.text('knobs')})`],
    'no-table': () => [
      'the body has no before/after table',
      'add the table `Knob`, `Before`, `After` under *Config delta and rationale*',
    ],
    undeclared: (f) => [`${f.code('knob')} changes and is not in the table`, `add the row ${f.code('row')}`],
    misdeclared: (f) => [
      `the table's row for ${f.code('knob')} does not say what the file says`,
      `make it ${f.code('row')}`,
    ],
    doubled: (f) => [`${f.code('knob')} stands in the table twice`, 'take one row out'],
    unchanged: (f) => [`the table names ${f.code('knob')}, which does not change`, 'take the row out'],
  },
  budget: {
    within: (f) => [`${f.text('knobs')} of at most ${f.text('most')} knobs`],
    over: (f) => [
      `${f.text('knobs')} knobs change, the lane's guidance is ${f.text('most')}`,
      'change fewer',
    ],
  },
  'scale-stable': {
    unchanged: () => ['the scale stays'],
    'asked-for': (f) => [`${f.code('knob')} changes the scale, as ${f.text('by')} asked`],
    'scale-changed': (f) => [
      `${f.code('knob')} changes the scale: ${f.code('before')} to ${f.code('after')}`,
      'take it back, or ask for it by name in a proposal',
    ],
  },
  'identical-rerun': {
    'something-changes': () => ['something changes'],
    'declared-regression': () => ['the same again, declared as a regression check'],
    'identical-undeclared': () => [
      'nothing changes and no regression check is declared',
      'say under *Objective* which regression this confirms, or change a knob',
    ],
  },
  'run-name-dated': {
    dated: (f) => [f.code('runName')],
    'wrong-name': (f) => [
      `the run is named ${f.code('found')}`,
      `the lane's pattern gives ${f.code('wanted')}`,
    ],
  },
  'risk-present': {
    present: (f) => [`risk ${f.text('risk')}`],
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
    ticked: (f) => [`boxes ticked: ${f.text('boxes')}`],
    'box-missing': (f) => [
      `the box ${f.code('box')} is missing`,
      'add it to the *Launch checklist*, and tick it when it is true',
    ],
    'box-open': (f) => [
      `the box ${f.code('box')} (line ${f.text('line')}) is open`,
      'tick it when it is true',
    ],
  },
  'issue-updated': {
    updated: (f, place) => [
      place === 'issue'
        ? `issue #${f.raw('issue')} is open and was updated after the last change`
        : `issue #${f.raw('issue')} is open, links this pull request, and was updated after the last change`,
    ],
    'issue-older': (f) => [
      `issue #${f.raw('issue')} was last written in at ${f.time('toldAt')}, before the last change (${f.code('commit')} of ${f.time('changedAt')})`,
      `say in #${f.raw('issue')} what changed`,
    ],
    'issue-closed': (f) => [`issue #${f.raw('issue')} is closed`, 'reopen it'],
    'issue-unlabelled': (f) => [
      `issue #${f.raw('issue')} lacks the label \`experiment\``,
      'put the label on it',
    ],
    'issue-not-linked': (f) => [
      `issue #${f.raw('issue')} does not mention #${f.raw('pull')}`,
      `write #${f.raw('pull')} into the issue's body`,
    ],
  },
  'cluster-matches': {
    'lane-cluster': (f) => [f.code('cluster')],
    'other-cluster': (f) => [
      `the launch would go to ${f.code('found')}`,
      `the lane's cluster is ${f.code('wanted')}`,
    ],
  },
  'cost-budget': {
    'no-budget': (f) => [`${f.text('cost')} accelerator-hours; the lane has no budget`],
    within: (f) => [`${f.text('cost')} of at most ${f.text('most')} accelerator-hours`],
    over: (f) => [
      `${f.text('cost')} accelerator-hours, the lane's budget is ${f.text('most')}`,
      'change the budget in the config, or the run that it pays for',
    ],
  },
  'lane-free': {
    free: () => ['no other run is live'],
    busy: (f) => [`${f.code('run')} is live`, 'wait until it has ended, or stop it'],
  },
  'not-held': {
    free: () => ['no hold'],
    held: (f) => [`held by ${f.text('by')}: ${f.text('reason')}`, '`/unhold` lifts it'],
    skipped: (f, place) => [
      `${f.text('date')} is skipped by ${f.text('by')}: ${f.text('reason')}`,
      `\`/unhold\` lifts it; otherwise close the ${place}, and the next day is proposed as usual`,
    ],
    frozen: (f) => [
      `the ${f.text('scope')} is frozen by ${f.text('by')}: ${f.text('reason')}`,
      '`/thaw` lifts it',
    ],
  },
  'manifest-complete': {
    complete: () => ['everything that decides what will run is known'],
    'not-shipped': (f) => [
      `the proposed commit has no ${f.code('path')} (missing: ${f.text('count')})`,
      'put it back: the config says that the job gets it',
    ],
  },
  'approver-allowed': {
    enough: (f) => [
      `approved by ${approvers(f)}: ${f.text('count')} of ${f.text('needed')} people that its cost demands`,
    ],
    'too-few': (f) => [
      `${f.text('count')} of ${f.text('needed')} people have approved${f.has('who1') ? `: ${approvers(f)}` : ''}`,
      `the card's \`/approve-launch\` line, said by ${f.text('missing')} more`,
    ],
    'not-counting': (f) => [
      `the approval of ${f.text('by')} does not count any more: ${whyNot(f.raw('why'))} (${f.text('count')} of ${f.text('needed')} people count)`,
      "the card's `/approve-launch` line, said by somebody who may",
    ],
  },
  'manifest-unchanged': {
    'not-approved-yet': (f) => [`nothing is approved yet; the manifest to approve is ${f.code('digest')}`],
    'as-approved': (f) => [`the approved manifest ${f.code('digest')} is what would be launched`],
    changed: (f) => [
      `approved was ${f.code('approved')}, and the manifest is ${f.code('digest')} by now`,
      'look at what changed, and approve anew',
    ],
    'text-changed': (f) => [
      `the text around manifest ${f.code('digest')} was edited after the approval`,
      'read it again, and approve anew',
    ],
  },
};
