/** docs/ferry.md: every sentence that tells what happens names the test that plays it, and that test is there. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemsOfTold } from '../../scripts/policy/told-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/ferry.md'), 'utf8');

/** What is wrong with a page, line by line. The paragraph before its first section says what the page is. */
function problems(page: string): readonly string[] {
  const told = page.split(/^## /m).slice(1).join('## ').split('\n').slice(1);
  return problemsOfTold(told);
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
