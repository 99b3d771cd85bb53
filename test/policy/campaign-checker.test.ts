/** What judges the campaign shares nothing with what is judged: not at first hand, and not through what it imports. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CHECKERS = readdirSync(join(ROOT, 'test/campaign'))
  .filter((file) => file.startsWith('checker'))
  .map((file) => `test/campaign/${file}`);
/** Git as the playground has it, which shares nothing with the bot either, and the terms of the labs. */
const MAY_USE = /^test\/campaign\/(checker[a-z-]*|terms)\.ts$|^packages\/playground\/git\/store\//;

/** What a file needs when it runs, as its source names it: imports of types are gone by then. */
function neededBy(text: string): readonly string[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const needed: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !isOfTypes(node.importClause))
      needed.push(nameOf(node.moduleSpecifier));
    if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && !node.isTypeOnly)
      needed.push(nameOf(node.moduleSpecifier));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      needed.push(nameOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return needed;
}

function isOfTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((one) => one.isTypeOnly)
  );
}

/** A name that is put together can be anything. */
function nameOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : '(computed)';
}

/** Every file of ours that runs where these run, and what they need that is not ours. */
function reachedFrom(files: readonly string[]): readonly string[] {
  const reached = new Set(files);
  for (const file of reached) {
    if (!file.endsWith('.ts')) continue;
    for (const name of neededBy(readFileSync(join(ROOT, file), 'utf8')))
      reached.add(name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), name)) : name);
  }
  return [...reached];
}

describe('what judges the campaign', () => {
  it('is looked at', () => {
    expect(CHECKERS).toContain('test/campaign/checker.ts');
    expect(CHECKERS).toContain('test/campaign/checker-care.ts');
    for (const scene of ['rental', 'hero', 'adopted'])
      expect(CHECKERS).toContain(`test/campaign/checker-${scene}.ts`);
  });

  it('runs none of the code that it judges', () => {
    const strange = reachedFrom(CHECKERS).filter((file) => !MAY_USE.test(file) && !file.startsWith('node:'));
    expect(strange).toEqual([]);
  });

  it.each([
    ["import { fold } from '../../src/domain/logbook/fold.ts';", ['../../src/domain/logbook/fold.ts']],
    ["import { type A, b } from './x.ts';", ['./x.ts']],
    ["import './x.ts';", ['./x.ts']],
    ["export * from './x.ts';", ['./x.ts']],
    ["const x = await import('./x.ts');", ['./x.ts']],
    ['const x = await import(name);', ['(computed)']],
    ["import type { A } from './x.ts';", []],
    ["import { type A } from './x.ts';", []],
  ])('%s is read as what it needs', (text, needed) => {
    expect(neededBy(text)).toEqual(needed);
  });
});
