/** Random layouts of checkpoints and lineages, with all their faults. */

import * as fc from 'fast-check';
import type { CheckpointSearch } from '../../src/checkpoints/choose.ts';
import type { StoredCheckpoint } from '../../src/domain/checkpoint/stored.ts';
import { brandAs, isInstant, known, type Observed, unknown } from '../../src/domain/values.ts';

export const PERMANENT = 'gs://lab/run/checkpoints';
export const TEMPORARY = 'gs://lab-tmp/run/checkpoints';
const MINUTE_MS = 60_000;

// Few steps, so that some coincide; 9, 10, 99, 100 and 1000 sort differently as texts.
const step = fc.constantFrom(0, 9, 10, 99, 100, 101, 200, 999, 1_000, 1_001);
const minute = fc.integer({ min: 0, max: 40 });

const timestamp = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 59 }).map((second) => `2026-11-20T10:00:${two(second)}`) },
  fc.integer({ min: 0, max: 9 }).map((digit) => `2026-11-20T10:00:30.50000${digit}`),
  fc.integer({ min: 0, max: 9 }).map((hour) => `2026-11-20T12:00:00+0${hour}:00`),
  fc.constantFrom(
    '2026-11-20 10:00:31',
    '2026-11-20T10:00:31,25Z',
    '2026-11-31T10:00:00',
    '2026-02-29T10:00:00',
    '2028-02-29T10:00:00',
    '2026-11-20T24:00:00',
    '2026-11-20T10:60:00',
    '0026-11-20T10:00:00',
    '2026-11-20',
    'yesterday',
    '',
  ),
);

const metadataText = (named: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc
        .record({ timestamp, is_temporary: fc.boolean() })
        .map((rest) => JSON.stringify({ step: named, ...rest })),
    },
    fc
      .record({ step: fc.oneof(step, fc.constantFrom(-1, 1.5, '10', null, true, 2 ** 53)), timestamp })
      .map((data) => JSON.stringify(data)),
    fc.constantFrom(
      '',
      '{',
      '[]',
      'null',
      '12',
      '{"step": 9}',
      '{"step": 100.0, "timestamp": "2026-11-20T10:00:59"}',
      '{"step": 1e3, "timestamp": "2026-11-20T10:00:59"}',
      '{"step": 1000, "timestamp": "2026-11-20T10:00:59", "loss": NaN}',
      '{"step": 1000, "timestamp": "2026-11-20T10:00:59", "is_temporary": null}',
      '{"step": 1000, "timestamp": 12}',
    ),
  );

const name = (of: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constant(`step-${of}`) },
    fc.constantFrom(`step-00${of}`, `step-${of}-old`, 'eval', 'step-', `Step-${of}`, '\u{1f6a2}', '\uff5e'),
  );

const stored = (root: string): fc.Arbitrary<StoredCheckpoint> =>
  step.chain((of) =>
    fc
      .record({
        name: name(of),
        text: metadataText(of),
        writtenAt: minute,
        state: fc.constantFrom('there', 'there', 'there', 'there', 'there', 'there', 'there', 'half', 'shut'),
      })
      .map(({ name: folder, text, writtenAt, state }) => ({
        path: `${root}/${folder}`,
        root,
        metadata:
          state === 'shut'
            ? unknown('status 403')
            : known(
                state === 'half'
                  ? null
                  : { text, writtenAt: brandAs(writtenAt * MINUTE_MS + 10, isInstant), identity: text },
              ),
      })),
  );

const found = (root: string): fc.Arbitrary<Observed<readonly StoredCheckpoint[]>> =>
  fc.oneof(
    { weight: 30, arbitrary: fc.uniqueArray(stored(root), { maxLength: 7, selector: ({ path }) => path }).map(known) },
    fc.constant(unknown('status 403')),
  );

const lineage = fc
  .record({
    // Start and length of each attempt, one after another.
    attempts: fc.array(
      fc.record({
        pause: fc.integer({ min: 0, max: 6 }),
        length: fc.integer({ min: 0, max: 12 }),
        startStep: fc.option(step, { freq: 4 }),
        isFromOrder: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    isRunning: fc.boolean(),
    rejections: fc.array(fc.record({ step, at: minute }), { maxLength: 2 }),
  })
  .map(({ attempts, isRunning, rejections }) => {
    let at = 2;
    return {
      attempts: attempts.map(({ pause, length, startStep, isFromOrder }, index) => {
        const from = at + pause;
        at = from + length;
        const isLast = index === attempts.length - 1;
        return {
          attempt: index + 1,
          from: brandAs(from * MINUTE_MS, isInstant),
          until: isLast && isRunning ? null : brandAs(at * MINUTE_MS, isInstant),
          startStep,
          ...(isFromOrder ? { isFromOrder: true as const } : {}),
        };
      }),
      rejections: rejections.map((one) => ({ step: one.step, at: brandAs(one.at * MINUTE_MS, isInstant) })),
    };
  });

export const searches: fc.Arbitrary<CheckpointSearch> = fc
  .record({
    permanent: found(PERMANENT),
    temporary: fc.option(found(TEMPORARY)),
    lineage: fc.option(lineage, { freq: 4 }),
    maxStep: fc.option(step, { freq: 1 }),
    excludePaths: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      fc.constantFrom([`${TEMPORARY}/`], [`${PERMANENT}/step-1000`], [`${PERMANENT}/step-10`]),
    ),
  })
  .map(({ permanent, temporary, ...rest }) => ({
    roots: [
      { root: PERMANENT, found: permanent },
      ...(temporary === null ? [] : [{ root: TEMPORARY, found: temporary }]),
    ],
    ...rest,
  }));

function two(value: number): string {
  return String(value).padStart(2, '0');
}
