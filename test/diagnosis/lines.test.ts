/**
 * The table from log text to class, line by line: messages of real programs, and lines that only seem
 * alarming.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { FAILURE_CLASSES } from '../../src/domain/failure-class.ts';

/** A class, and a line that is sufficient for it, from some program that writes it this way. */
const LINES = readFileSync(new URL('../../fixtures/failure-logs/lines.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((row) => z.tuple([z.enum(FAILURE_CLASSES), z.string()]).parse(JSON.parse(row)));

describe('a single line', () => {
  it.each(LINES)('is %s: %s', (kind, line) => {
    expect(diagnose([line], null)).toMatchObject({ class: kind, evidence: [{ line: 1 }] });
  });

  it.each([
    '(TrainWorker pid=1234, ip=10.0.0.7) ',
    '[rank3]: ',
    '[default0]:',
    '2026-11-20T12:00:00.123456789Z stderr F ',
    '12: ',
    'worker-0: ',
    '[2026-11-20 12:00:00,123] [ERROR] [engine.py:42:step] ',
    '\u001B[36m(train_fn pid=7)\u001B[0m ',
    'ERROR:root:',
    '2026-11-20 12:00:00,123 - trainer - ERROR - ',
    '2026-11-20 12:00:00.123 | ERROR    | train:main:12 - ',
  ])('is found after the prefix %j', (prefix) => {
    const line = `${prefix}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.`;
    expect(diagnose([line], null).class).toBe('oom-hbm');
  });

  it.each([
    'eval/error_rate: 0.02',
    'NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0 - Destroy COMPLETE',
    'UserWarning: The given NumPy array is not writable',
    'validation_error=0.31 test_error=0.33',
    'Saved checkpoint to gs://bucket/ckpt for step 1200',
    'inform the user that infinity is a class name',
    'INFO: gradient overflow is checked every step',
    'Using 8 nan-safe kernels',
  ])('has no class: %s', (line) => {
    expect(diagnose([line], null)).toMatchObject({ class: 'unknown', evidence: [] });
  });
});

// rule ML-36
it('a compiler failure without any other message is class oom-hbm', () => {
  const line = 'F0807 10:00:00.000000 12 compiler_base.cc:2587] compilation failure';
  expect(diagnose([line], 'FAILED')).toMatchObject({ class: 'oom-hbm', response: 'escalate' });
});
