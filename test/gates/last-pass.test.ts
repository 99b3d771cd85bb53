// The gates for a change based on a passed run: what that run contained is not counted again, and new changes
// are.

import { describe, expect, it } from 'vitest';
import type { BaseFacts, Delta } from '../../src/domain/launch/change-facts.ts';
import type { GateId } from '../../src/domain/launch/verdict.ts';
import { brandAs, isRunId, known } from '../../src/domain/values.ts';
import { evaluateGates } from '../../src/gates/run-gates.ts';
import { toSha } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';
import { knob } from './case-parts.ts';
import { gateFacts } from './sample-facts.ts';

const knobs = (...paths: readonly string[]): Delta =>
  paths.length === 0 ? { kind: 'none' } : { kind: 'knobs', changes: paths.map((path) => knob(path)) };
const STRUCTURAL: Delta = { kind: 'structural', side: 'head', line: 9, statement: 'def f():' };

const facts = (delta: Delta, fresh: Delta): ReturnType<typeof gateFacts> => {
  const base: BaseFacts = {
    run: brandAs('ferry-daily-20261120', isRunId),
    commit: toSha('passed'),
    delta: fresh,
    notTaken: [],
  };
  return gateFacts({ change: known(aChange({ delta, base })) });
};
const verdict = (gate: GateId, of: ReturnType<typeof gateFacts>): object | undefined =>
  evaluateGates(of).find((one) => one.gate === gate);

describe('a change based on a passed run', () => {
  it('has a budget for new changes, not for those that already ran', () => {
    const against = 'ferry-daily-20261120';
    expect(verdict('budget', facts(knobs('a', 'b', 'c', 'd'), knobs('d')))).toMatchObject({
      outcome: 'pass',
      found: { knobs: 1, against },
    });
    // Reverted to the branch: no change remains there, but each is new against the pass.
    expect(verdict('budget', facts(knobs(), knobs('a', 'b', 'c')))).toMatchObject({
      outcome: 'warn',
      found: { knobs: 3, against },
    });
  });

  it('is an identical rerun without new changes, regardless of the branch', () => {
    expect(verdict('identical-rerun', facts(knobs('a'), knobs()))).toMatchObject({
      outcome: 'fail',
      code: 'identical-undeclared',
    });
    expect(verdict('identical-rerun', facts(knobs(), knobs('a')))).toMatchObject({ outcome: 'pass' });
  });

  it('keeps the scale that ran, and needs a request for another', () => {
    expect(verdict('scale-stable', facts(knobs('hidden_dim'), knobs('a')))).toMatchObject({ outcome: 'pass' });
    expect(verdict('scale-stable', facts(knobs(), knobs('hidden_dim')))).toMatchObject({ outcome: 'fail' });
  });

  it('must be countable against the branch and against the passed run', () => {
    expect(verdict('delta-readable', facts(knobs('a'), STRUCTURAL))).toMatchObject({ code: 'structural' });
    expect(verdict('delta-readable', facts(STRUCTURAL, knobs('a')))).toMatchObject({ code: 'structural' });
    expect(verdict('budget', facts(knobs('a'), STRUCTURAL))).toMatchObject({ outcome: 'unknown' });
  });
});
