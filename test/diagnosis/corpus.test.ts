/** Logs of jobs that died, or only look so, which were written by somebody who did not know the table. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { FAILURE_CLASSES, type FailureClass, FIRST_RESPONSE } from '../../src/domain/failure-class.ts';

const FOLDER = new URL('../../fixtures/failure-logs/', import.meta.url);
const kind = z.enum(FAILURE_CLASSES);
const labels = z
  .array(z.object({ file: z.string(), class: kind, alternatives: z.array(kind), why: z.string() }))
  .parse(JSON.parse(readFileSync(new URL('labels.json', FOLDER), 'utf8')));

const judged = labels.map((label) => ({
  ...label,
  found: diagnose(readFileSync(new URL(label.file, FOLDER), 'utf8').split(/\r\n|\n|\r/), null),
}));

const isRight = (one: (typeof judged)[number]): boolean =>
  [one.class, ...one.alternatives].includes(one.found.class);

/** What the same manifest meets again, or what running on makes worse. */
const NEVER_AGAIN: readonly FailureClass[] = FAILURE_CLASSES.filter(
  (one) =>
    FIRST_RESPONSE[one] === 'escalate' && one !== 'unknown' && one !== 'infra-cluster' && one !== 'storage',
);

describe(`${labels.length} logs that nobody here had seen`, () => {
  it('are judged rightly, or not at all', () => {
    const wrong = judged.filter((one) => !isRight(one) && one.found.class !== 'unknown');
    const told = wrong.map(({ file, found }) => `${file}: ${found.class}`);
    expect(wrong.length / judged.length, told.join('\n')).toBeLessThanOrEqual(0.05);
  });

  it('are rarely not judged at all', () => {
    const unknown = judged.filter((one) => !isRight(one) && one.found.class === 'unknown');
    expect(unknown.length / judged.length, unknown.map(({ file }) => file).join('\n')).toBeLessThanOrEqual(
      0.2,
    );
  });

  it('are never started again where that would only do harm', () => {
    const unsafe = judged.filter(
      (one) => !isRight(one) && NEVER_AGAIN.includes(one.class) && one.found.response === 'relaunch',
    );
    expect(unsafe.map(({ file, found }) => `${file}: ${found.class}`)).toEqual([]);
  });

  it('have their evidence in the log', () => {
    for (const { file, found } of judged) {
      const lines = readFileSync(new URL(file, FOLDER), 'utf8').split(/\r\n|\n|\r/);
      for (const { line, text } of found.evidence)
        expect(lines[line - 1]?.trim().slice(0, 40).trim(), file).toBe(text.trim().slice(0, 40).trim());
    }
  });
});
