import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delta, KnobChange } from '../../../../src/domain/launch/change-facts.ts';
import {
  DELTA_TABLE_HEAD,
  declaredName,
  declaredRow,
  findMismatches,
  readBodyFacts,
  readPullBody,
} from '../../../../src/kinds/ferry/pull-body.ts';

const change = (path: string, before: string | null, after: string | null): KnobChange => ({
  knob: path.split('.').at(-1) ?? path,
  path,
  before,
  after,
  bucket: null,
  line: 7,
});
const knobs = (...changes: readonly KnobChange[]): Delta => ({ kind: 'knobs', changes });
const table = (...rows: readonly string[]): string =>
  `### Config delta\n\n${[...DELTA_TABLE_HEAD, ...rows].join('\n')}\n`;
const judged = (delta: Delta, ...rows: readonly string[]): readonly unknown[] => {
  const declared = readPullBody(table(...rows))?.delta;
  if (declared == null) throw new Error('the table was not read');
  return findMismatches(delta, declared);
};

const LR = change('train.Cfg().lr', '1', '2');

describe('the table against the files', () => {
  it('finds no mismatch if both agree, by knob or by path', () => {
    expect(judged(knobs(LR), '| `lr` | `1` | `2` |')).toEqual([]);
    expect(judged(knobs(LR), '| train.Cfg().lr | 1 | 2 |')).toEqual([]);
  });

  // rule DF-18
  it('finds a wrong value and offers the correct row', () => {
    expect(judged(knobs(LR), '| `lr` | `1` | `3` |')).toEqual([
      { kind: 'undeclared', knob: 'lr', actual: '1 -> 2', fileLine: 7, row: '| `lr` | `1` | `2` |' },
    ]);
  });

  it('accepts a number or a string in another spelling, but no other value or type', () => {
    const rate = change('a.lr', '3e-3', '6e-3');
    expect(judged(knobs(rate), '| lr | 0.003 | `0.006` |')).toEqual([]);
    expect(judged(knobs(rate), '| lr | 0.003 | 0.06 |')).toMatchObject([{ kind: 'undeclared' }]);
    expect(judged(knobs(change('a.n', '1', '-1_000')), '| n | 1 | - 1000 |')).toEqual([]);
    expect(judged(knobs(change('a.n', '1', '2')), '| n | 1.0 | 2 |')).toMatchObject([{ kind: 'undeclared' }]);
    const schedule = change('a.s', '"linear"', "'it\\'s'");
    expect(judged(knobs(schedule), `| s | \`'linear'\` | \`"it's"\` |`)).toEqual([]);
    expect(judged(knobs(schedule), `| s | linear | \`"it's"\` |`)).toMatchObject([{ kind: 'undeclared' }]);
  });

  it.each([
    ['aligned columns', '|  Knob  | Before |  After |\n|:------:|:-------|-------:|\n|  `lr`  | `1` |  `2` |'],
    ['no bars at the ends of a row', 'Knob | Before | After\n--- | --- | ---\n`lr` | `1` | `2`'],
    ['more columns, in another order', '| Why | After | Knob | Before |\n|-|-|-|-|\n| x | 2 | lr | 1 |'],
    ['HTML in cells', '| Knob | Before | After |\n|-|-|-|\n| <code>lr</code> | 1 | <b>2</b> |'],
    ['a struck-through value', '| Knob | Before | After |\n|-|-|-|\n| lr | 1 | ~~3~~ 2 |'],
    ['another table before it', '| Loss |\n|-|\n| 3 |\n\n| Knob | Before | After |\n|-|-|-|\n| lr | 1 | 2 |'],
    ['an empty row', '| Knob | Before | After |\n|-|-|-|\n| lr | 1 | 2 |\n|  |  |  |'],
  ])('reads a table with %s', (_name, markdown) => {
    const declared = readPullBody(`### Config delta\n\n${markdown}\n`)?.delta;
    expect(findMismatches(knobs(LR), declared ?? [])).toEqual([]);
  });

  it('is not misled by invisible text', () => {
    expect(judged(knobs(LR), '| l\u200br | 1 | 2 |')).toMatchObject([{ kind: 'undeclared' }, { kind: 'unchanged' }]);
    expect(judged(knobs(LR), '| lr | 1 | 3<!-- 2 --> |')).toMatchObject([{ kind: 'undeclared' }]);
  });

  it('finds a change that is missing in the table', () => {
    expect(judged(knobs(LR, change('seed', null, 'None')), '| `lr` | `1` | `2` |')).toMatchObject([
      { kind: 'undeclared', knob: 'seed', row: '| `seed` | absent | `None` |' },
    ]);
  });

  it('distinguishes absent from None', () => {
    expect(judged(knobs(change('seed', null, '1')), '| `seed` | `None` | `1` |')).toMatchObject([
      { kind: 'undeclared', row: '| `seed` | absent | `1` |' },
    ]);
  });

  it('finds a duplicate row, and a row for an unchanged knob', () => {
    expect(judged(knobs(LR), '| `lr` | `1` | `2` |', '| `lr` | `1` | `2` |', '| `decay` | `0` | `1` |')).toMatchObject([
      { kind: 'unchanged', knob: 'lr', row: null },
      { kind: 'unchanged', knob: 'decay', row: null },
    ]);
    expect(judged({ kind: 'none' }, '| `lr` | `1` | `2` |')).toMatchObject([{ kind: 'unchanged' }]);
  });

  it('requires the path if two changed knobs have one name', () => {
    const other = change('eval.Cfg().lr', '5', '6');
    expect(judged(knobs(LR, other), '| `lr` | `5` | `6` |', '| `lr` | `1` | `2` |')).toEqual([]);
    expect(judged(knobs(LR, other), '| `lr` | `1` | `2` |', '| `lr` | `9` | `9` |')).toMatchObject([
      { kind: 'undeclared', row: '| `eval.Cfg().lr` | `5` | `6` |' },
    ]);
  });

  it('finds no mismatch with a delta that cannot be counted', () => {
    expect(judged({ kind: 'structural', side: 'head', line: 1, statement: 'x' }, '| `a` | `1` | `2` |')).toEqual([]);
  });

  it('offers a valid row for a value with a backslash before a pipe', () => {
    const one = change('a.lr', '"\\|"', 'x');
    expect(judged(knobs(one), declaredRow(one, 'lr'))).toEqual([]);
  });

  it('always accepts the row that it offers', () => {
    const value = fc.option(
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((s) => s.trim() !== ''),
      { nil: null },
    );
    const changes = fc.uniqueArray(fc.tuple(fc.constantFrom('a.lr', 'b.lr', 'seed', 'W["a|b"]'), value, value), {
      selector: ([path]) => path,
      minLength: 1,
    });
    fc.assert(
      fc.property(changes, (list) => {
        const real = list.map(([path, before, after]) => change(path, before, after));
        const rows = real.map((one) => declaredRow(one, declaredName(one, real)));
        expect(judged(knobs(...real), ...rows)).toEqual([]);
      }),
    );
  });
});

describe('the facts for the gates', () => {
  const facts = (markdown: string, last: { issue: number; pull: number } | null): unknown =>
    readBodyFacts(markdown, { delta: knobs(LR), last });

  it('an empty body yields no facts, and every knob is undeclared', () => {
    expect(facts('hello', null)).toMatchObject({
      risk: null,
      objectiveKind: null,
      linksLastFerry: false,
      hasDeltaTable: false,
      mismatches: [{ kind: 'undeclared' }],
      boxes: [],
    });
  });

  it('the last ferry is linked only by its own issue or PR', () => {
    expect(facts('### Last ferry\n#12\n', { issue: 12, pull: 13 })).toMatchObject({ linksLastFerry: true });
    expect(facts('### Last ferry\n#99\n', { issue: 12, pull: 13 })).toMatchObject({ linksLastFerry: false });
    expect(facts('### Last ferry\n- Issue: #12\n- Run: x\n', { issue: 12, pull: 13 })).toMatchObject({
      linksLastFerry: true,
    });
    expect(facts('### Last ferry\nnone\n', { issue: 12, pull: 13 })).toMatchObject({ linksLastFerry: false });
    expect(facts('### Last ferry\nnone\n', null)).toMatchObject({ linksLastFerry: true });
  });
});
