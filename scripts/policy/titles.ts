/** The titles of the tests in a test file, without running it. */

import ts from 'typescript';

/** `describe > it` of every test that has a plain text as its title, and the title alone. */
export function testTitles(text: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node, path: readonly string[]): void => {
    const found = ts.isCallExpression(node) ? titleOf(node) : null;
    const below = found === null ? path : [...path, found.title];
    if (found?.isTest) {
      titles.add(found.title);
      titles.add(below.join(' > '));
    }
    ts.forEachChild(node, (child) => visit(child, below));
  };
  visit(ts.createSourceFile('file.test.ts', text, ts.ScriptTarget.ESNext, true), []);
  return titles;
}

/** `it('…')`, `it.each(…)('…')`, `describe('…')` and their kin. */
function titleOf(call: ts.CallExpression): { readonly title: string; readonly isTest: boolean } | null {
  const name = /^(it|test|describe)\b/.exec(call.expression.getText())?.[1];
  const [first] = call.arguments;
  if (name === undefined || first === undefined || !ts.isStringLiteralLike(first)) return null;
  return { title: first.text, isTest: name !== 'describe' };
}
