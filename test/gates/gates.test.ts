/**
 * Every gate passes with good facts, blocks with its code for each bad fact, and is unknown without its
 * fact.
 */

import { describe, expect, it } from 'vitest';
import { APPROVAL_GATES, allPass, GATES } from '../../src/domain/launch/verdict.ts';
import { evaluateGates } from '../../src/gates/run-gates.ts';
import { gateTable } from '../../src/render/card-gates.ts';
import { ROWS } from './gate-cases.ts';
import { gateFacts } from './sample-facts.ts';

const ALL = evaluateGates(gateFacts()).map(({ gate }) => gate);

describe('the gates', () => {
  it('all exist once, in the documented order', () => {
    expect(ALL).toEqual(GATES);
    expect(Object.keys(ROWS).toSorted()).toEqual([...GATES].toSorted());
  });

  it('pass a ferry without any fault', () => {
    const verdicts = evaluateGates(gateFacts());
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
    expect(allPass(verdicts)).toBe(true);
  });

  it('block if there are no verdicts', () => {
    expect(allPass([])).toBe(false);
  });
});

describe.each(GATES)('%s', (gate) => {
  const isOverApprovals = APPROVAL_GATES.some((one) => one === gate);

  it('has a case that only this gate blocks, and a case with an unknown outcome', () => {
    const loud = ROWS[gate].map(([what, facts]) => {
      const verdicts = evaluateGates(gateFacts(facts));
      const outcome = verdicts.find((verdict) => verdict.gate === gate)?.outcome;
      expect(outcome).not.toBe('pass');
      expect(allPass(verdicts)).toBe(outcome === 'warn');
      const failing = verdicts.filter((verdict) => verdict.outcome === 'fail');
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
    const picture = ROWS[gate].map(([what, facts]) => {
      const verdicts = evaluateGates(gateFacts(facts));
      const codes = verdicts.flatMap((one) =>
        one.outcome === 'pass' ? [] : [`${one.gate}: ${one.outcome} ${one.code}`],
      );
      const own = verdicts.filter((verdict) => verdict.gate === gate);
      return `### ${what}\n\n${codes.join(', ')}\n\n${gateTable(own)}`;
    });
    const green = evaluateGates(gateFacts()).filter((verdict) => verdict.gate === gate);
    const text = [`# ${gate}`, `### when it passes: ${green[0]?.code}\n\n${gateTable(green)}`, ...picture].join('\n\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`__snapshots__/gates/${gate}.md`);
  });
});
