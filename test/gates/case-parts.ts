// The facts for the cases of the gates: each has one wrong or one unreadable part.

import type { UnnamedWork } from '../../src/domain/actor.ts';
import type { CheckFacts, Mismatch } from '../../src/domain/facts.ts';
import type { KnobChange } from '../../src/domain/launch/change-facts.ts';
import type { GateId } from '../../src/domain/launch/verdict.ts';
import type { Launch } from '../../src/domain/past-runs.ts';
import { addMs, type Instant, known, unknown } from '../../src/domain/values.ts';
import type { GateFacts } from '../../src/gates/gate.ts';
import { toSha } from '../support/run-drafts.ts';
import { aBody, aChange, aCheck, anIssue, aPull, NOON } from '../support/run-facts.ts';
import { LANE, someApprovals } from './sample-facts.ts';

export type Facts = Partial<GateFacts>;
/** Its cases for each gate. The snapshots have what every gate says about each. */
export type Rows = Readonly<Record<GateId, readonly Case[]>>;
export type Case = readonly [what: string, facts: Facts];

export const knob = (path: string, name = path): KnobChange => ({
  knob: name,
  path,
  before: '1',
  after: '2',
  bucket: null,
  line: 1,
});
export const knobs = (...paths: readonly string[]): Facts => ({
  change: known(aChange({ delta: { kind: 'knobs', changes: paths.map((path) => knob(path)) } })),
});
export const STRUCTURAL: Facts = {
  change: known(aChange({ delta: { kind: 'structural', side: 'head', line: 9, statement: 'def f():' } })),
};
export const UNPARSABLE: Facts = {
  change: known(aChange({ delta: { kind: 'unparsable', side: 'base', line: 9, message: 'invalid' } })),
};
export const NO_CHANGE: Facts = { change: known(aChange({ delta: { kind: 'none' } })) };
export const body = (change: Parameters<typeof aBody>[0]): Facts => ({ body: known(aBody(change)) });
export const pull = (change: Parameters<typeof aPull>[0]): Facts => ({ pull: known(aPull(change)) });
export const issue = (change: Parameters<typeof anIssue>[0]): Facts => ({ issue: known(anIssue(change)) });
export const box = (text: string, checked: boolean) => ({ text, checked, line: 3 });
export const mismatch = (kind: Mismatch['kind']): Mismatch => ({
  kind,
  knob: 'learning_rate',
  actual: null,
  fileLine: 4,
  row: '| learning_rate | 3e-3 | 6e-3 |',
});

export const PULL: Facts = { pull: unknown('GitHub is away') };
export const ISSUE: Facts = { issue: unknown('GitHub is away') };
export const CHANGE: Facts = { change: unknown('git is away') };
export const BODY: Facts = { body: unknown('GitHub is away') };
export const UNSHIPPED: Facts = { change: known(aChange({ trees: { experiments: null } })) };
export const MANIFEST: Facts = { manifest: unknown('the proposed commit has no lib') };
export const CHECKS: Facts = { checks: unknown('GitHub is away') };
export const checks = (...change: readonly Partial<CheckFacts>[]): Facts => ({
  checks: known(change.map((one) => aCheck(one))),
});
export const lane = (change: Partial<typeof LANE>): Facts => ({ lane: { ...LANE, ...change } });
export const hours = (ms: number): Instant => addMs(NOON, ms * 3_600_000);
export const BEHIND = { baseSha: toSha('a newer tip'), mergeBaseAt: hours(-24) } as const;
export const LATER = [{ sha: toSha('later'), subject: 'a faster loader' }] as const;
export const APPROVALS: Facts = { approvals: unknown('GitHub is away') };
export const given = (change: Parameters<typeof someApprovals>[0]): Facts => ({
  approvals: known(someApprovals(change)),
});
export const unnamed = (code: UnnamedWork['code'], about: string, by: string): Facts => ({
  authors: known({ people: [], unnamed: [{ code, about, by }] }),
});
export const LIVE: Facts = { liveRuns: unknown('the logbook is away') };

/** A budget that one run keeps. */
export const budget = (change: Partial<NonNullable<typeof LANE.costBudget>>): NonNullable<typeof LANE.costBudget> => ({
  maxAcceleratorHours: '2.5',
  perWeek: null,
  perMonth: null,
  enforce: 'block',
  ...change,
});
/** Two in the week of NOON, one more in its month, and one before. */
export const LAUNCHES: readonly Launch[] = [
  { date: '2026-11-18', acceleratorHours: '2.5' },
  { date: '2026-11-16', acceleratorHours: '2.50' },
  { date: '2026-11-15', acceleratorHours: '2.5' },
  { date: '2026-10-31', acceleratorHours: '90' },
];
