/** Short logs, one a row, with what the diagnosis answers: what decides, what only follows from it, and what is only alarming to look at. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { classFromTypeName } from '../../src/diagnosis/rows.ts';
import { CONFIDENCES, FAILURE_CLASSES, FIRST_RESPONSE } from '../../src/domain/failure-class.ts';

const row = z.strictObject({
  about: z.string(),
  class: z.enum(FAILURE_CLASSES),
  confidence: z.enum(CONFIDENCES),
  /** Lines of the log, from 1. */
  evidence: z.array(z.int()),
  /** File and line of the exception in the lab's own code. */
  place: z.string().nullable(),
  status: z.enum(['SUCCEEDED', 'FAILED']).optional(),
  log: z.string(),
});

const CASES = readFileSync(new URL('../../fixtures/failure-logs/cases.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((text) => row.parse(JSON.parse(text)));

describe('a short log', () => {
  it.each(CASES)('$about: is $class', ({ log, status = null, place, evidence, ...answer }) => {
    const found = diagnose(log.split('\n'), status);
    const at = found.traceback === null ? null : `${found.traceback.file}:${found.traceback.line}`;
    const { class: kind, confidence } = found;
    expect({ class: kind, confidence, evidence: found.evidence.map(({ line }) => line), place: at }).toEqual({
      class: answer.class,
      confidence: answer.confidence,
      evidence,
      place,
    });
    expect(found.response).toBe(FIRST_RESPONSE[answer.class]);
  });
});

it('one cause is found behind ten thousand lines of what others say, and before as many', () => {
  const others = Array.from({ length: 10_000 }, () => 'NCCL WARN Connection closed by remote peer 10.0.0.1');
  const own = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB';
  expect(diagnose([...others, own, ...others], null)).toMatchObject({ class: 'oom-hbm', evidence: [{ line: 10_001 }] });
});

describe('the name of an exception', () => {
  it.each([
    ['storage', 'a.CheckpointException'],
    ['data', 'a.DecodingProblem'],
    ['data', 'a.CorruptShard'],
    ['auth', 'a.CredentialProblem'],
    ['dependency', 'a.VersionProblem'],
    ['code-other', 'a.ShapeError'],
    ['code-other', 'a.ShardingProblem'],
    ['config', 'a.UsageProblem'],
    [null, 'a.Error'],
    [null, 'a.TimeoutException'],
  ])('says %s of %s', (what, type) => {
    expect(classFromTypeName(type)).toBe(what);
  });
});
