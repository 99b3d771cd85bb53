/**
 * The chosen checkpoint is always the one that the rule names: compared with a Python version of the same
 * rule, and with properties.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CheckpointSearch,
  chooseCheckpoint,
  chooseNamedCheckpoint,
  judgeCheckpoints,
} from '../../src/checkpoints/choose.ts';
import { namedStep, type StoredCheckpoint } from '../../src/domain/checkpoint/stored.ts';
import { brandAs, isInstant, known, unknown } from '../../src/domain/values.ts';
import { PERMANENT, searches, TEMPORARY } from './layouts.ts';

const LAYOUTS = 4_000;
const RULE = join(import.meta.dirname, 'rule.py');

function answerOf(search: CheckpointSearch): string {
  const choice = chooseCheckpoint(search);
  return choice.kind === 'chosen' ? choice.checkpoint.stored.path : choice.code;
}

/** The input of rule.py: null for a root that could not be listed, `unreadable` for a file. */
function forPython({ roots, ...rest }: CheckpointSearch): unknown {
  return {
    ...rest,
    roots: roots.map(({ found }) => ({
      found:
        found.kind === 'unknown'
          ? null
          : found.value.map(({ path, metadata }) => ({
              path,
              metadata: metadata.kind === 'unknown' ? 'unreadable' : metadata.value,
            })),
    })),
  };
}

function saved(step: number, root = PERMANENT, second = 0): StoredCheckpoint {
  const text = JSON.stringify({ step, timestamp: `2026-11-20T10:00:0${second}`, is_temporary: false });
  const writtenAt = brandAs(1_000_000 + step, isInstant);
  return { path: `${root}/step-${step}`, root, metadata: known({ text, writtenAt, identity: text }) };
}

function searchOf(found: readonly StoredCheckpoint[], more: Partial<CheckpointSearch> = {}): CheckpointSearch {
  return { roots: [{ root: PERMANENT, found: known(found) }], lineage: null, maxStep: null, excludePaths: [], ...more };
}

