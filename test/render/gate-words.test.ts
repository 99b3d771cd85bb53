import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GATES, REMEDY_ACTORS, VERDICTS } from '../../src/domain/launch/verdict.ts';
import { remedyActorName } from '../../src/render/card-gates.ts';
import { gateWords, SENTENCES } from '../../src/render/gate-words.ts';

const GATES_FOLDER = new URL('../../src/gates/', import.meta.url);
const FILES = [
  ...readdirSync(GATES_FOLDER).map((name) => `gates/${name}`),
  ...['contracts/gates.ts', 'kinds/ferry/gates.ts', 'kinds/hero/gates.ts', 'kinds/hero/config-drift.ts'],
  ...['kinds/rental/kind.ts', 'kinds/adoption/kind.ts'],
];
/** The source text of each gate, from its definition to the next one. */
const SOURCES = FILES.flatMap((file) =>
  readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
    .split(/\b(?=(?:defineGate|judgements)\(\s*')/)
    .slice(1)
    .map((source) => ({ gate: /'([a-z-]+)'/.exec(source)?.[1] ?? '', source })),
);

/**
 * The codes that a gate can return, from its source; a mismatch and unnamed authors are passed on under
 * their own kind.
 */
function codesOf(gate: string): readonly string[] {
  const source = SOURCES.flatMap((one) => (one.gate === gate ? [one.source] : [])).join('\n');
  const calls = [...source.matchAll(/\b(?:pass|warn|block|unknown|hold|over)\(\s*([^,)]*)/g)].map(
    (match) => match[1] ?? '',
  );
  const kinds = ['undeclared', 'unchanged'];
  const unnamed = ['opened-unnamed', 'commit-unnamed', 'push-unnamed', 'edit-unnamed', 'too-much-work'];
  const passedOn: Readonly<Record<string, readonly string[]>> = { 'first.kind': kinds, 'first.code': unnamed };
  return calls.flatMap(
    (first) => passedOn[first] ?? [...first.matchAll(/'([a-z-]+)'/g)].map((match) => match[1] ?? ''),
  );
}

describe('the words of the gates', () => {
  it.each(GATES)('cover every code of %s, and no other', (gate) => {
    expect(new Set(Object.keys(SENTENCES[gate]))).toEqual(new Set(codesOf(gate)));
    expect(Object.keys(VERDICTS[gate])).toEqual(Object.keys(SENTENCES[gate]));
  });

  it('describe what was found and what to do', () => {
    const found = Object.entries(SENTENCES).flatMap(([gate, codes]) =>
      Object.keys(codes).map((code) => {
        const known = GATES.find((one) => one === gate) ?? 'scope';
        return `${gate} ${code}: ${JSON.stringify(gateWords({ gate: known, outcome: 'fail', code, found: gate === 'cost-budget' ? { ...FOUND, most: '2', spent: '1', period: 'week', from: '2026-11-16' } : FOUND, remedyBy: 'author' }))}`;
      }),
    );
    expect(found).toMatchSnapshot();
  });

  it('show an unknown with its reason, and an unknown code unchanged', () => {
    const verdict = { gate: 'scope', outcome: 'unknown', found: { why: 'git is away' }, remedyBy: 'time' } as const;
    expect(gateWords({ ...verdict, code: 'unreadable' }).found).toBe('unknown: git is away');
    expect(gateWords({ ...verdict, code: 'brand-new' })).toEqual({ found: '`brand-new`', remedy: null });
  });

  it('name who can help', () => {
    expect(REMEDY_ACTORS.map((actor) => remedyActorName(actor))).toMatchSnapshot();
  });
});

const FOUND = {
  image: 'ghcr.io/lab/trainer:v1',
  built: 'cd4b4fd7dae9',
  part: 'the command',
  sign: 'U+200B',
  chars: 21_000,
  branch: 'main',
  attempt: 2,
  may1: 'experiments/ferries/daily.py',
  may2: 'lib',
  found: 'found-value',
  about: 'commit 888888888888',
  lane: 'weekly',
  wanted: 'wanted-value',
  files: 1,
  first: 'README.md',
  count: 2,
  knobs: 3,
  small: 'a factor of 2',
  most: 2,
  line: 12,
  side: 'head',
  statement: 'def f(x): | @alice',
  message: 'invalid syntax',
  knob: 'learning_rate',
  row: '| `learning_rate` | `3e-3` | `6e-3` |',
  by: 'alice',
  before: '12',
  after: '24',
  runName: 'daily-125m-2026-11-21',
  risk: 'low',
  boxes: 1,
  box: 'issue created/updated',
  issue: 12,
  pull: 13,
  cluster: 'local',
  run: 'ferry-daily-20261120',
  scope: 'lane',
  date: '2026-11-21',
  reason: 'maintenance',
  base: '111111111111',
  baseAt: '2026-11-20T07:00:00.000Z',
  hoursMax: 24,
  moves: 500,
  later1: '222222222222 a faster loader',
  later2: '333333333333 another',
  check: 'CI / tests',
  says: 'timed out',
  checks: 3,
  workflow: 'CI',
  inForce: '444444444444',
  since: '2026-11-20T08:00:00Z',
  commit: '555555555555',
  toldAt: '2026-11-21T07:00:00.000Z',
  changedAt: '2026-11-21T08:00:00.000Z',
  cost: '2.5',
  path: 'lib',
  dri: 'ada',
  said: 'gs://lab/step-1',
  step: 1200,
  needed: 2,
  missing: 1,
  who1: 'alice',
  who2: 'bob',
  why: 'approver-not-permitted',
  digest: '666666666666',
  approved: '777777777777',
};
