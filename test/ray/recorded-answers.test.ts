/**
 * The recorded answers in the ordinary suite match a real Ray head, so that a new release shows here first.
 */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';
import { QUESTIONS, type RecordedAnswer, recordingSchema, recordRay } from '../support/record-ray.ts';

const recorded = recordingSchema.parse(
  JSON.parse(readFileSync(new URL('../../fixtures/ray/answers.json', import.meta.url), 'utf8')),
);

/** Keys and types of JSON, sorted; of a text its last line, where a traceback names its error. */
function shape({ status, contentType, body }: RecordedAnswer): unknown {
  const said = typeof body === 'string' ? body.trim().split('\n').at(-1) : typesOf(body);
  return { status, contentType, said };
}

function typesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(typesOf);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, typesOf(field)]),
  );
}

describeWithRay('the recorded answers', () => {
  it('match a live head in keys, types, content types and words (record again with scripts/record-ray.ts)', async () => {
    const head = await startRayHead();
    try {
      const live = await recordRay(head);
      expect(live.ray).toBe(recorded.ray);
      for (const question of QUESTIONS)
        expect({ [question]: shape(live.answers[question]) }).toEqual({
          [question]: shape(recorded.answers[question]),
        });
      expect(live.answers['job-pending'].body).toEqual(recorded.answers['job-pending'].body);
      expect(live.answers['job-failed'].body).toMatchObject({
        message: expect.stringContaining('Job entrypoint command failed with exit code 3, last available logs'),
      });
    } finally {
      await head.close();
    }
  });
});
