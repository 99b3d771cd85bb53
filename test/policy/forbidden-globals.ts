/**
 * Finds code in the syntax tree that would let the core use a clock, randomness, the environment or the
 * network.
 */

import ts from 'typescript';

export type Found = { readonly line: number; readonly what: string };

/** Globals that no core file may name, not even as a local name, which would hide the difference. */
const NAMES: ReadonlySet<string> = new Set([
  'process',
  'fetch',
  'performance',
  'crypto',
  'globalThis',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'require',
  'eval',
  'XMLHttpRequest',
  'WebSocket',
  'navigator',
  'window',
  'self',
]);
/** Members of otherwise harmless globals. */
const MEMBERS: ReadonlySet<string> = new Set(['Date.now', 'Math.random', 'Temporal.Now', 'import.meta']);
/** Methods with results that depend on the machine's language and time zone. */
const LOCAL_METHODS: ReadonlySet<string> = new Set([
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
  'getHours',
  'getMinutes',
  'getDate',
  'getDay',
  'getMonth',
  'getFullYear',
  'getTimezoneOffset',
]);

/** Every forbidden use in one file's text, in file order. */
export function forbiddenGlobals(text: string): readonly Found[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const what = forbidden(node);
    if (what !== null) found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, what });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function forbidden(node: ts.Node): string | null {
  if (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && (node.arguments ?? []).length === 0)
    return 'new Date()';
  if (ts.isCallExpression(node)) {
    if (isNamed(node.expression, 'Date')) return 'Date()';
    // An import at run time is no arrow that dependency-cruiser can check.
    if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return 'import()';
  }
  if (ts.isMetaProperty(node)) return 'import.meta';
  if (ts.isPropertyAccessExpression(node)) {
    const member = `${node.expression.getText()}.${node.name.text}`;
    if (MEMBERS.has(member)) return member;
    if (LOCAL_METHODS.has(node.name.text)) return node.name.text;
  }
  if (ts.isElementAccessExpression(node) && (isNamed(node.expression, 'Date') || isNamed(node.expression, 'Math')))
    return `${node.expression.getText()}[…]`;
  // `const { now } = Date` would use a member without naming it.
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && node.initializer !== undefined) {
    if (isNamed(node.initializer, 'Date') || isNamed(node.initializer, 'Math')) return node.getText();
  }
  return ts.isIdentifier(node) && NAMES.has(node.text) && !isMemberName(node) ? node.text : null;
}

/** `x.fetch`, `{ fetch: … }` and `fetch(): …` in a type name a member, not the global. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) return node !== leftOf(parent);
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isPropertyDeclaration(parent)) &&
    parent.name === node
  );
}

function leftOf(parent: ts.PropertyAccessExpression | ts.QualifiedName): ts.Node {
  return ts.isPropertyAccessExpression(parent) ? parent.expression : parent.left;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}
