/** The second mutant of a rule, made from the syntax tree: it does not know what the rule says. */

import ts from 'typescript';

type Edit = { readonly start: number; readonly end: number; readonly text: string };

/**
 * The text with the first of these changes that differs from `written`, the text with the rule's own mutant: the decision
 * on the marked line is inverted, the marked part is taken out, the decision around it is inverted, or its function
 * returns nothing. Null if there is none.
 */
export function generateMutant(file: string, text: string, line: number, written: string): string | null {
  const edits = file.endsWith('.ts') ? editsAt(text, line) : [wholeLine(text, line)];
  const squeezed = (code: string): string => code.replaceAll(/\s+/g, '');
  const results = edits.map(({ start, end, text: now }) => text.slice(0, start) + now + text.slice(end));
  return results.find((after) => ![written, text].map(squeezed).includes(squeezed(after))) ?? null;
}

function wholeLine(text: string, line: number): Edit {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  return { start, end: start + (lines[line - 1]?.length ?? 0), text: '' };
}

function editsAt(text: string, line: number): readonly Edit[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const marked = findMarked(source, line);
  if (marked === null) return [];
  const ancestors = listAncestors(marked);
  const around = ancestors.flatMap((node) => inverted(node));
  const body = ancestors.map(bodyOf).find((one) => one !== undefined);
  return [
    ...listInside(marked).flatMap(inverted),
    ...removed(marked),
    ...around,
    ...(body === undefined ? [] : [replace(body, ts.isBlock(body) ? '{ return undefined; }' : 'undefined')]),
  ];
}

/** The outermost statement, element or expression that begins on this line. */
function findMarked(source: ts.SourceFile, line: number): ts.Node | null {
  let found: ts.Node | null = null;
  const visit = (node: ts.Node): void => {
    if (found !== null) return;
    const at = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (at === line && node !== source && node.kind !== ts.SyntaxKind.SyntaxList) found = node;
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Up to and including the nearest function that has a name. */
function listAncestors(node: ts.Node): readonly ts.Node[] {
  const list: ts.Node[] = [];
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    list.push(at);
    if (ts.isFunctionDeclaration(at)) break;
  }
  return list;
}

/** The node and what is inside it, without what other decisions follow: the branches of an `if`, the body of a loop. */
function listInside(node: ts.Node): readonly ts.Node[] {
  const head = ts.isIfStatement(node) || ts.isForOfStatement(node) ? node.expression : null;
  const list: ts.Node[] = [node];
  const visit = (child: ts.Node): void => {
    list.push(child);
    ts.forEachChild(child, visit);
  };
  if (head === null) ts.forEachChild(node, visit);
  else visit(head);
  return list;
}

const PREDICATE_METHODS = new Set(['filter', 'find', 'findLast', 'some', 'every']);
const COMPARISONS = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

/** The change that makes this node decide the opposite, if it is a decision. */
function inverted(node: ts.Node): readonly Edit[] {
  const negate = (condition: ts.Node): readonly Edit[] => [replace(condition, `!(${condition.getText()})`)];
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return negate(node.expression);
  if (ts.isConditionalExpression(node)) return negate(node.condition);
  if (ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind)) return negate(node);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return [replace(node, node.right.getText())];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [replace(node, `(${node.operand.getText()})`)];
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const [test] = node.arguments;
  if (test === undefined || !PREDICATE_METHODS.has(node.expression.name.text)) return [];
  return [replace(test, `(...given) => !(${test.getText()})(...given)`)];
}

/** Takes out an element of a list, a property or a statement. A declaration stays: without it the file would not run. */
function removed(node: ts.Node): readonly Edit[] {
  if (ts.isVariableStatement(node)) {
    const value = node.declarationList.declarations[0]?.initializer;
    return value === undefined ? [] : [replace(value, 'undefined')];
  }
  if (ts.isFunctionDeclaration(node)) return [];
  if (ts.isPropertyAssignment(node) || ts.isSpreadElement(node) || isElement(node)) {
    const text = node.getSourceFile().text;
    return [{ start: node.getStart(), end: node.end + (text[node.end] === ',' ? 1 : 0), text: '' }];
  }
  return ts.isStatement(node) && !ts.isBlock(node) ? [replace(node, ';')] : [];
}

function isElement(node: ts.Node): boolean {
  return ts.isArrayLiteralExpression(node.parent) || ts.isObjectLiteralExpression(node.parent);
}

function bodyOf(node: ts.Node): ts.Node | undefined {
  return ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) ? node.body : undefined;
}

function replace(node: ts.Node, text: string): Edit {
  return { start: node.getStart(), end: node.end, text };
}
