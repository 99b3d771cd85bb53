/**
 * Rules of the guidelines that no linter of ours checks, read from the syntax trees of all code that we ship
 * or run.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'packages/playground', 'demo', 'scripts', 'bench'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:test|node_modules)\//.test(file))
    .map((file) => `${folder}/${file}`),
);

type Look = (node: ts.Node) => boolean;

/** `file:line` of every node that `look` finds. */
function places(poll: Look, among: readonly string[] = files): readonly string[] {
  return among.flatMap((file) =>
    placesIn(readFileSync(join(ROOT, file), 'utf8'), poll).map((line) => `${file}:${line}`),
  );
}

function placesIn(text: string, poll: Look): readonly number[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (poll(node)) lines.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

/** True if an identifier with that name occurs in the subtree. */
function mentions(node: ts.Node, name: string): boolean {
  if (ts.isIdentifier(node) && node.text === name) return true;
  return ts.forEachChild(node, (child) => mentions(child, name) || undefined) ?? false;
}

/** True for a handler that ignores the error: it neither inspects, reports nor rethrows it. */
function drops(error: ts.BindingName | undefined, body: ts.Node): boolean {
  return error === undefined || !ts.isIdentifier(error) || !mentions(body, error.text);
}

/** A catch that ignores its error, or `.catch(() => nothing)`. */
const swallows: Look = (node) => {
  if (ts.isCatchClause(node)) return drops(node.variableDeclaration?.name, node.block);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [handler] = node.arguments;
  if (node.expression.name.text !== 'catch' || handler === undefined || !ts.isArrowFunction(handler)) return false;
  return drops(handler.parameters[0]?.name, handler.body);
};

/**
 * A catch that continues for any error: it neither throws, nor checks the kind of error, nor passes it on.
 * Returning the error's text as a value is allowed.
 */
const catchesAll: Look = (node) => {
  if (!ts.isCatchClause(node)) return false;
  const name = node.variableDeclaration?.name.getText() ?? '';
  const isAnswered = (part: ts.Node): boolean =>
    ts.isThrowStatement(part) ||
    (ts.isCallExpression(part) && part.arguments.some((argument) => mentions(argument, name))) ||
    ((ts.isReturnStatement(part) || ts.isBinaryExpression(part)) && mentions(part, name)) ||
    (ts.forEachChild(part, (child) => isAnswered(child) || undefined) ?? false);
  return !isAnswered(node.block);
};

/** `store.append`, called or taken from the store; `record.ts` passes it on to git. */
const appends: Look = (node) =>
  (ts.isPropertyAccessExpression(node) && node.name.text === 'append') ||
  (ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === 'append');

const isPlainClass: Look = (node) =>
  ts.isClassLike(node) &&
  !(node.heritageClauses ?? []).some((clause) => clause.types.some((type) => /Error$/.test(type.expression.getText())));

const flatters: Look = (node) =>
  (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) &&
  /you(['’`]|\\')?(re| are) (absolutely |quite |so )?right|(great|excellent|good|nice|brilliant) (question|point|idea|catch|job|work)\b|well done|impressive/i.test(
    node.getText(),
  );

/** `'flush' in store ? store.flush() : …`: the same probe in another form. */
function asksIn(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.InKeyword) return false;
  if (!ts.isStringLiteralLike(node.left)) return false;
  const call = `${node.right.getText()}.${node.left.text}(`;
  let above: ts.Node = node;
  while (ts.isExpression(above.parent)) above = above.parent;
  return above.getText().includes(call) || (ts.isIfStatement(above.parent) && above.parent.getText().includes(call));
}

/**
 * `typeof thing.member === 'function'`: asks for the version of an object, although all callers change
 * together.
 */
const probes: Look = (node) => asksIn(node) || isTypeofProbe(node);

const isTypeofProbe: Look = (node) =>
  ts.isBinaryExpression(node) &&
  ts.isTypeOfExpression(node.left) &&
  (ts.isPropertyAccessExpression(node.left.expression) || ts.isElementAccessExpression(node.left.expression)) &&
  node.right.getText().slice(1, -1) === 'function';

const python = ['fixtures/lab', 'docs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.py'))
    .map((file) => `${folder}/${file}`),
);
/** `hasattr`, or `getattr` with a default. */
const PYTHON_PROBES = /\bhasattr\(|\bgetattr\([^(),]+,[^(),]+,/;
const FROM_FUTURE = /^from __?future__? import /m;
const KEPT_FOR_OLD_CALLERS = /@deprecated\b|\blegacy\b|\bbackwards?[- ]compatib/i;

/** `export const old = now;`, `export { now as old }`, `export … from`: a second name for the same thing. */
const isSecondName: Look = (node) => {
  if (ts.isExportDeclaration(node)) return !node.isTypeOnly;
  if (!ts.isVariableStatement(node)) return false;
  const isExported = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
  return (
    isExported &&
    node.declarationList.declarations.some(
      ({ type, initializer }) => type === undefined && initializer !== undefined && ts.isIdentifier(initializer),
    )
  );
};

/** An exported function without a docstring. */
const isUntold: Look = (node) =>
  ts.isFunctionDeclaration(node) &&
  (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false) &&
  ts.getJSDocCommentsAndTags(node).length === 0;

function filesWith(pattern: RegExp, among: readonly string[]): readonly string[] {
  return among.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')));
}

describe('our code', () => {
  it('has files to check', () => {
    expect(files.length).toBeGreaterThan(300);
    expect(python.length).toBeGreaterThan(5);
  });

  // rule AG-10
  it('swallows no exception', () => {
    expect(places(swallows)).toEqual([]);
  });

  // rule AG-09
  it('catches only errors that it inspects: it rethrows, or returns the error as a value', () => {
    expect(places(catchesAll)).toEqual([]);
  });

  // rule AG-07
  it('probes for no member that an older version may lack', () => {
    expect(places(probes)).toEqual([]);
    expect(filesWith(PYTHON_PROBES, python)).toEqual([]);
  });

  // rule AG-11
  it('keeps no compatibility path for old callers', () => {
    expect(filesWith(KEPT_FOR_OLD_CALLERS, [...files, ...python])).toEqual([]);
    expect(places(isSecondName)).toEqual([]);
  });

  // rule AG-27
  it('has a docstring for every file and public function of src', () => {
    const own = files.filter((file) => file.startsWith('src/'));
    expect(places(isUntold, own)).toEqual([]);
    const begins = /^(#!.*\n)?\/\*\*/;
    expect(own.filter((file) => !begins.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  // rule AG-08
  it('has no future import in Python', () => {
    expect(filesWith(FROM_FUTURE, python)).toEqual([]);
  });

  it('has no file of more than 400 lines', () => {
    expect(files.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 401)).toEqual([]);
  });

  it('appends to the record only through transact, which has the only retry loop', () => {
    const own = files.filter((file) => file.startsWith('src/'));
    const inFiles = (poll: Look) => new Set(places(poll, own).map((place) => place.replace(/:\d+$/, '')));
    expect(inFiles(appends)).toEqual(new Set(['src/app/record.ts', 'src/logbook/append.ts']));
    expect(inFiles((node) => ts.isIdentifier(node) && node.text === 'appendTriesMax')).toEqual(
      new Set(['src/domain/limits.ts', 'src/logbook/append.ts']),
    );
  });

  // rule AG-06
  it('has no classes except errors', () => {
    expect(places(isPlainClass)).toEqual([]);
  });
});

describe('the sentences of the bot', () => {
  // rule AG-04
  it('contain no flattery', () => {
    expect(
      places(
        flatters,
        files.filter((file) => file.startsWith('src/')),
      ),
    ).toEqual([]);
  });
});

describe('the check', () => {
  it.each([
    ['an empty catch', swallows, 'try { f(); } catch {}'],
    ['a promise whose catch returns undefined', swallows, 'await f().catch(() => undefined);'],
    ['a promise whose catch is empty', swallows, 'await f().catch(() => {});'],
    ['a catch that drops its error', swallows, 'try { f(); } catch (error) { return null; }'],
    ['a promise whose catch ignores the error', swallows, 'await f().catch((error) => null);'],
    ['a catch that continues for any error', catchesAll, 'try { f(); } catch (error) { void error; done(); }'],
    ['an append outside transact', appends, 'await open.store.append(entries, now);'],
    ['an append that is taken from its store', appends, 'const { append } = open.store;'],
    ['a class', isPlainClass, 'class Box { readonly a = 1; }'],
    ['a class without a name', isPlainClass, 'const Box = class {};'],
    ['a check for a method', probes, "if (typeof store.flush === 'function') store.flush();"],
    ['a check for a method by its name', probes, 'const old = typeof store["flush"] !== "function";'],
    ['a conditional expression on a member’s name', probes, "'flush' in store ? store.flush() : null;"],
    ['a condition on a member’s name', probes, "if ('flush' in store) { store.flush(); }"],
    ['a second name for a function', isSecondName, 'export const old = now;'],
    ['a function exported again under another name', isSecondName, "export { now as old } from './now.ts';"],
    ['praise', flatters, 'const text = `Great question, ${who}!`;'],
    ['a public function without a doc comment', isUntold, 'export function run(): void {}'],
    ['flattery', flatters, "const text = 'You are absolutely right!';"],
  ])('finds %s', (_, look, text) => {
    expect(placesIn(text, look)).toEqual([1]);
  });
});

/** `text.slice(0, limits.somethingCharsMax)`, from either end: it may leave half a character. */
const cutsText: Look = (node) => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  if (!/^(slice|substring|substr)$/.test(node.expression.name.text)) return false;
  const bound = node.arguments.at(-1)?.getText() ?? '';
  return /(chars|characters|text|length|title|summary)_?max$|chars$/i.test(bound);
};

it('cuts text at whole characters with cutText, never by a slice to a number of characters', () => {
  expect(
    places(
      cutsText,
      files.filter((file) => file.startsWith('src/')),
    ),
  ).toEqual([]);
});

it('ignores no file that a test reads', () => {
  const ignored = execFileSync(
    'git',
    ['ls-files', '--others', '--ignored', '--exclude-standard', '--', 'fixtures', 'test', ...FOLDERS],
    { cwd: ROOT, encoding: 'utf8' },
  );
  expect(ignored.split('\n').filter((file) => !/^$|__pycache__|\.cache\/|node_modules\//.test(file))).toEqual([]);
});
