/**
 * Runs docs/extending.md: its examples are written into a copy of the tree and type-checked, and their tests
 * run.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './cruise.ts';
import { countEdits, createTreeWith, readWorkedExamples } from './worked-examples.ts';

const EXAMPLES = readWorkedExamples(readFileSync(join(ROOT, 'docs/extending.md'), 'utf8'));
/** The lines that an example may change in each existing file. */
const PRICES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'A new kind': { 'src/kinds/registry.ts': 2 },
  'A new command': { 'src/commands/decision.ts': 2, 'src/commands/registry.ts': 2, 'src/render/answer-words.ts': 2 },
  'A new event and its command': { 'src/commands/registry.ts': 2, 'src/domain/logbook/events/command-events.ts': 12 },
  'A new gate': { 'src/domain/launch/verdict.ts': 1, 'src/gates/run-gates.ts': 2, 'src/render/gate-words.ts': 7 },
  'A new engine': { 'src/engines/registry.ts': 2 },
  'A new trainer': { 'src/diagnosis/trainers.ts': 6 },
  'A new channel': { 'src/notify/registry.ts': 1 },
};
/** The compiler's incremental state from the last run, so that only the examples' changes are checked. */
const COMPILED = join(ROOT, 'node_modules/.cache/extending.tsbuildinfo');

const folder = createTreeWith(EXAMPLES);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tests = EXAMPLES.flatMap(({ blocks }) => blocks.map(({ path }) => path)).filter((path) =>
  path.endsWith('.test.ts'),
);

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, all } = await execa(join(ROOT, 'node_modules/.bin', program), args, {
    cwd: folder,
    all: true,
    reject: false,
  });
  return exitCode === 0 ? '' : all;
}

describe.each(EXAMPLES)('$title', (example) => {
  it('changes only the allowed lines of existing files', () => {
    expect(countEdits(example)).toEqual(PRICES[example.title]);
  });

  it('has its own test', () => {
    expect(example.blocks.filter(({ path }) => path.endsWith('.test.ts'))).not.toEqual([]);
  });
});

it('an event and the command that records it touch three files of src, the event one of them', () => {
  const example = EXAMPLES.find(({ title }) => title === 'A new event and its command');
  const files = new Set(example?.blocks.map(({ path }) => path).filter((path) => path.startsWith('src/')));
  const ofEvent = [...files].filter((path) => path.startsWith('src/domain/logbook/'));
  expect([files.size, ofEvent.length]).toEqual([3, 1]);
});

it('the tree with all examples passes the type check', async () => {
  const include = ['src', ...tests];
  writeFileSync(join(folder, 'tsconfig.examples.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  const info = join(folder, 'tsbuildinfo');
  if (existsSync(COMPILED)) copyFileSync(COMPILED, info);
  const args = ['-p', 'tsconfig.examples.json', '--incremental', '--tsBuildInfoFile', info];
  expect(await run('tsc', ...args)).toBe('');
  mkdirSync(dirname(COMPILED), { recursive: true });
  copyFileSync(info, COMPILED);
});

it('the tests of the examples pass in that tree', async () => {
  expect(await run('vitest', 'run', ...tests)).toBe('');
});
