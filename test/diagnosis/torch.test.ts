/** PyTorch jobs under torchrun with gloo, each with one fault, recorded by `scripts/record-torch.ts`. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { replay } from '../../src/app/replay/replay.ts';
import { traceFromLog } from '../../src/app/replay/trace-of-log.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { FAILURE_CLASSES } from '../../src/domain/failure-class.ts';

const FOLDER = new URL('../../fixtures/torch/', import.meta.url);
const kind = z.enum(FAILURE_CLASSES);
const recordings = z
  .array(
    z.object({
      fault: z.string(),
      class: kind,
      alternatives: z.array(kind),
      /** The root of the first failure. */
      place: z.string().nullable(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('labels.json', FOLDER), 'utf8')));

const linesOf = (fault: string): readonly string[] => readFileSync(new URL(`${fault}.log`, FOLDER), 'utf8').split('\n');

describe('a job under torchrun', () => {
  it.each(recordings)('with fault $fault is $class, at $place', ({ fault, place, ...label }) => {
    const found = diagnose(linesOf(fault), null);
    expect([label.class, ...label.alternatives]).toContain(found.class);
    if (place !== null) expect(`${found.traceback?.file}:${found.traceback?.line}`).toBe(place);
  });

  it.each(recordings.filter(({ class: meant }) => meant !== 'benign'))(
    'with fault $fault is not benign',
    ({ fault }) => {
      expect(diagnose(linesOf(fault), null).response).not.toBe('none');
    },
  );

  it.each(['finishes', 'restarts'])('that %s is replayed without an alarm', async (fault) => {
    const trace = traceFromLog({ lines: linesOf(fault), start: null, end: 'SUCCEEDED', until: null });
    expect(await replay(trace)).toMatchObject({ alarms: [], finalState: 'ended-succeeded' });
  });
});
