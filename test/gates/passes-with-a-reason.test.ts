/** The alternative conditions of a gate, and who can help according to its verdict. */

import { describe, expect, it } from 'vitest';
import type { GateId, Verdict } from '../../src/domain/launch/verdict.ts';
import { known } from '../../src/domain/values.ts';
import type { GateFacts } from '../../src/gates/gate.ts';
import { evaluateGates } from '../../src/gates/run-gates.ts';
import { alice } from '../support/run-drafts.ts';
import { aBody, aChange, anIssue } from '../support/run-facts.ts';
import { budget, LAUNCHES } from './case-parts.ts';
import { aManifest } from './gate-manifest.ts';
import { BUILT_CASES } from './hero-cases.ts';
import { CONTRACT, gateFacts, LANE, PROPOSAL } from './sample-facts.ts';

const NONE = { change: known(aChange({ delta: { kind: 'none' } })) } as const;

function verdict(gate: GateId, facts: Partial<GateFacts>): Verdict | undefined {
  return evaluateGates(gateFacts(facts)).find((one) => one.gate === gate);
}

describe('a gate also passes', () => {
  it('an identical rerun that declares a regression, without a table', () => {
    const facts = { ...NONE, body: known(aBody({ objectiveKind: 'regression', hasDeltaTable: false })) };
    expect(verdict('identical-rerun', facts)).toMatchObject({ outcome: 'pass', code: 'declared-regression' });
    expect(verdict('delta-declared', facts)).toMatchObject({ outcome: 'pass', code: 'declared' });
    expect(verdict('delta-readable', facts)).toMatchObject({ outcome: 'pass', code: 'countable' });
    expect(verdict('budget', facts)).toMatchObject({ outcome: 'pass', found: { knobs: 0 } });
  });

  it.each(BUILT_CASES)('a container %s', (_, facts, code) => {
    expect(verdict('container-built', facts)).toMatchObject({ outcome: 'pass', code });
  });

  it('a change of scale that a person requested by name', () => {
    const change = { knob: 'hidden_dim', path: 'x.hidden_dim', before: '1', after: '2', bucket: null, line: 1 };
    const facts = {
      change: known(aChange({ delta: { kind: 'knobs', changes: [change] } })),
      proposal: { ...PROPOSAL, requestedBy: alice, objective: { kind: 'integration', text: 'raise hidden_dim' } },
    } as const;
    expect(verdict('scale-stable', facts)).toMatchObject({
      outcome: 'pass',
      code: 'asked-for',
      found: { knob: 'hidden_dim', by: 'alice' },
    });
  });

  it.each([
    'pre-registered loss',
    'FLOP budget, Pre-registered loss',
    '- `Pre-registered loss`: it is another mixture\n- Goal',
  ])('another loss than before, if the contract declares it as intended: %s', (value) => {
    const policy = { ...aManifest().policy, 'contract.loss': 'given: 3' };
    const changes = { value, source: 'given', from: '' } as const;
    const contract = { ...CONTRACT, changes };
    const facts = {
      ranBefore: known({ manifest: aManifest({ policy }), isOfAnotherRun: false }),
      contract: { recorded: contract, read: known(contract) },
    };
    expect(verdict('config-drift', facts)).toMatchObject({ outcome: 'pass', code: 'meant' });
  });

  it('an issue that links the pull request by its address', () => {
    const body = 'https://github.com/lab/models/pull/13 is open';
    expect(verdict('issue-updated', { issue: known(anIssue({ body })) })).toMatchObject({ outcome: 'pass' });
  });
});

describe('a gate that blocks', () => {
  it('names the first problem and the number of problems', () => {
    const changedPaths = ['experiments/ferries/daily.py', 'lib/a.py', 'lib/b.py'];
    expect(verdict('scope', { change: known(aChange({ changedPaths })) })).toMatchObject({
      found: { first: 'lib/a.py', count: 2 },
      remedyBy: 'author',
    });
  });

  describe('on the files of a change: the fix scope counts only after an attempt has failed', () => {
    const lane = { ...LANE, fixScope: ['lib', 'scripts/run.sh'] };
    const changedPaths = ['experiments/ferries/daily.py', 'lib/deep/a.py', 'scripts/run.sh'];
    const may = { may1: 'experiments/ferries/daily.py', may2: 'lib', may3: 'scripts/run.sh' };
    const scope = (fixOf: number | null, paths: readonly string[]) =>
      verdict('scope', { lane, fixOf, change: known(aChange({ changedPaths: paths })) });

    it.each([
      ['before one', null, changedPaths, { code: 'outside', found: { first: 'lib/deep/a.py', count: 2 } }],
      ['after one', 1, changedPaths, { code: 'inside', found: { files: 3, attempt: 1, ...may } }],
      [
        'after one, for a folder with only the same prefix',
        1,
        ['library/a.py'],
        { code: 'outside', found: { first: 'library/a.py', count: 1, attempt: 1, ...may } },
      ],
    ])('%s', (_, fixOf, paths, expected) => {
      expect(scope(fixOf, paths)).toMatchObject(expected);
    });
  });

  it('counts the launches of the week and month exactly, and no earlier ones', () => {
    const lane = { ...LANE, costBudget: budget({ perWeek: '7.5', perMonth: '10' }) };
    const found = verdict('cost-budget', { lane, launches: known(LAUNCHES) });
    expect(found).toMatchObject({ outcome: 'pass', code: 'within' });
    expect(verdict('cost-budget', { lane, launches: known([...LAUNCHES, ...LAUNCHES]) })).toMatchObject({
      found: { cost: '2.5', spent: '10', most: '7.5', period: 'week', from: '2026-11-16' },
    });
  });

  it('names the run that occupies the lane, which only time can resolve', () => {
    expect(verdict('lane-free', { liveRuns: known(['ferry-daily-20261120', 'x']) })).toMatchObject({
      found: { run: 'ferry-daily-20261120', count: 2 },
      remedyBy: 'time',
    });
  });
});
