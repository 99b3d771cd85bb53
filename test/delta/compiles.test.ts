/** What CPython 3.14 compiles, the parser reads: an interpreter can refuse a file, and nobody can read one that the tree lost. */

import { describe, expect, it } from 'vitest';
import { syntaxErrorIn } from '../../src/delta/syntax-error.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { createCompile } from '../support/cpython.ts';
import { readCorpus } from './corpus.ts';
import { mutatedPrograms, PROGRAMS } from './mutated-programs.ts';

const parser = await createPythonParser();
const compile = await createCompile();
const reads = (text: string): boolean => syntaxErrorIn(parser.parse(text)) === null;

describe('what CPython 3.14 compiles is read', () => {
  it('of every file of the corpus', () => {
    const texts = new Set(readCorpus().flatMap(({ base, head }) => [base, head]));
    expect(texts.size).toBeGreaterThan(400);
    for (const text of texts) if (compile(text).ok) expect(reads(text), text).toBe(true);
  });

  it('of small programs that use the whole grammar', () => {
    for (const text of PROGRAMS) {
      expect(compile(text), text).toEqual({ ok: true });
      expect(reads(text), text).toBe(true);
    }
  });

  it('of those programs after random damage', () => {
    const texts = mutatedPrograms(20261121, 6_000);
    const valid = texts.filter((text) => compile(text).ok);
    expect(valid.length).toBeGreaterThan(texts.length / 20);
    // tree-sitter cannot read a starred literal in an index, nor a tuple that ends a line before an assignment.
    const refused = valid.filter((text) => !reads(text));
    expect(refused.length, refused.join('\n')).toBeLessThanOrEqual(texts.length / 1_000);
  });
});
