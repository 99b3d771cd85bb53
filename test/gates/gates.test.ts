/**
 * Every gate passes with good facts, blocks with its code for each bad fact, and is unknown without its
 * fact.
 */

import { describe, expect, it } from 'vitest';
import { APPROVAL_GATES, allPass, GATES } from '../../src/domain/launch/verdict.ts';
import { runGates } from '../../src/gates/run-gates.ts';
import { gateTable } from '../../src/render/card-gates.ts';
import { ROWS } from './gate-cases.ts';
import { gateFacts } from './sample-facts.ts';

const ALL = runGates(gateFacts()).map(({ gate }) => gate);

describe('the gates', () => {
  it('all exist once, in the documented order', () => {
    expect(ALL).toEqual(GATES);
    expect(Object.keys(ROWS).toSorted()).toEqual([...GATES].toSorted());
  });

  it('pass a ferry without any fault', () => {
    const verdicts = runGates(gateFacts());
    expect(Object.fromEntries(verdicts.map(({ gate, code }) => [gate, code]))).toEqual(
      Object.fromEntries(GATES.map((gate) => [gate, ROWS[gate].pass])),
    );
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(GATES.map(() => 'pass'));
    expect(allPass(verdicts)).toBe(true);
  });

  it('block if there are no verdicts', () => {
    expect(allPass([])).toBe(false);
  });
});

describe.each(ALL)('%s', (gate) => {
  it.for(ROWS[gate].cases)('%s', ([, facts, outcome, code, others = []]) => {
    const verdicts = runGates(gateFacts(facts));
    expect(verdicts.find((verdict) => verdict.gate === gate)).toMatchObject({ outcome, code });
    expect(allPass(verdicts)).toBe(outcome === 'warn');
    const loud = verdicts.filter((verdict) => verdict.outcome !== 'pass').map((verdict) => verdict.gate);
    expect(loud.toSorted()).toEqual([...new Set([gate, ...others])].toSorted());
  });
});

describe.each(GATES)('%s', (gate) => {
  const isOverApprovals = APPROVAL_GATES.some((one) => one === gate);

  it('has a case that only this gate blocks, and a case with an unknown outcome', () => {
    const loud = ROWS[gate].cases.map(([what, facts, outcome]) => {
      const failing = runGates(gateFacts(facts)).filter((verdict) => verdict.outcome === 'fail');
      const others = failing.filter((one) => one.gate !== gate);
      // An approval of something else is also missing from the quorum, so the two approval gates react
      // together.
      const isAlone = others.every((one) => isOverApprovals && one.gate === 'approver-allowed');
      return { what, outcome, isAlone: outcome === 'fail' && failing.length > 0 && isAlone };
    });
    expect(loud.filter(({ isAlone }) => isAlone)).not.toHaveLength(0);
    expect(loud.filter(({ outcome }) => outcome === 'unknown')).not.toHaveLength(0);
  });

  it('is shown on the card: every case as a person reads it', async () => {
    const picture = ROWS[gate].cases.map(([what, facts]) => {
      const own = runGates(gateFacts(facts)).filter((verdict) => verdict.gate === gate);
      return `### ${what}\n\n${gateTable(own)}`;
    });
    const green = gateTable(runGates(gateFacts()).filter((verdict) => verdict.gate === gate));
    const text = [`# ${gate}`, `### when it passes\n\n${green}`, ...picture].join('\n\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`__snapshots__/gates/${gate}.md`);
  });
});
