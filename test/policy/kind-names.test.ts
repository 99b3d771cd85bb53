/** Outside of src/kinds no code names a kind of run: a new one would be forgotten there. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../src/kinds/registry.ts';
import { ROOT } from './cruise.ts';

const FILES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('kinds/'),
);
/** The folder of all tags, which rulesets of labs name; and a sentence that counts runs, which are all ferries so far. */
const OLD: readonly string[] = ['logbook/mark.ts', 'render/backtest.ts'];
const NAMES = KINDS.map(({ name }) => name);

/** Texts and keys of a file that are the name of a kind, or begin a name with it: `'ferry'`, `ferry-${lane}`. */
function namesIn(text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    // A member that a type picks is a word of the domain, whatever kinds there are.
    if (ts.isLiteralTypeNode(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      if (NAMES.some((name) => node.text === name || node.text.startsWith(`${name}-`))) found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('it.ts', text, ts.ScriptTarget.Latest));
  return found;
}

describe('the source outside of the kinds', () => {
  it('is found', () => {
    expect(FILES.length).toBeGreaterThan(400);
  });

  it('names none of them', () => {
    const found = FILES.filter((file) => !OLD.includes(file)).flatMap((file) =>
      namesIn(readFileSync(join(ROOT, 'src', file), 'utf8')).map((name) => `${file}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  it('would be caught', () => {
    expect(namesIn("const a = lane.kind === 'ferry' ? `ferry-${lane}` : 'a ferry';")).toEqual([
      'ferry',
      'ferry-',
    ]);
  });
});
