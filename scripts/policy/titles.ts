/** The titles of the tests in a test file, without running it. */

import ts from 'typescript';

/** `line` of the call counts from 1; `title` is `describe > it`. */
export type TestTitle = { readonly line: number; readonly title: string };

/** Every test whose title is plain text. */
export function testTitles(text: string): readonly TestTitle[] {
  const titles: TestTitle[] = [];
  const source = ts.createSourceFile('file.test.ts', text, ts.ScriptTarget.ESNext, true);
  const visit = (node: ts.Node, path: readonly string[]): void => {
    const found = ts.isCallExpression(node) ? readTitle(node) : null;
    const below = found === null ? path : [...path, found.title];
    if (found?.isTest)
      titles.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, title: below.join(' > ') });
    ts.forEachChild(node, (child) => visit(child, below));
  };
  visit(source, []);
  return titles;
}

/** What finds exactly the tests of a title: all cases of one that runs for each row of a table. */
export function titlePattern(title: string): RegExp {
  const parts = title
    .split(/%[sdifjoO#%]|\$[A-Za-z_][\w.]*/)
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&').replaceAll(' > ', ' (?:> )?'));
  return new RegExp(`(^|\\s)${parts.join('.+')}$`);
}

/** `it('…')`, `it.each(…)('…')`, `describe('…')` and their variants. */
function readTitle(call: ts.CallExpression): { readonly title: string; readonly isTest: boolean } | null {
  const name = /^(it|test|describe)\b/.exec(call.expression.getText())?.[1];
  const [first] = call.arguments;
  if (name === undefined || first === undefined || !ts.isStringLiteralLike(first)) return null;
  return { title: first.text, isTest: name !== 'describe' };
}
