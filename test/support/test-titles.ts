/**
 * The full titles of the tests in a file, read from its source: `describe > it`, with unexpanded
 * placeholders.
 */

import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Every test of the file, in order, except those with a template of several parts as title. */
export function testTitles(path: string): readonly string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  visit(source, [], titles);
  return titles;
}

function visit(node: ts.Node, path: readonly string[], titles: string[]): void {
  const call = ts.isCallExpression(node) ? titled(node) : null;
  if (call === null) {
    ts.forEachChild(node, (child) => visit(child, path, titles));
    return;
  }
  const full = [...path, call.title];
  if (call.kind === 'test') titles.push(full.join(' > '));
  else for (const argument of call.rest) ts.forEachChild(argument, (child) => visit(child, full, titles));
}

type TitledCall = { readonly kind: 'suite' | 'test'; readonly title: string; readonly rest: readonly ts.Expression[] };

/**
 * `it('…')`, `it.each(…)('…')`, `describe.each(…)('…')`, `test('…')` and the like; null for any other call.
 */
function titled(call: ts.CallExpression): TitledCall | null {
  const name = rootName(call.expression);
  const [first, ...rest] = call.arguments;
  if (first === undefined || !ts.isStringLiteralLike(first)) return null;
  if (name === 'describe') return { kind: 'suite', title: first.text, rest };
  return name === 'it' || name === 'test' ? { kind: 'test', title: first.text, rest } : null;
}

function rootName(expression: ts.Expression): string | null {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression))
    return rootName(expression.expression);
  if (ts.isTaggedTemplateExpression(expression)) return rootName(expression.tag);
  return null;
}
