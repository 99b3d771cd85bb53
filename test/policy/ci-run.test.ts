// .ci/run must start TypeScript only through npm scripts, which use the project's own Node: the Node of a new
// machine may be too old.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const lines = readFileSync('.ci/run', 'utf8')
  .split('\n')
  .filter((line) => !/^\s*#/.test(line));

test("no line of .ci/run runs a TypeScript file or Node directly, because the machine's Node may be 20", () => {
  const bare = lines.filter(
    (line) => /(^|[\s;&|('"])(node|npx|vitest|tsc)\s/.test(line) || /\.ts\b/.test(line),
  );
  expect(bare).toEqual([]);
});

test('every npm script that .ci/run names exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const named = lines.flatMap((line) =>
    [...line.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name),
  );
  expect(named).toContain('judge:ray');
  expect(named.filter((name) => scripts[String(name)] === undefined)).toEqual([]);
});
