import { describe, expect, it } from 'vitest';
import { configDelta } from '../../src/delta/config-delta.ts';
import { readKnobs } from '../../src/delta/read-knobs.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { cpuMs } from '../support/cpu-ms.ts';

const parser = await createPythonParser();
const repeat = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

/** Files made to hurt: each is answered, whatever the answer, and in bounded time. */
const HOSTILE: Readonly<Record<string, string>> = {
  'brackets that never close': '('.repeat(100_000),
  'quotes that never close': '"'.repeat(99_999),
  'signs that mean nothing': '$%^&*('.repeat(20_000),
  'a sum of 20,000 terms': `A = ${'1+'.repeat(20_000)}1\n`,
  'a chain of 5,000 attributes': `A = a${'.b'.repeat(5_000)}\n`,
  'a chain of 3,000 conditions': `A = ${'1 if a else '.repeat(3_000)}1\n`,
  'a hundred strings inside strings': `A = ${'f"{'.repeat(100)}1${'}"'.repeat(100)}\n`,
  'a list of 100,000': `A = [${'1,'.repeat(100_000)}]\n`,
  'a dict of 15,000': `A = {${repeat(15_000, (at) => `"k${at}": ${at},`)}}\n`,
  '150 calls deep': `A = ${'f('.repeat(150)}1${')'.repeat(150)}\n`,
  '150 comprehensions deep': `A = ${'[x for x in '.repeat(150)}y${']'.repeat(150)}\n`,
  '3,000 declarations': `def f():\n${repeat(3_000, (at) => `  global a${at}\n  a${at} = 1\n`)}`,
  '5,000 branches': `if a: b\n${'elif a: b\n'.repeat(5_000)}`,
  '20,000 joined strings': `A = ${'"a" '.repeat(20_000)}\n`,
  '200 KB of configs': repeat(
    2_000,
    (at) =>
      `run_${at} = Config(\n    lr=1e-3, w={"a": 1}, tags=["x", "y"],\n    name="${'n'.repeat(30)}",\n)\n`,
  ),
};

describe('a file made to hurt is answered', () => {
  it.each(Object.entries(HOSTILE))('%s', (_, text) => {
    const base = parser.parse(text);
    const tookMs = cpuMs(() => {
      expect(['none', 'unparsable']).toContain(configDelta(base, base).kind);
      const more = configDelta(base, parser.parse(`${text}B = 1\n`));
      expect(['knobs', 'unparsable']).toContain(more.kind);
    });
    // Ten times what it takes here: a square of the length would take minutes.
    expect(tookMs).toBeLessThan(20_000);
  });

  it('a thousand lines cost a blink', () => {
    const text = repeat(
      125,
      (at) =>
        `C_${at} = int(1e9)\n# why\nrun_${at} = Config(\n    lr=1e-3,\n    w={"a": 1},\n    tags=["x", "y"],\n)\n\n`,
    );
    const head = text.replace('lr=1e-3', 'lr=2e-3').replace('"a": 1', '"a": 2');
    expect(text.split('\n')).toHaveLength(1_001);
    const times = Array.from({ length: 9 }, () =>
      cpuMs(() =>
        expect(configDelta(parser.parse(text), parser.parse(head))).toMatchObject({
          kind: 'knobs',
          changes: [{}, {}],
        }),
      ),
    );
    // The bar of the benchmark is 50 ms on a quiet machine; here others run beside it.
    expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(250);
    expect(readKnobs(parser.parse(text))).toHaveLength(125 * 5);
  });
});
