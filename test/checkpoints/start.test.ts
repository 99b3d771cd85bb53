/** Where a run starts: which run's record decides whether the named checkpoint may be used. */

import { describe, expect, it } from 'vitest';
import { findStartPoint, parentRoot } from '../../src/checkpoints/start.ts';
import type { StoredCheckpoint } from '../../src/domain/checkpoint/stored.ts';
import { type CheckpointPlan, OUTSIDE_SOURCE } from '../../src/domain/launch/contract.ts';
import { brandAs, isInstant, isRunId, known, unknown } from '../../src/domain/values.ts';
import { aRun } from '../support/run-builder.ts';
import { alice } from '../support/run-drafts.ts';
import { aManifest } from '../support/run-parts.ts';

const ROOT = 'gs://lab/runs/r1/checkpoints';
const { state } = aRun().gated().shown().approved(alice).ordered().submitted();
const claimedAt = Date.parse(state.order?.claim?.at ?? '');
const SOURCE = {
  ...state,
  order: state.order === null ? null : { ...state.order, manifest: { ...aManifest(), outputRoot: 'gs://lab/runs/r1' } },
};

function stored(step: number, { isWhole = true, atMs = claimedAt + 60_000 } = {}): StoredCheckpoint {
  const text = JSON.stringify({ step, timestamp: '2026-11-21T10:00:00' });
  const metadata = { text, writtenAt: brandAs(atMs, isInstant), identity: String(step) };
  return { path: `${ROOT}/step-${step}`, root: ROOT, metadata: known(isWhole ? metadata : null) };
}

type From = Partial<NonNullable<CheckpointPlan['from']>>;
const start = (from: From, found: readonly StoredCheckpoint[], runs = [SOURCE]) =>
  findStartPoint({ path: ROOT, run: null, ...from }, [{ root: ROOT, found: known(found) }], known(runs));

describe('a checkpoint that a person names', () => {
  it('is proven by its own metadata, and by the record of the run that wrote it', () => {
    const path = `${ROOT}/step-1200`;
    expect(start({ path: `${path}/` }, [stored(1_200), stored(1_500)])).toEqual(
      known({ kind: 'proven', path, step: 1_200, run: SOURCE.run, attempt: 1 }),
    );
  });

  it('is refused if it is incomplete, and not replaced by the newest complete one', () => {
    const found = [stored(1_000), stored(1_200, { isWhole: false })];
    expect(start({ path: `${ROOT}/step-1200` }, found)).toMatchObject({
      value: { kind: 'refused', code: 'no-metadata' },
    });
    expect(start({ path: `${ROOT}/step-1300` }, found)).toMatchObject({ value: { code: 'not-there' } });
  });
});

describe('a root that a person names', () => {
  it('means its newest complete checkpoint', () => {
    expect(start({}, [stored(900), stored(1_200), stored(1_300, { isWhole: false })])).toMatchObject({
      value: { kind: 'proven', step: 1_200 },
    });
  });

  // rule HR-55
  it('has none without a complete checkpoint, and nothing is guessed', () => {
    expect(start({}, [stored(900, { isWhole: false })])).toMatchObject({ value: { code: 'none-complete' } });
  });

  it('is unknown if it cannot be listed', () => {
    const blind = [{ root: ROOT, found: unknown('status 403') }];
    expect(findStartPoint({ path: ROOT, run: null }, blind, known([SOURCE]))).toMatchObject({ kind: 'unknown' });
    expect(findStartPoint({ path: ROOT, run: null }, [], known([SOURCE]))).toMatchObject({ kind: 'unknown' });
  });
});

describe('the run that wrote a checkpoint', () => {
  it('must be known: a root without a recorded run is refused', () => {
    expect(start({}, [stored(900)], [])).toMatchObject({ value: { kind: 'refused', code: 'no-run' } });
    const said = { run: brandAs('another-run', isRunId) };
    expect(start(said, [stored(900)])).toMatchObject({ value: { code: 'other-run' } });
  });

  it('is outside the record if a person states that and no recorded run wrote there', () => {
    expect(start({ run: OUTSIDE_SOURCE }, [stored(900)], [])).toMatchObject({
      value: { kind: 'proven', run: null, step: 900 },
    });
    expect(start({ run: OUTSIDE_SOURCE }, [stored(900)])).toMatchObject({ value: { code: 'other-run' } });
  });

  it('must be named if several runs wrote there', () => {
    const twin = { ...SOURCE, run: brandAs('twin', isRunId) };
    expect(start({}, [stored(900)], [SOURCE, twin])).toMatchObject({ value: { code: 'several-runs' } });
    expect(start({ run: twin.run }, [stored(900)], [SOURCE, twin])).toMatchObject({ value: { run: 'twin' } });
  });

  it('must have been writing at that time, in a lineage that was not rejected', () => {
    const early = stored(900, { atMs: claimedAt - 3_600_000 });
    expect(start({ path: early.path }, [early])).toMatchObject({ value: { code: 'foreign' } });
    const at = new Date(claimedAt + 120_000).toISOString();
    const [rejected] = [{ ...SOURCE, rejections: [{ step: 800, at, seq: 99 } as never] }];
    expect(start({ path: `${ROOT}/step-900` }, [stored(900)], [rejected])).toMatchObject({
      value: { code: 'rejected' },
    });
  });

  it("is found by the end of a path that only the job's machine can resolve", () => {
    const order = SOURCE.order;
    if (order === null) throw new Error('it was ordered');
    const relative = { ...SOURCE, order: { ...order, manifest: { ...aManifest(), outputRoot: 'runs/r1' } } };
    expect(start({}, [stored(900)], [relative])).toMatchObject({ value: { run: SOURCE.run } });
  });
});

it('nothing is listed for a run that starts from nothing, and a step is listed in its folder', () => {
  expect(findStartPoint(null, [], unknown('not read'))).toEqual(known({ kind: 'anew' }));
  expect(parentRoot(`${ROOT}/step-12/`)).toBe(ROOT);
  expect(parentRoot(`${ROOT}/`)).toBe(ROOT);
});
