/** Mutants of the rules that are shown: a rule's own code taken out, named by file, declaration and a few characters of it. */

import { createHash } from 'node:crypto';
import ts from 'typescript';
import { z } from 'zod';
import type { Rule } from './rules.ts';

/**
 * `in` names the declaration that holds the characters, so that edits around it do not matter; only a file that is no
 * TypeScript goes without.
 */
export const mutantSchema = z
  .strictObject({
    file: z.string().regex(/^(src|scripts|playground|bench|fixtures|test|docs)\/[\w./-]+$/),
    in: z.string().min(1).optional(),
    find: z.string().min(1),
    replace: z.string(),
  })
  .refine(({ file, in: name }) => file.endsWith('.ts') === (name !== undefined), {
    message: 'a declaration of TypeScript is named, and of nothing else',
  })
  .refine(({ find, replace }) => find !== replace, { message: 'it changes nothing' });

export type Mutant = z.infer<typeof mutantSchema>;
/** A rule that is shown and says how its own code is taken out. */
export type Killable = Extract<Rule, { readonly status: 'shown' }>;
export type Mutated =
  | { readonly kind: 'mutated'; readonly text: string }
  | { readonly kind: 'no-fit'; readonly reason: string };

/** The file with the mutant in it, or why it does not fit the file any more. */
export function mutate(text: string, mutant: Mutant): Mutated {
  const spans = mutant.in === undefined ? [{ from: 0, to: text.length }] : declarations(text, mutant.in);
  const [span, second] = spans;
  if (span === undefined) return noFit(`${mutant.file} declares no ${mutant.in}`);
  if (second !== undefined) return noFit(`${mutant.file} declares ${mutant.in} more than once`);
  const held = text.slice(span.from, span.to);
  const at = held.indexOf(mutant.find);
  const where = mutant.in ?? mutant.file;
  if (at === -1) return noFit(`${where} has no "${mutant.find}"`);
  if (held.includes(mutant.find, at + 1)) return noFit(`${where} has "${mutant.find}" more than once`);
  const from = span.from + at;
  return {
    kind: 'mutated',
    text: `${text.slice(0, from)}${mutant.replace}${text.slice(from + mutant.find.length)}`,
  };
}

function noFit(reason: string): Mutated {
  return { kind: 'no-fit', reason };
}

type Span = { readonly from: number; readonly to: number };

/** Where functions, constants and types of that name are declared, at any depth. */
function declarations(text: string, name: string): readonly Span[] {
  const spans: Span[] = [];
  const visit = (node: ts.Node): void => {
    const isNamed =
      ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node) || ts.isTypeAliasDeclaration(node);
    if (isNamed && node.name?.getText() === name) spans.push({ from: node.getStart(), to: node.getEnd() });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true));
  return spans;
}

/** What finds exactly the tests of a title, `describe > it` or the title alone: all cases of one that is told for each of a table. */
export function titlePattern(title: string): RegExp {
  const parts = title
    .split(/%[sdifjoO#%]|\$[A-Za-z_][\w.]*/)
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&').replaceAll(' > ', ' (?:> )?'));
  return new RegExp(`(^|\\s)${parts.join('.+')}$`);
}

/** As many of these as asked for, the same ones for the same seed, in their own order. */
export function sampled<T extends { readonly id: string }>(
  all: readonly T[],
  count: number,
  seed: string,
): readonly T[] {
  const rank = ({ id }: T): string => createHash('sha256').update(`${seed}\n${id}`).digest('hex');
  const drawn = new Set(all.toSorted((one, other) => rank(one).localeCompare(rank(other))).slice(0, count));
  return all.filter((one) => drawn.has(one));
}

export type CaseState = 'passed' | 'failed' | 'other';
export type Fate = 'dies' | 'survives' | 'no-test' | 'breaks-the-file' | 'late';

/** What became of a mutant: only a test that ran and failed is a kill, no file that did not load. */
export function fateOf(cases: readonly CaseState[], hasLoadError: boolean): Fate {
  if (cases.includes('failed')) return 'dies';
  if (hasLoadError) return 'breaks-the-file';
  return cases.includes('passed') ? 'survives' : 'no-test';
}
