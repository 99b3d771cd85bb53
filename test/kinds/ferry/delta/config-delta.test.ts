import { describe, expect, it } from 'vitest';
import type { Delta } from '../../../../src/domain/launch/delta.ts';
import { createPythonParser } from '../../../../src/host/python-parser.ts';
import { configDelta } from '../../../../src/kinds/ferry/delta/config-delta.ts';
import { type CorpusCase, type Expectation, readCorpus } from './corpus.ts';

const parser = await createPythonParser();
const corpus = readCorpus();

/** What of a delta the corpus fixes, in the corpus's own words. */
function told(delta: Delta, expected: Expectation): unknown {
  switch (delta.kind) {
    case 'none':
      return 'none';
    case 'knobs':
      return delta.changes;
    case 'structural':
      return typeof expected === 'object' && 'structural' in expected
        ? {
            structural: delta.side,
            ...('line' in expected ? { line: delta.line } : {}),
            ...('statement' in expected ? { statement: delta.statement } : {}),
          }
        : delta;
    case 'unparsable':
      return typeof expected === 'object' && 'unparsable' in expected
        ? { unparsable: delta.side, line: expected.line === null ? null : delta.line }
        : delta;
  }
}

describe.each([...new Set(corpus.map((one) => one.group))])('the delta of %s', (group) => {
  it.each(corpus.filter((one) => one.group === group))(
    '$name: $reason',
    ({ base, head, expect: expected }: CorpusCase) => {
      const delta = configDelta(parser.parse(base), parser.parse(head));
      expect(told(delta, expected)).toEqual(expected);
    },
  );
});

it('has at least a hundred pairs, no two of one name in a file', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(100);
  const names = corpus.map((one) => `${one.group}: ${one.name}`);
  expect(new Set(names).size).toBe(names.length);
});
