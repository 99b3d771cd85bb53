/** Every answer to a command with its facts; render/answer-words.ts has the sentence of each. */

import {
  type Detail,
  type Facts,
  type FactsArgument,
  INCIDENTS,
  recordedFacts,
  type Vocabulary,
} from '../domain/incidents.ts';
import { TARGET_FIELDS } from '../domain/launch/hold.ts';
import type { EventDraft } from '../domain/logbook/define.ts';

/** Why a comment does not approve what is shown now; in each case the person reads it and copies its line. */
const UNBOUND_REASONS = [
  'no-digest',
  'other-digest',
  'other-kind',
  'before-shown',
  'other-commit',
  'too-old',
  'restarts-used',
] as const;
export type UnboundReason = (typeof UNBOUND_REASONS)[number];

/** Why a pull request or issue does not become a run. */
const NOT_TAKEN_UP = [
  'fork',
  'draft',
  'no-experiment',
  'several-lanes',
  'knobs',
  'not-permitted',
  'no-person',
  'no-value',
  'no-name',
] as const;
export type NotTakenUp = (typeof NOT_TAKEN_UP)[number];

export const ANSWERS = {
  // Any command.
  'not-permitted': { needs: 'text', held: 'text?' },
  'permission-unknown': { why: 'text' },
  'no-run-here': { name: 'text?' },
  'run-over': { name: 'text?', run: 'text?' },
  'named-run-unknown': { run: 'text', live: 'list' },
  'comment-edited': { name: 'text' },
  'comment-gone': { name: 'text?' },
  'not-understood': {
    code: 'text',
    word: 'text',
    line: 'integer',
    column: 'integer',
    suggest: 'text?',
    takes: 'text?',
  },
  hint: { word: 'text', reason: 'text', line: 'integer' },
  'logbook-broken': { name: 'text?' },
  'lane-unclear': { kind: ['unclear', 'no-such'], lanes: 'text', named: 'text' },
  'close-under-way': {},
  /** `status`: the reason why the command does nothing now. */
  'not-now': { status: 'text' },
  'too-late': { jobId: 'text?' },
  'point-past': { what: 'text' },
  /** For a command that only records what a person wrote: `what`, after *recorded*. */
  recorded: { what: 'text' },
  failed: { why: 'text' },

  // Approvals. `lines`: the commands that approve, without the slash, one a line.
  'approval-line-needed': { why: UNBOUND_REASONS, lines: 'text', about: 'text?' },
  'approval-by-author': {},
  'already-approved': { digest: 'text', by: 'text?' },
  'no-fix': { attempt: 'integer', relaunch: 'integer?' },
  /** `name`: a `commentName`. */
  'second-card': { name: 'text', thread: 'integer', by: 'text' },
  approved: { digest: 'text', count: 'integer', quorum: 'integer' },
  'approved-waiting-for-more': { digest: 'text', count: 'integer', quorum: 'integer' },
  'approval-gates-blocked': { count: 'integer', first: 'text', code: 'text' },
  'approval-not-shown': { digest: 'text' },
  'approval-same-failure': { attempt: 'integer', earlier: 'integer', signature: 'text' },
  'action-approved': { kind: 'text', target: 'text', digest: 'text' },
  'action-nothing-proposed': {},
  'action-other-thread': { thread: 'integer' },
  'action-done': { outcome: 'text', code: 'text' },
  'action-held': { ...TARGET_FIELDS, reason: 'text' },
  'action-not-shown': { lines: 'text' },

  // Brakes.
  held: { ...TARGET_FIELDS, reason: 'text', dropped: 'integer', jobId: 'text?' },
  unheld: TARGET_FIELDS,
  'unhold-nothing': { others: 'list' },
  revoked: { digest: 'text', count: 'integer', attempt: 'integer?' },
  'revoke-nothing': {},
  'stop-requested': { by: 'text', missingCluster: 'text?' },
  'stop-before-launch': { by: 'text' },

  // Reading.
  'status-shown': {},
  'lane-past': { lane: 'text' },
  'lane-shown': { live: 'text?', last: 'text?', issue: 'integer', holds: 'list', stray: 'list' },
  /** Logins of the people who can act, by role. */
  'why-told': { author: 'text', maintainer: 'text', approver: 'text' },
  'why-nothing': {},
  'why-stopped': { by: 'text' },
  'help-shown': { command: 'text?' },

  // Attempts and checkpoints.
  'relaunch-asked': { attempt: 'integer', left: 'integer', missing: 'integer?' },
  'relaunch-fix': { attempt: 'integer' },
  'relaunch-never': INCIDENTS['relaunch-refused'],
  'relaunch-adopted': {},
  'rolled-back': { step: 'integer', path: 'text?', reason: 'text' },
  'rollback-not-now': { status: 'text' },
  'rollback-unseen': {},
  'rollback-refused': { step: 'integer', why: 'text' },
  'checkpoint-rejected': { step: 'integer', reason: 'text' },
  'reject-not-reached': { step: 'integer', reached: 'integer' },
  /** The checkpoints from this step on are out of the lineage already. */
  'reject-already': { step: 'integer', by: 'text' },
  'resumed-as': { old: 'text', run: 'text', from: 'text', root: 'text?', reason: 'text' },
  'resume-as-unclear': { name: 'text', said: 'text', wanted: 'text' },
  'resume-as-refused': { path: 'text', why: 'text' },
  'cleanup-listed': { count: 'integer', more: 'integer', kept: 'integer' },
  'cleanup-listed-already': { digest: 'text' },
  'cleanup-nothing': { kept: 'integer' },
  'cleanup-no-depth': {},
  'cleanup-unreadable': { why: 'text' },

  // The end of a run.
  acknowledged: { status: 'text' },
  'ack-before-end': { status: 'text' },
  'incident-taken': { count: 'integer', watched: 'integer?' },
  'watch-end-taken': { count: 'integer' },
  closed: { closurePull: 'integer?' },
  'closes-in-its-thread': {},
  'lost-not-lost': { minutes: 'integer' },
  sealed: { tag: 'text', closurePull: 'integer?' },
  'seal-adopted': {},
  'seal-failed': {},
  'seal-needs-accept': { status: 'text', verdict: 'text' },
  'seal-refused': { code: 'text', message: 'text' },
  'seal-incomplete': { missing: 'text' },
  'milestone-sealed': { name: 'text', tag: 'text', path: 'text', step: 'integer', unseen: 'text' },
  'milestone-taken': { name: 'text', step: 'integer' },
  'milestone-missing': { missing: 'text' },

  // The watch of a job.
  'watch-not-yours': { owner: 'text?' },
  'watch-resumed': {},
  'watch-stopped': {},
  'adopt-what': { missing: 'list', job: 'text?', cluster: 'text?', experiment: 'text?', clusters: 'text' },
  'adopt-asked': { run: 'text', job: 'text', cluster: 'text' },
  'adopt-cluster': { cluster: 'text', clusters: 'text' },
  'adopt-held': { job: 'text', run: 'text', thread: 'integer' },
  'adopt-place': {},
  accepted: { from: 'text?' },
  'accept-not-yours': { login: 'text' },
  'accept-too-late': { until: 'text' },
  'job-adopted': {},
  'job-not-told': {},
  'job-told-otherwise': {},
  'handoff-offered': { to: 'integer', login: 'text', until: 'text' },
  'handoff-not-theirs': { login: 'text', needs: 'text' },
  'until-set': { step: 'integer?', time: 'text?', before: 'integer?' },
  'until-what': {},

  // Proposals and rentals.
  proposed: { run: 'text', pull: 'integer', issue: 'integer' },
  'propose-held': { ...TARGET_FIELDS, by: 'text', reason: 'text' },
  'propose-standing': { run: 'text', pull: 'integer', phase: 'text', issue: 'integer?', own: 'integer?' },
  'propose-busy': { run: 'text', pull: 'integer', phase: 'text', issue: 'integer?' },
  'propose-not-today': { count: 'integer' },
  'propose-edit-refused': {
    why: ['unknown-knob', 'ambiguous-knob', 'repeated-knob', 'value-refused', 'unchanged', 'over-budget'],
    /** The knob, as it was named, or how many. */
    name: 'text',
    /** What the knob is or could be, or the most that is allowed. */
    about: 'text?',
  },
  'propose-objective-unclear': { why: 'text', said: 'text', knobs: 'text' },
  'propose-nothing': { reason: 'text', why: 'text' },
  'propose-refused': { why: NOT_TAKEN_UP, about: 'text', wanted: 'text' },
  'rent-not-here': { why: ['no-lane', 'no-issue', 'run-here'], lanes: 'text' },
  'nothing-rented': {},
  kept: { until: 'text', reason: 'text' },
  'keep-too-long': { until: 'text', latest: 'text' },
  'teardown-asked': { by: 'text', runs: 'integer?' },
} as const satisfies Vocabulary;
export type Answers = typeof ANSWERS;
export type AnswerCode = keyof Answers;

