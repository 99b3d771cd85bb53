import { describe, expect, it } from 'vitest';
import { createPythonParser } from '../../../../src/host/python-parser.ts';
import { findSyntaxError } from '../../../../src/kinds/ferry/syntax/find-syntax-error.ts';
import { createCompile } from '../../../support/cpython.ts';
import { readCorpus } from '../delta/corpus.ts';
import { mutatedPrograms, PROGRAMS } from './mutated-programs.ts';

const parser = await createPythonParser();
const compile = await createCompile();
const takes = (text: string): boolean => findSyntaxError(parser.parse(text)) === null;

describe('CPython 3.14 is the judge', () => {
  it('of every file of the corpus', () => {
    const texts = new Set(readCorpus().flatMap(({ base, head }) => [base, head]));
    expect(texts.size).toBeGreaterThan(400);
    for (const text of texts) expect(takes(text), text).toBe(compile(text).ok);
  });

  it('of what the corpus says does not parse', () => {
    for (const { name, base, head, expect: expected } of readCorpus()) {
      if (typeof expected !== 'object' || !('unparsable' in expected)) continue;
      const answer = compile(expected.unparsable === 'base' ? base : head);
      expect(answer.ok, name).toBe(false);
      if (!answer.ok && answer.line !== null && expected.line !== null)
        expect(answer.line, name).toBe(expected.line);
    }
  });

  it('of small programs that use the whole grammar', () => {
    for (const text of PROGRAMS) {
      expect(compile(text), text).toEqual({ ok: true });
      expect(takes(text), text).toBe(true);
    }
  });

  it('of those programs after random damage', () => {
    const texts = mutatedPrograms(20261121, 6_000);
    const wrong = texts.filter((text) => takes(text) !== compile(text).ok);
    // tree-sitter cannot read a starred literal in an index, nor a tuple that ends a line before an assignment.
    const refused = wrong.filter((text) => !takes(text));
    expect(wrong.filter((text) => takes(text))).toEqual([]);
    expect(refused.length, refused.join('\n')).toBeLessThanOrEqual(texts.length / 1_000);
    const valid = texts.filter(takes).length;
    expect(valid).toBeGreaterThan(texts.length / 20);
    expect(valid).toBeLessThan(texts.length / 2);
  });
});