describe('the rule', () => {
  it('gives the same result as a Python version written only from its text', () => {
    const seed = Date.now() % 2 ** 31;
    const layouts = fc.sample(searches, { numRuns: LAYOUTS, seed });
    const input = JSON.stringify(layouts.map(forPython));
    const output = execFileSync('python3', [RULE], { input, maxBuffer: 2 ** 27, encoding: 'utf8' });
    const answers = z.array(z.string()).length(LAYOUTS).parse(JSON.parse(output));
    const apart = layouts.flatMap((layout, index) =>
      answerOf(layout) === answers[index] ? [] : [{ ours: answerOf(layout), python: answers[index], layout }],
    );
    expect(apart.length, `seed ${seed}: ${JSON.stringify(apart[0])}`).toBe(0);
    // The sample must reach every answer.
    const kinds = new Set(answers.map((answer) => (answer.startsWith('gs:') ? 'chosen' : answer)));
    expect([...kinds].toSorted()).toEqual([
      'checkpoint-unreadable',
      'chosen',
      'none-complete',
      'none-of-lineage',
      'root-unreadable',
    ]);
  });

  it('never chooses an incomplete, rejected, foreign or older checkpoint', () => {
    fc.assert(
      fc.property(searches, (search) => {
        const choice = chooseCheckpoint(search);
        if (choice.kind === 'ask') return;
        const { stored, metadata, attempt } = choice.checkpoint;
        const file = stored.metadata.kind === 'known' ? stored.metadata.value : null;
        expect(JSON.parse(file?.text ?? '').step).toBe(metadata.step);
        expect(namedStep(stored.path) ?? metadata.step).toBe(metadata.step);
        expect(metadata.step).toBeLessThanOrEqual(search.maxStep ?? metadata.step);
        for (const { metadata: other } of judgeCheckpoints(search).filter(({ status }) => status === 'eligible'))
          expect(other?.step).toBeLessThanOrEqual(metadata.step);
        if (search.lineage === null) return;
        const writer = search.lineage.attempts.find((one) => one.attempt === attempt);
        expect(writer).toBeDefined();
        for (const { step, at } of search.lineage.rejections)
          if (metadata.step >= step) {
            expect(writer?.from).toBeGreaterThan(at);
            if (writer?.isFromOrder !== true) expect(writer?.startStep).toBeLessThan(step);
          }
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on skipped checkpoints or on the order of a listing', () => {
    fc.assert(
      fc.property(searches, (search) => {
        const passed = new Set(
          judgeCheckpoints(search)
            .filter(({ status }) => status !== 'eligible' && status !== 'unreadable')
            .map(({ stored }) => stored.path),
        );
        const without = {
          ...search,
          roots: search.roots
            .toReversed()
            .map(({ root, found }) => ({
              root,
              found:
                found.kind === 'unknown'
                  ? found
                  : known(found.value.filter(({ path }) => !passed.has(path)).toReversed()),
            })),
        };
        const [before, after] = [chooseCheckpoint(search), chooseCheckpoint(without)];
        if (before.kind === 'chosen') expect(after).toEqual(before);
        else expect(after.kind).toBe('ask');
      }),
      { numRuns: 1_000 },
    );
  });

  it('lets a person name only a checkpoint that is eligible', () => {
    fc.assert(
      fc.property(searches, fc.nat(20), (search, index) => {
        const all = judgeCheckpoints(search);
        const one = all[index % Math.max(1, all.length)];
        if (one === undefined) return;
        const asked = chooseNamedCheckpoint(search, { path: `${one.stored.path}/` });
        if (one.status === 'eligible') expect(asked).toMatchObject({ kind: 'chosen', checkpoint: one });
        else if (asked.kind === 'chosen') expect.fail(`${one.status} was taken`);
        else expect([one.status, 'unreadable']).toContain(asked.code);
        const step = namedStep(one.stored.path);
        const byStep = step === null ? null : chooseNamedCheckpoint(search, { step });
        if (byStep?.kind === 'chosen') expect(byStep.checkpoint.status).toBe('eligible');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the newest checkpoint', () => {
  // rule HR-58
  it('is the one with the largest step as a number, not as a text', () => {
    const layout = [saved(900), saved(1_000), saved(99)];
    expect(answerOf(searchOf(layout))).toBe(`${PERMANENT}/step-1000`);
  });

  // rule HR-54
  it('is also searched in the temporary root, and the later one of two with the same step is chosen', () => {
    const roots = [
      { root: PERMANENT, found: known([saved(100, PERMANENT, 1)]) },
      { root: TEMPORARY, found: known([saved(100, TEMPORARY, 2)]) },
    ];
    expect(answerOf(searchOf([], { roots }))).toBe(`${TEMPORARY}/step-100`);
  });

  // rule HR-57
  it('is never an incomplete one: without a complete one, a person is asked', () => {
    const half = { ...saved(300), metadata: known(null) };
    expect(answerOf(searchOf([saved(200), half]))).toBe(`${PERMANENT}/step-200`);
    expect(answerOf(searchOf([half]))).toBe('none-complete');
    expect(answerOf(searchOf([]))).toBe('none-complete');
  });

  it('is never an incomplete one that a person names: it is refused with the reason', () => {
    const half = { ...saved(300), metadata: known(null) };
    const search = searchOf([saved(200), half]);
    expect(chooseNamedCheckpoint(search, { step: 300 })).toMatchObject({ kind: 'refused', code: 'no-metadata' });
    expect(chooseNamedCheckpoint(search, { path: half.path })).toMatchObject({ code: 'no-metadata' });
    expect(chooseNamedCheckpoint(search, { step: 250 })).toMatchObject({ kind: 'refused', code: 'not-there' });
    expect(chooseNamedCheckpoint(search, { step: 200 })).toMatchObject({ kind: 'chosen' });
  });

  // rule HR-59
  it('is never one of a rejected lineage or of unknown origin', () => {
    const at = (ms: number) => brandAs(ms, isInstant);
    const attempts = [{ attempt: 1, from: at(900_000), until: at(1_000_500), startStep: 0 }];
    const rejections = [{ step: 300, at: at(1_000_600) }];
    const layout = [saved(200), saved(300), saved(400)];
    expect(answerOf(searchOf(layout, { lineage: { attempts, rejections } }))).toBe(`${PERMANENT}/step-200`);
    expect(answerOf(searchOf([saved(400)], { lineage: { attempts, rejections } }))).toBe('none-of-lineage');
    expect(answerOf(searchOf(layout, { lineage: { attempts: [], rejections: [] } }))).toBe('none-of-lineage');
  });

  it('needs a person if a newer one could not be read, but not if only an older one could not', () => {
    const shut = (step: number): StoredCheckpoint => ({ ...saved(step), metadata: unknown('status 403') });
    expect(answerOf(searchOf([saved(200), shut(300)]))).toBe('checkpoint-unreadable');
    expect(answerOf(searchOf([saved(200), shut(100)]))).toBe(`${PERMANENT}/step-200`);
    const roots = [{ root: PERMANENT, found: unknown('status 403') }];
    expect(answerOf(searchOf([], { roots }))).toBe('root-unreadable');
  });
});
