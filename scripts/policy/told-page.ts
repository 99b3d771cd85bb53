/** Pages of docs/ that tell what happens: each sentence names, hidden in the text, the test that plays it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testTitles } from './titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const titles = new Map<string, ReadonlySet<string>>();

/** What is wrong with lines of such a page. */
export function problemsOfTold(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line !== '' && !line.startsWith('## ')).flatMap(problemsOf);
}

function problemsOf(line: string): readonly string[] {
  const [, sentence = line, tried = ''] = /^(.*?) <!-- (.*) -->$/.exec(line) ?? [];
  const faults = /[.!?:] [A-Z`]/.test(sentence) ? ['more than one sentence'] : [];
  const missing = tried
    .split('; test/')
    .map((one, index) => (index === 0 ? one : `test/${one}`))
    .filter((one) => !isThere(one));
  return [...faults, ...missing.map((one) => (one === '' ? 'no test' : `no such test: ${one}`))].map(
    (fault) => `${fault}: ${sentence}`,
  );
}

function isThere(tried: string): boolean {
  const [, file = '', title = ''] = /^(test\/[\w./-]+\.test\.ts) > (.+)$/.exec(tried) ?? [];
  if (title === '') return false;
  const known = titles.get(file) ?? testTitles(readFileSync(join(ROOT, file), 'utf8'));
  titles.set(file, known);
  return known.has(title);
}
