/**
 * Mutants of the rules that are shown, two for each: the marked line of the rule's code replaced by one that breaks the
 * rule, and one that is made from the syntax tree or, where that one would not break this rule, written as `second`.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateMutant } from './generated-mutant.ts';
import type { Mark, Marks } from './marks.ts';
import type { ShownRule } from './rules.ts';
import { testTitles } from './titles.ts';

/** Where to apply the mutants, whole texts of the file `code.file`, and the one test that has to fail with each. */
export type Experiment = {
  readonly id: string;
  readonly code: Mark;
  readonly test: { readonly file: string; readonly title: string };
  readonly mutants: readonly string[];
};
export type Planned = { readonly experiments: readonly Experiment[]; readonly problems: readonly string[] };

/** Finds code and test of each rule. A rule needs exactly one mark in the code and one above a test. */
export function planExperiments(root: string, rules: readonly ShownRule[], marks: Marks): Planned {
  const experiments: Experiment[] = [];
  const problems: string[] = [];
  for (const { id, mutant, second } of rules) {
    const code = marks.code.filter((mark) => mark.id === id);
    const tests = marks.tests.filter((mark) => mark.id === id);
    const [codeMark, testMark] = [code[0], tests[0]];
    if (codeMark === undefined || code.length > 1) problems.push(`${id}: ${code.length} marks in the code`);
    if (testMark === undefined || tests.length > 1) problems.push(`${id}: ${tests.length} marks in tests`);
    if (codeMark === undefined || testMark === undefined) continue;
    const read = (file: string): string => readFileSync(join(root, file), 'utf8');
    const title = testTitles(read(testMark.file)).find(({ line }) => line === testMark.line)?.title;
    if (title === undefined) {
      problems.push(`${id}: no test at ${testMark.file}:${testMark.line}`);
      continue;
    }
    const { file, line } = codeMark;
    const whole = read(file);
    const written = mutate(whole, line, mutant);
    const other = second === undefined ? generateMutant(file, whole, line, written) : mutate(whole, line, second);
    if (written === whole || other === whole) problems.push(`${id}: the mutant changes nothing at ${file}:${line}`);
    else if (other === null || other === written) problems.push(`${id}: no second mutant at ${file}:${line}`);
    else experiments.push({ id, code: codeMark, test: { file: testMark.file, title }, mutants: [written, other] });
  }
  const known = new Set(rules.map(({ id }) => id));
  for (const { id, file, line } of [...marks.code, ...marks.tests])
    if (!known.has(id)) problems.push(`${file}:${line}: no rule ${id} is shown`);
  return { experiments, problems };
}

/** The text with line `line` (from 1) replaced; the indentation stays. */
export function mutate(text: string, line: number, mutant: string): string {
  const lines = text.split('\n');
  const indent = /^\s*/.exec(lines[line - 1] ?? '')?.[0] ?? '';
  lines[line - 1] = `${indent}${mutant}`;
  return lines.join('\n');
}

/** As many of these as asked for, the same ones for the same seed, in their own order. */
export function sampleBySeed<T extends { readonly id: string }>(
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

/** What became of a mutant. Only a test that ran and failed is a kill; a file that does not load is none. */
export function decideFate(cases: readonly CaseState[], hasLoadError: boolean): Fate {
  if (cases.includes('failed')) return 'dies';
  if (hasLoadError) return 'breaks-the-file';
  return cases.includes('passed') ? 'survives' : 'no-test';
}
