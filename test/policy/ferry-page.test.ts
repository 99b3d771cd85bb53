/** docs/ferry.md: every sentence that tells what happens names the test that plays it, and that test is there. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testTitles } from '../../scripts/policy/titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/ferry.md'), 'utf8');
const titles = new Map<string, ReadonlySet<string>>();

/** What is wrong with a page, line by line. The paragraph before its first section says what the page is. */
function problems(page: string): readonly string[] {
  const told = page.split(/^## /m).slice(1).join('## ').split('\n').slice(1);
  return told.filter((line) => line !== '' && !line.startsWith('## ')).flatMap(problemsOf);
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

describe("a maintainer's week", () => {
  it('has for each sentence a test that plays it', () => {
    expect(problems(PAGE)).toEqual([]);
    expect(PAGE.match(/<!-- test\//g)?.length).toBeGreaterThan(30);
  });

  it.each([
    ['a sentence without a test', 'It flies.', 'no test'],
    ['a test that is gone', 'It flies. <!-- test/lifecycle/fix.test.ts > flies -->', 'no such test'],
    [
      'two sentences with one',
      'It flies. It lands. <!-- test/lifecycle/days.test.ts > x -->',
      'more than one',
    ],
  ])('misses %s', (_, line, fault) => {
    expect(problems(`# A page\n\n## A day\n\n${line}\n`)[0]).toContain(fault);
  });
});
