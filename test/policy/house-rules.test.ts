/** Habits of the guidelines that no linter of ours knows, read from the syntax trees of everything that we ship or run. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'playground', 'scripts', 'bench'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`),
);

type Look = (node: ts.Node) => boolean;

/** `file:line` of every node that `look` finds. */
function places(look: Look, among: readonly string[] = files): readonly string[] {
  return among.flatMap((file) =>
    placesIn(readFileSync(join(ROOT, file), 'utf8'), look).map((line) => `${file}:${line}`),
  );
}

function placesIn(text: string, look: Look): readonly number[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (look(node)) lines.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

/** A catch without a statement, or `.catch(() => nothing)`. */
const swallows: Look = (node) => {
  if (ts.isCatchClause(node)) return node.block.statements.length === 0;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [handler] = node.arguments;
  if (node.expression.name.text !== 'catch' || handler === undefined || !ts.isArrowFunction(handler))
    return false;
  const { body } = handler;
  if (ts.isBlock(body)) return body.statements.length === 0;
  return /^(undefined|null|void 0|\{\}|\(\{\}\)|\[\]|false|true|'')$/.test(body.getText());
};

const isPlainClass: Look = (node) =>
  ts.isClassLike(node) &&
  !(node.heritageClauses ?? []).some((clause) =>
    clause.types.some((type) => /Error$/.test(type.expression.getText())),
  );

const flatters: Look = (node) =>
  (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) &&
  /absolutely right|great question|excellent point|good catch/i.test(node.getText());

describe('our code', () => {
  it('is read', () => {
    expect(files.length).toBeGreaterThan(300);
  });

  it('swallows no exception', () => {
    expect(places(swallows)).toEqual([]);
  });

  it('has no class but errors', () => {
    expect(places(isPlainClass)).toEqual([]);
  });
});

describe('the sentences of the bot', () => {
  it('flatter nobody', () => {
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
    ['a promise that forgets', swallows, 'await f().catch(() => undefined);'],
    ['a promise with an empty block', swallows, 'await f().catch(() => {});'],
    ['a class', isPlainClass, 'class Box { readonly a = 1; }'],
    ['a nameless class', isPlainClass, 'const Box = class {};'],
    ['flattery', flatters, "const text = 'You are absolutely right!';"],
  ])('finds %s', (_, look, text) => {
    expect(placesIn(text, look)).toEqual([1]);
  });

  it.each([
    [
      'an answer from a catch',
      swallows,
      'try { f(); } catch (error) { if (isGone(error)) return null; throw error; }',
    ],
    ['a promise with a reason', swallows, 'await f().catch((error) => { log(error); });'],
    ['an error class', isPlainClass, 'class GitError extends Error {}'],
    ['plain words', flatters, "const text = 'approved';"],
  ])('takes %s', (_, look, text) => {
    expect(placesIn(text, look)).toEqual([]);
  });
});
