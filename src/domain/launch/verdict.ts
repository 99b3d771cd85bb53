/** A gate's answer: pass, fail or unknown, with a closed reason code, the facts, and who can fix it. */

import * as z from 'zod';
import { readFacts, type Vocabulary } from '../incidents.ts';
import { type Parsed, scalars, text } from '../logbook/parts.ts';
import { TARGET_FIELDS } from './hold.ts';

const BASE_FIELDS = { base: 'text', baseAt: 'text', hoursMax: 'integer', later: 'list' } as const;
const UNNAMED = { about: 'text', by: 'text', count: 'integer' } as const;
/** `may`: the paths that a fix of this attempt may touch. */
const FIX_FIELDS = { attempt: 'integer?', may: 'list' } as const;
const MISMATCH_FIELDS = { knob: 'text', row: 'text' } as const;
const HOLD_FIELDS = { ...TARGET_FIELDS, reason: 'text', by: 'text', count: 'integer?' } as const;
const APPROVED_FIELDS = { count: 'integer', needed: 'integer', who: 'list' } as const;

/** The codes of each gate with the facts of their sentences; gates in display order. */
export const VERDICTS = {
  'target-branch': {
    'targets-branch': { branch: 'text' },
    'wrong-branch': { found: 'text', wanted: 'text' },
    closed: {},
    draft: {},
  },
  'head-repository': { 'same-repository': {}, fork: { found: 'text', wanted: 'text' } },
  'authors-known': {
    'one-person': {},
    named: { who: 'list' },
    'opened-unnamed': UNNAMED,
    'commit-unnamed': UNNAMED,
    'push-unnamed': UNNAMED,
    'edit-unnamed': UNNAMED,
    'too-much-work': UNNAMED,
  },
  freshness: {
    fresh: BASE_FIELDS,
    stale: { ...BASE_FIELDS, branch: 'text' },
    'no-past-tip': { base: 'text', branch: 'text', moves: 'integer' },
  },
  'checks-green': {
    green: { checks: 'integer' },
    failed: { check: 'text', says: 'text', count: 'integer' },
    'awaits-approval': { workflow: 'text', count: 'integer' },
    missing: { check: 'text', count: 'integer' },
    running: { check: 'text', says: 'text', count: 'integer' },
  },
  'config-valid': {
    valid: {},
    invalid: { count: 'integer', first: 'text', line: 'integer', inForce: 'text', since: 'text' },
    'lane-gone': { lane: 'text', inForce: 'text' },
  },
  scope: { inside: { files: 'integer', ...FIX_FIELDS }, outside: { first: 'text', count: 'integer', ...FIX_FIELDS } },
  'contract-complete': {
    complete: { values: 'integer', inferred: 'list' },
    incomplete: { missing: 'list', unclear: 'list' },
    'retention-open': { missing: 'list', unclear: 'list' },
  },
  'checkpoint-proven': {
    anew: {},
    proven: { path: 'text', step: 'integer', run: 'text?', attempt: 'integer?' },
    refused: { why: 'text', path: 'text', dri: 'text' },
    'command-differs': { said: 'text', path: 'text' },
    undecided: { why: 'text' },
    unseen: {},
    'goes-on': { path: 'text', step: 'integer' },
    'none-to-go-on': { why: 'text', dri: 'text' },
    'takes-other': { path: 'text', wouldTake: 'text' },
  },
  'container-built': {
    none: {},
    built: { image: 'text', commit: 'text' },
    'other-commit': { image: 'text', built: 'text', wanted: 'text' },
    'not-known': { image: 'text', why: 'text' },
  },
  'dri-accepted': { accepted: { dri: 'text' }, nobody: {}, 'not-accepted': { dri: 'text' } },
  'config-drift': {
    'as-before': {},
    'beside-training': { names: 'list' },
    meant: { names: 'list' },
    drift: { names: 'list' },
    'old-names': {},
    'as-another-run': { names: 'list' },
    'may-train-otherwise': { names: 'list' },
  },
  'tracker-own': { own: { id: 'text', resume: 'text' }, taken: { id: 'text', run: 'text' } },
  'output-root-own': {
    own: { root: 'text', looked: 'integer?', region: 'text?', template: 'text?' },
    temporary: { root: 'text' },
    'not-in-command': { root: 'text', derived: 'text?' },
    'other-region': { root: 'text', there: 'text', wanted: 'text' },
    used: { root: 'text', path: 'text' },
    taken: { root: 'text', run: 'text', theirs: 'text' },
  },
  'contract-current': { 'as-recorded': {}, differs: { names: 'list' } },
  'machine-fits': {
    fits: { price: 'text', hours: 'integer', total: 'text' },
    'not-rented': { cluster: 'text' },
    'beyond-lab': { beyond: 'list' },
  },
  'secrets-named': { named: { names: 'list' }, unnamed: { names: 'list' } },
  'reductions-bounded': {
    none: {},
    bounded: { steps: 'list' },
    'not-batch-first': { first: 'text' },
    'not-in-command': { step: 'text' },
    'not-smaller': { step: 'text', now: 'text' },
  },
  'early-stop-sane': {
    none: {},
    sane: { says: 'text', of: 'integer' },
    'no-final-step': {},
    'too-small': { small: 'list' },
  },
  'bottleneck-measured': {
    none: {},
    measured: { measured: 'text', baseline: 'text' },
    'no-baseline': { baseline: 'text' },
  },
  'entrypoint-known': {
    known: { commit: 'text' },
    'not-told': {},
    'not-repeatable': {},
    'commit-missing': { commit: 'text' },
  },
  'delta-readable': {
    countable: { knobs: 'integer' },
    structural: { line: 'integer', side: 'text', statement: 'text' },
    unparsable: { line: 'integer', side: 'text', message: 'text' },
  },
  'delta-declared': {
    declared: { knobs: 'integer' },
    'no-table': {},
    undeclared: MISMATCH_FIELDS,
    unchanged: MISMATCH_FIELDS,
  },
  budget: {
    within: { knobs: 'integer', most: 'integer', against: 'text?' },
    over: { knobs: 'integer', most: 'integer', against: 'text?' },
    'large-step': { knob: 'text', before: 'text', after: 'text', small: 'text' },
    'leaves-more': { knobs: 'integer' },
  },
  'scale-stable': {
    unchanged: { parameters: 'text?', flops: 'text?', target: 'text?' },
    'asked-for': { knob: 'text', by: 'text', count: 'integer?' },
    'scale-changed': { knob: 'text', before: 'text', after: 'text' },
    'not-computed': { why: 'text' },
    'off-target': { flops: 'text', target: 'text', percent: 'text', tolerance: 'text' },
  },
  'identical-rerun': {
    'something-changes': {},
    'declared-regression': {},
    'identical-undeclared': { against: 'text?' },
  },
  'run-name-dated': { dated: { runName: 'text' }, 'wrong-name': { found: 'text', wanted: 'text' } },
  'risk-present': { present: { risk: 'text' }, missing: {} },
  'last-ferry-linked': { linked: {}, missing: {} },
  preconditions: { ticked: { boxes: 'integer' }, 'box-open': { box: 'text', line: 'integer?' } },
  'issue-updated': {
    updated: { issue: 'integer' },
    'issue-older': { issue: 'integer', commit: 'text', changedAt: 'text', toldAt: 'text' },
    'issue-closed': { issue: 'integer' },
    'issue-unlabelled': { issue: 'integer' },
    'issue-not-linked': { issue: 'integer', pull: 'integer' },
  },
  'cluster-matches': { 'lane-cluster': { cluster: 'text' }, 'other-cluster': { found: 'text', wanted: 'text' } },
  'cost-budget': {
    within: { cost: 'text', most: 'text?' },
    over: { cost: 'text', most: 'text' },
    'over-period': { cost: 'text', spent: 'text', most: 'text', period: ['week', 'month'], from: 'text' },
    'over-rented': { cost: 'text', spent: 'text', most: 'text', period: ['day', 'month'], from: 'text' },
  },
  'lane-free': { free: {}, busy: { run: 'text', count: 'integer?' } },
  'not-held': { free: {}, held: HOLD_FIELDS },
  'manifest-complete': {
    complete: {},
    'not-shipped': { path: 'text', count: 'integer' },
    unseen: { part: 'text', sign: 'text' },
    'too-long': { chars: 'integer', most: 'integer' },
  },
  'approver-allowed': {
    enough: APPROVED_FIELDS,
    beforehand: APPROVED_FIELDS,
    'too-few': { ...APPROVED_FIELDS, missing: 'integer' },
    'not-counting': { ...APPROVED_FIELDS, by: 'text', why: 'text' },
  },
  'manifest-unchanged': {
    'not-approved-yet': { digest: 'text' },
    'as-approved': { digest: 'text' },
    'fix-beforehand': { digest: 'text', approved: 'text' },
    changed: { approved: 'text', digest: 'text' },
  },
} as const satisfies { readonly [gate: string]: Vocabulary };
export type Verdicts = typeof VERDICTS;
export type GateId = keyof Verdicts;
export const GATES = Object.keys(VERDICTS) as readonly GateId[];