/** Completes a command. `journal`: drafts for the repository journal in the same push. */
export type AnswerDecision = {
  readonly kind: 'answer';
  readonly code: AnswerCode;
  readonly detail: Detail;
  readonly drafts: readonly EventDraft[];
  readonly journal: readonly EventDraft[];
};

type Drafts = readonly EventDraft[];
type FactsAndDrafts<F> =
  Record<never, never> extends F
    ? [facts?: F, drafts?: Drafts, journal?: Drafts]
    : [facts: F, drafts?: Drafts, journal?: Drafts];

/** The decision to answer with this code and its facts. */
export function answer<Code extends AnswerCode>(
  code: Code,
  ...[facts, drafts = [], journal = []]: FactsAndDrafts<Facts<Answers[Code]>>
): AnswerDecision {
  return { kind: 'answer', code, detail: recordedFacts(facts ?? {}), drafts, journal };
}

/** An answer to record, for work done outside the command. */
export function answerOf<Code extends AnswerCode>(
  code: Code,
  ...[facts]: FactsArgument<Answers[Code]>
): { readonly code: Code; readonly detail: Detail } {
  return { code, detail: recordedFacts(facts ?? {}) };
}

/** A run without any job has no checkpoints. */
export const NO_JOB = answer('not-now', { status: 'no job of this run was submitted' });
/** A remark on a line of the change counts for nothing. */
export const NOT_ON_A_LINE = answer('not-now', {
  status: 'an approval has to be a comment or a review of its own, not a remark on a line',
});
