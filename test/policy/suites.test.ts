/** Every test belongs to a suite that runs in CI, and docs/testing.md lists the suites. */

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SUITES, selectPart } from '../suites.ts';

const [main, ...others] = SUITES;

it('every test file is in a suite that CI runs', () => {
  const own = others.filter(({ name }) => name !== 'quick');
  const run = new Set([main, ...own].flatMap((suite) => suite?.files ?? []));
  expect(globSync('test/**/*.test.ts').filter((file) => !run.has(file))).toEqual([]);
  const steps = readFileSync('.ci/run', 'utf8');
  expect(own.filter(({ name }) => !steps.includes(`npm run --silent test:${name} -- --parts `))).toEqual([]);
});

it('each separate suite has files, a sample in npm test, and files that npm test omits', () => {
  for (const { name, files } of others.filter(({ name }) => name !== 'quick')) {
    const sampled = files.filter((file) => main?.files.includes(file));
    expect([sampled.length > 0, sampled.length < files.length], name).toEqual([true, true]);
  }
});

it('the parts of a suite that CI runs add up to the files that npm test omits', () => {
  for (const suite of others.filter(({ name }) => name !== 'quick')) {
    const parts = ['00000000', '00000001', '00000002', '00000003'].map((commit) => selectPart(suite, 4, commit));
    const left = suite.files.filter((file) => !main?.files.includes(file));
    expect(parts.flat().toSorted(), suite.name).toEqual(left.toSorted());
  }
  const [first] = others;
  if (first === undefined) throw new Error('there is no suite');
  expect(() => selectPart(first, 4, 'main')).toThrow('chosen by a commit');
});

it('docs/testing.md lists each suite with its command, its subject and its minutes', () => {
  const page = readFileSync('docs/testing.md', 'utf8');
  for (const { name, about, minutes } of SUITES) {
    const command = name === 'main' ? 'npm test' : `npm run test:${name}`;
    expect(page).toContain(`| \`${command}\` | ${about} | ${minutes} |`);
  }
});
