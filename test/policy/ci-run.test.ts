// .ci/run starts our TypeScript only through npm, whose scripts have the project's own Node first: a fresh machine's Node may read none.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const lines = readFileSync('.ci/run', 'utf8')
  .split('\n')
  .filter((line) => !/^\s*#/.test(line));

test('no line of .ci/run runs a TypeScript file or Node itself: the Node of the machine may be 20', () => {
  const bare = lines.filter(
    (line) => /(^|[\s;&|('"])(node|npx|vitest|tsc)\s/.test(line) || /\.ts\b/.test(line),
  );
  expect(bare).toEqual([]);
});

test('every npm script that .ci/run names is there', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const named = lines.flatMap((line) =>
    [...line.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name),
  );
  expect(named).toContain('judge:ray');
  expect(named.filter((name) => scripts[String(name)] === undefined)).toEqual([]);
});
