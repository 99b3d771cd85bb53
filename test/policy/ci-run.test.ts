// .ci/run must start TypeScript only through npm scripts, which use the project's own Node: the Node of a new
// machine may be too old.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const lines = readFileSync('.ci/run', 'utf8')
  .split('\n')
  .filter((line) => !/^\s*#/.test(line));

test("no line of .ci/run runs a TypeScript file or Node directly, because the machine's Node may be 20", () => {
  const bare = lines.filter((line) => /(^|[\s;&|('"])(node|npx|vitest|tsc)\s/.test(line) || /\.ts\b/.test(line));
  expect(bare).toEqual([]);
});

test('the job that runs .ci/run has more time than .ci/run gives itself', () => {
  const [, minutes] = readFileSync('.ci/run', 'utf8').match(/^limit_s=\$\(\((\d+) \* 60\)\)$/m) ?? [];
  const { jobs } = z
    .object({ jobs: z.record(z.string(), z.looseObject({ 'timeout-minutes': z.int() })) })
    .parse(parse(readFileSync('.github/workflows/ci.yml', 'utf8')));
  expect(jobs['checks']?.['timeout-minutes']).toBeGreaterThan(Number(minutes));
  expect(jobs['quick']?.['timeout-minutes']).toBeLessThanOrEqual(10);
});

test('every npm script that .ci/run names exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const named = lines.flatMap((line) => [...line.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name));
  expect(named).toContain('judge:ray');
  expect(named.filter((name) => scripts[String(name)] === undefined)).toEqual([]);
});
