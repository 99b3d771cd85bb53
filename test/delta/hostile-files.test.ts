/** Malicious files: CPython reads them in a child with limits, and every outcome is an answer. */

import { describe, expect, it } from 'vitest';
import { diffConfigs, readKnobs } from '../../src/delta/config-delta.ts';
import { measureCpuMs } from '../support/cpu-ms.ts';
import { childCpuSeconds, experimentFile, readText } from '../support/read-experiments.ts';

const repeat = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

const HOSTILE: Readonly<Record<string, string>> = {
  'brackets that never close': '('.repeat(100_000),
  'quotes that never close': '"'.repeat(99_999),
  'a sum of 20,000 terms': `A = ${'1+'.repeat(20_000)}1\n`,
  'a chain of 5,000 attributes': `A = a${'.b'.repeat(5_000)}\n`,
  'a chain of 2,000 calls': `A = a${'.b(c=1)'.repeat(2_000)}\n`,
  'a chain of 3,000 conditions': `A = ${'1 if a else '.repeat(3_000)}1\n`,
  'a hundred strings inside strings': `A = ${'f"{'.repeat(100)}1${'}"'.repeat(100)}\n`,
  'a list of 100,000': `A = [${'1,'.repeat(100_000)}]\n`,
  'a list of 100,000 lines': `A = [\n${'1,\n'.repeat(100_000)}]\n`,
  '90 dicts in one another': `A = ${'{"a": '.repeat(90)}"${'x'.repeat(100_000)}"${'}'.repeat(90)}\n`,
  '150 calls deep': `A = ${'f('.repeat(150)}1${')'.repeat(150)}\n`,
  '150 comprehensions deep': `A = ${'[x for x in '.repeat(150)}y${']'.repeat(150)}\n`,
  '5,000 branches': `if a: b\n${'elif a: b\n'.repeat(5_000)}`,
  'an integer that takes minutes': `A = ${'9'.repeat(200_000)}\n`,
  'an integer in hexadecimal': `A = 0x${'f'.repeat(200_000)}\n`,
  'a power that fills the memory': 'A = 9**9**9\nrun(x="a" * 10**12)\n',
  'five megabytes': 'A = 1\n'.repeat(900_000),
  'one line with an emoji and 20,000 settings': `S = "\u{1F680}"; run(${repeat(20_000, (at) => `a${at}=1,`)})\n`,
};

/** Each took quadratic time once: the limit is in CPU seconds of the child. */
const LONG: Readonly<Record<string, readonly [text: string, secondsMax: number]>> = {
  // A dict key contains the keys of nested dicts: without a limit they double with each level.
  '90 settings in one another': [`A = ${'{"a": '.repeat(90)}1${'}'.repeat(90)}\n`, 2],
  '10,000 equal keys': [`A = {${'"a":1,'.repeat(10_000)}}\n`, 2],
  '10,000 keys': [`A = {${repeat(10_000, (at) => `"k${at}":1,`)}}\n`, 2],
  '20,000 imports': [repeat(20_000, () => 'import a\n'), 2],
  '10,000 imports of one module': [repeat(10_000, (at) => `from a import b${at}\n`), 2],
  '10,000 assignments to one name': [repeat(10_000, () => 'A = 1\n'), 2],
  '500 KB of configs': [
    repeat(
      4_700,
      (at) => `run_${at} = Config(\n    lr=1e-3, w={"a": 1}, tags=["x", "y"],\n    name="${'n'.repeat(30)}",\n)\n`,
    ),
    4,
  ],
};

describe('a malicious file', () => {
  it.each(Object.entries(HOSTILE))('%s', async (_, text) => {
    const base = await readText(text);
    expect(['none', 'unparsable']).toContain(diffConfigs(base, base).kind);
    if (base.kind === 'unparsable') expect(base.message).not.toBe('');
  });

  it.each(Object.entries(LONG))('%s take a limited time', async (_, [text, secondsMax]) => {
    const { reading: base, seconds } = await childCpuSeconds(text);
    expect(base).toMatchObject({ kind: 'read' });
    expect(seconds).toBeLessThan(secondsMax);
    const { reading: head } = await childCpuSeconds(text.replace('1', '2').replace('import a', 'import z'));
    // The part in this process, which must stay responsive.
    expect(measureCpuMs(() => diffConfigs(base, head))).toBeLessThan(2_000);
  });

  it('has too many settings if the answer would be too long', async () => {
    const reading = await readText(repeat(60_000, () => 'f(a=1)\n'));
    // On a slow machine, the time limit applies first.
    const message = /more settings than ferrybot reads|more than 4 seconds/;
    expect(reading).toMatchObject({ kind: 'unparsable', message: expect.stringMatching(message) });
  });

  it('has its knobs in file order', async () => {
    const text = repeat(
      125,
      (at) =>
        `C_${at} = int(1e9)\n# why\nrun_${at} = Config(\n    lr=1e-3,\n    w={"a": 1},\n    tags=["x", "y"],\n)\n\n`,
    );
    const knobs = readKnobs(await experimentFile(text));
    expect(knobs).toHaveLength(125 * 4);
    expect(knobs.slice(0, 4).map(({ path }) => path)).toEqual([
      'C_0',
      'run_0.Config().lr',
      'run_0.Config().w["a"]',
      'run_0.Config().tags',
    ]);
  });
});
