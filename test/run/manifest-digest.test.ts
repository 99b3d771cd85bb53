/**
 * The digest that people approve, computed twice: by ferrybot, and by a program that shares no code with it.
 */

import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { canonicalDigest, canonicalize } from '../../src/logbook/chain.ts';
import { digestOf } from '../support/run-drafts.ts';
import { aManifest } from '../support/run-parts.ts';

const PYTHON = fileURLToPath(new URL('../../docs/manifest_digest.py', import.meta.url));
const SAMPLES = 400;

async function python(lines: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await execa('python3', [PYTHON], { input: `${lines.join('\n')}\n` });
  return stdout.split('\n');
}

/** Text as people and languages write it, with everything that a JSON writer may get wrong. */
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u007f', '\u2028', '\ufeff', '🤖', 'ﬀ', 'é', 'e\u0301', '</script>'),
  fc.constantFrom('\ud83d\ude80', '\uffff', '\u{10ffff}', '3e-3', '1_000', '__proto__', 'constructor', '\r\n\t\b\f'),
);
const integer = fc.option(fc.maxSafeInteger(), { nil: null });
const manifest: fc.Arbitrary<Manifest> = fc.record({
  v: fc.constant(1 as const),
  lane: odd,
  runName: odd,
  repository: odd,
  trees: fc.dictionary(odd, odd),
  delta: fc.array(
    fc.record({
      knob: odd,
      path: odd,
      before: fc.option(odd, { nil: null }),
      after: fc.option(odd, { nil: null }),
      bucket: fc.option(odd, { nil: null }),
    }),
    { maxLength: 3 },
  ),
  preconditions: fc.array(fc.record({ text: odd, checked: fc.boolean() }), { maxLength: 2 }),
  cluster: odd,
  command: fc.array(odd, { maxLength: 4 }),
  outputRoot: odd,
  tracker: fc.record({ kind: odd, entity: odd, project: odd, runId: odd }),
  resume: fc.record({ policy: odd, initializeFrom: fc.option(odd, { nil: null }) }),
  retention: fc.record({ permanentEverySteps: integer, temporaryEveryMinutes: integer, keepTemporary: integer }),
  cost: fc.record({ acceleratorHours: odd, source: odd }),
  envelope: fc.record({ restarts: fc.maxSafeNat(), fixes: fc.array(odd), reductions: fc.array(odd) }),
  policy: fc.dictionary(odd, odd),
});

describe('the digest of a manifest', () => {
  it('equals the digest from Python, for manifests with odd text, names and numbers', async () => {
    const manifests = fc.sample(manifest, { numRuns: SAMPLES, seed: 20_261_121 });
    const ours = manifests.map((one) => canonicalDigest(one, digestOf));
    expect(await python(manifests.map((one) => JSON.stringify(one)))).toEqual(ours);
    expect(new Set(ours).size).toBeGreaterThan(SAMPLES * 0.99);
  });

  it('equals the digest of the canonical text and of an answer of `ferrybot manifest`', async () => {
    const one = aManifest({ lane: 'daily', runName: 'ferry "é" 🤖', repository: 'lab/models' });
    const ours = canonicalDigest(one, digestOf);
    expect(await python([canonicalize(one), JSON.stringify({ run: 'x', manifest: one })])).toEqual([ours, ours]);
  });

  it('makes Python exit 1 with one line for any line that is not a manifest', async () => {
    const lines = [
      ...['[]', '3', 'null', 'true', '"manifest"', '{"manifest":null}', '{"manifest":[1]}', '{"v":NaN}', 'no'],
      ...[`{"v":${'9'.repeat(5_000)}}`, '{"v":1e400}', '{"\\udc00":1}', `${'{"a":'.repeat(100_000)}`],
      ...[`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, '['.repeat(100_000)],
    ];
    for (const line of [...lines, Buffer.from('7b2276223a22ff227d', 'hex')]) {
      const { exitCode, stderr, stdout } = await execa('python3', [PYTHON], { input: line, reject: false });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^line 1: no manifest: [^\n]+$/);
    }
    const deepest = `{"a":${'['.repeat(63)}${']'.repeat(63)}}`;
    expect(await python([deepest])).toEqual([digestOf(deepest)]);
    expect(await execa('python3', [PYTHON, 'x'], { reject: false })).toMatchObject({ exitCode: 2 });
  });

  it('makes Python reject a decimal number and a lone surrogate', async () => {
    await expect(python(['{"v":1.5}'])).rejects.toThrow('a decimal is a string');
    await expect(python(['{"v":"\\ud800"}'])).rejects.toThrow('no manifest');
  });
});
