/** Logs of jobs that failed, or only seem to have failed, written by an author who did not know the table. */

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

const judged = labels.map((label) => ({ ...label, found: diagnose(linesOf(label.file), null) }));

const isRight = (one: (typeof judged)[number]): boolean => [one.class, ...one.alternatives].includes(one.found.class);

/** How launchers, collectors and schedulers wrap a line. */
const WRAPPED: Readonly<Record<string, (line: string) => string>> = {
  Ray: (line) => `(RayTrainWorker(rank=3) pid=1234, ip=10.0.0.4) ${line}`,
  'Ray behind a logger': (line) => `(main pid=1234, ip=10.0.0.4) 2026-01-01 10:10:10,123 INFO ${line}`,
  torchrun: (line) => `[default0]:${line}`,
  'srun --label': (line) => `  12: ${line}`,
  Iris: (line) => `[2026-08-03T10:20:11Z] task=/alice/ferry-0803/train/0 ${line}`,
  Kubernetes: (line) => `2026-08-03T10:20:11.123456789Z stdout F ${line}`,
  journald: (line) => `2026-08-03T10:20:11+00:00 node-3 python3[1234]: ${line}`,
  Docker: (log) => JSON.stringify({ log: `${log}\n`, stream: 'stderr', time: '2026-08-03T10:20:11Z' }),
  'Google Cloud Logging': (textPayload) => JSON.stringify({ severity: 'ERROR', textPayload }),
  'a collector of JSON': (message) => JSON.stringify({ ts: '2026-08-03T10:20:11Z', level: 'info', message }),
  'two of them': (line) => `2026-08-03T10:20:11Z (Train pid=1234, ip=10.0.0.4) [rank0]: ${line}`,
};

function linesOf(file: string): readonly string[] {
  // The newline at the end terminates the last line and starts no new one.
  return readFileSync(new URL(file, FOLDER), 'utf8')
    .replace(/\n$/, '')
    .split(/\r\n|\n|\r/);
}

/** Failures that would recur with the same manifest or grow worse with a restart. */
const NEVER_AGAIN: readonly FailureClass[] = FAILURE_CLASSES.filter(
  (one) => FIRST_RESPONSE[one] === 'escalate' && one !== 'unknown' && one !== 'infra-cluster' && one !== 'storage',
);

describe(`${labels.length} unseen logs`, () => {
  it('are classified correctly or as unknown in at least 95 % of cases', () => {
    const wrong = judged.filter((one) => !isRight(one) && one.found.class !== 'unknown');
    const told = wrong.map(({ file, found }) => `${file}: ${found.class}`);
    expect(wrong.length / judged.length, told.join('\n')).toBeLessThanOrEqual(0.05);
  });

  it('are classified as unknown in at most 20 % of cases', () => {
    const unknown = judged.filter((one) => !isRight(one) && one.found.class === 'unknown');
    expect(unknown.length / judged.length, unknown.map(({ file }) => file).join('\n')).toBeLessThanOrEqual(0.2);
  });

  it('are never restarted when a restart would only do harm', () => {
    const unsafe = judged.filter(
      (one) => !isRight(one) && NEVER_AGAIN.includes(one.class) && one.found.response === 'retry-bounded',
    );
    expect(unsafe.map(({ file, found }) => `${file}: ${found.class}`)).toEqual([]);
  });

  it.each(Object.entries(WRAPPED))('get the same class when wrapped by %s', (_, wrap) => {
    const others = judged.flatMap(({ file, found, ...label }) => {
      const told = diagnose(linesOf(file).map(wrap), null);
      const isOther = told.class !== found.class && !isRight({ ...label, file, found: told });
      return isOther && told.class !== 'unknown' ? [`${file}: ${found.class}, now ${told.class}`] : [];
    });
    expect(others).toEqual([]);
  });

  it('have evidence lines that occur in the log', () => {
    for (const { file, found } of judged) {
      const lines = linesOf(file);
      for (const { line, text } of found.evidence)
        expect(lines[line - 1]?.trim().slice(0, 40).trim(), file).toBe(text.trim().slice(0, 40).trim());
    }
  });
});