/**
 * Gates that evaluate the approvals. They block a launch but not an approval. `gated` does not record them, because the record already has
 * the approvals.
 */
export const APPROVAL_GATES = ['approver-allowed', 'manifest-unchanged'] as const satisfies readonly GateId[];

/** Who can fix a failing gate. */
export const REMEDY_ACTORS = ['author', 'maintainer', 'approver', 'anyone', 'lab', 'time'] as const;
export type RemedyActor = (typeof REMEDY_ACTORS)[number];

/** `code`: `unreadable`, or one of the gate's codes in the ferrybot version that recorded the verdict. */
export const verdictSchema = z.object({
  gate: z.enum(GATES),
  outcome: z.enum(['pass', 'warn', 'fail', 'unknown']),
  code: text,
  found: scalars,
  remedyBy: z.enum(REMEDY_ACTORS),
});
export type Verdict = Parsed<typeof verdictSchema>;

/** Why a gate's outcome is unknown; empty for other verdicts. */
export function unknownReason({ outcome, found }: Pick<Verdict, 'outcome' | 'found'>): string {
  return outcome === 'unknown' ? (readFacts({ why: 'text' }, found)?.why ?? '') : '';
}

/** The gates that block a launch: failing or unknown. */
export function listOpenVerdicts(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.filter(({ outcome }) => outcome === 'fail' || outcome === 'unknown');
}

