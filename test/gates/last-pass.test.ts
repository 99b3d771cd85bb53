// The gates over a change that goes on from a pass: what the pass ran is not counted again, and what is new is.

import { describe, expect, it } from 'vitest';
import type { BaseFacts, Delta } from '../../src/domain/launch/change-facts.ts';
import type { GateId } from '../../src/domain/launch/verdict.ts';
import { branded, isRunId, known } from '../../src/domain/values.ts';
import { runGates } from '../../src/gates/run-gates.ts';
import { shaOf } from '../support/run-drafts.ts';
import { aChange } from '../support/run-facts.ts';
import { knob } from './case-parts.ts';
import { gateFacts } from './sample-facts.ts';

const knobs = (...paths: readonly string[]): Delta =>
  paths.length === 0 ? { kind: 'none' } : { kind: 'knobs', changes: paths.map((path) => knob(path)) };
const STRUCTURAL: Delta = { kind: 'structural', side: 'head', line: 9, statement: 'def f():' };

const facts = (delta: Delta, fresh: Delta): ReturnType<typeof gateFacts> => {
  const base: BaseFacts = {
    run: branded('ferry-daily-20261120', isRunId),
    commit: shaOf('passed'),
    delta: fresh,
    notTaken: [],
  };
  return gateFacts({ change: known(aChange({ delta, base })) });
};
const verdict = (gate: GateId, of: ReturnType<typeof gateFacts>): object | undefined =>
  runGates(of).find((one) => one.gate === gate);

describe('a change that goes on from a pass', () => {
  it('has a budget for what is new, and not for what ran before', () => {
    const against = 'ferry-daily-20261120';
    expect(verdict('budget', facts(knobs('a', 'b', 'c', 'd'), knobs('d')))).toMatchObject({
      outcome: 'pass',
      found: { knobs: 1, against },
    });
    // Taken back to the branch: nothing is left of them there, and each is new all the same.
    expect(verdict('budget', facts(knobs(), knobs('a', 'b', 'c')))).toMatchObject({
      outcome: 'warn',
      found: { knobs: 3, against },
    });
  });

  it('is an identical rerun where nothing is new, whatever the branch has', () => {
    expect(verdict('identical-rerun', facts(knobs('a'), knobs()))).toMatchObject({
      outcome: 'fail',
      code: 'identical-undeclared',
    });
    expect(verdict('identical-rerun', facts(knobs(), knobs('a')))).toMatchObject({ outcome: 'pass' });
  });

  it('keeps the scale that ran, and changes it no further unasked', () => {
    expect(verdict('scale-stable', facts(knobs('hidden_dim'), knobs('a')))).toMatchObject({
      outcome: 'pass',
    });
    expect(verdict('scale-stable', facts(knobs(), knobs('hidden_dim')))).toMatchObject({ outcome: 'fail' });
  });

  it('is countable against the branch and against the pass, or is not launched', () => {
    expect(verdict('delta-readable', facts(knobs('a'), STRUCTURAL))).toMatchObject({ code: 'structural' });
    expect(verdict('delta-readable', facts(STRUCTURAL, knobs('a')))).toMatchObject({ code: 'structural' });
    expect(verdict('budget', facts(knobs('a'), STRUCTURAL))).toMatchObject({ outcome: 'unknown' });
  });
});
