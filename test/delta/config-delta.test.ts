import { describe, expect, it } from 'vitest';
import { configDelta } from '../../src/delta/config-delta.ts';
import type { Delta } from '../../src/domain/launch/delta.ts';
import type { PySyntax } from '../../src/domain/python-syntax.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { createCompile } from '../support/cpython.ts';
import { type CorpusCase, type Expectation, readCorpus } from './corpus.ts';

const parser = await createPythonParser();
const compile = await createCompile();

/** A parsed text as a machine with Python 3.14 has it. */
function judged(text: string): PySyntax {
  const syntax = parser.parse(text);
  const verdict = compile(text);
  const isRefused = !verdict.ok && syntax.refusal === null;
  return isRefused ? { ...syntax, refusal: { line: verdict.line ?? 1, message: verdict.message } } : syntax;
}
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
      const delta = configDelta(judged(base), judged(head));
      expect(told(delta, expected)).toEqual(expected);
    },
  );
});

it('is the same on a machine without Python, but for what nobody there can refuse', () => {
  for (const { name, base, head, expect: expected } of corpus) {
    if (typeof expected === 'object' && 'unparsable' in expected) continue;
    expect(configDelta(parser.parse(base), parser.parse(head)), name).toEqual(
      configDelta(judged(base), judged(head)),
    );
  }
});

it('has at least a hundred pairs, no two of one name in a file', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(100);
  const names = corpus.map((one) => `${one.group}: ${one.name}`);
  expect(new Set(names).size).toBe(names.length);
});