/** True if every gate passes or warns; unknown never passes. */
export function allPass(verdicts: readonly Verdict[]): boolean {
  for (const { outcome } of verdicts) if (outcome !== 'pass' && outcome !== 'warn') return false;
  return verdicts.length > 0;
}

/**
 * Gates that the runner does not repeat (decision 0120). To read checks, the launch token would need one more permission. Holds and
 * approvals have their own refusals.
 */
const NOT_ON_RUNNER = ['checks-green', 'not-held', ...APPROVAL_GATES] as const satisfies readonly GateId[];
export type RunnerGate = Exclude<GateId, (typeof NOT_ON_RUNNER)[number]>;

/** Whether the runner evaluates this gate again. */
export function isRunnerGate(gate: GateId): gate is RunnerGate {
  return !(NOT_ON_RUNNER as readonly GateId[]).includes(gate);
}

export const RUNNER_GATES: readonly RunnerGate[] = GATES.filter(isRunnerGate);

/** The runner's own refusals. A gate that blocks on the runner uses its gate id as the refusal code; those ids are not listed here. */
export const REFUSALS = [
  'order-unknown',
  'order-void',
  'order-used',
  'order-expired',
  'other-repository',
  'stop-requested',
  'approval-invalid',
  'approver-not-permitted',
  'too-few-approvals',
  'approval-outdated',
  'second-card',
  'order-forged',
  'attempt-live',
  'attempt-otherwise',
  'relaunch-not-due',
  'fix-not-approved',
  'pull-closed',
  'wrong-origin',
  'fork',
  'manifest-changed',
  'tree-differs',
  'secret-missing',
  'no-state-directory',
  'files-left-out',
  'build-files-changed',
  'held',
  'unreadable',
] as const;
export type OrderRefusal = (typeof REFUSALS)[number];
export type RefusalCode = OrderRefusal | RunnerGate;

/** False for gate ids and for codes of other versions. */
export function isOrderRefusal(reason: string): reason is OrderRefusal {
  return (REFUSALS as readonly string[]).includes(reason);
}
