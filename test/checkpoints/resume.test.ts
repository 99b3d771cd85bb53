/** What a retry may resume from after a failure: never a checkpoint that is not eligible now. */

import { describe, expect, it } from 'vitest';
import { findResumePoint, findStartPoint, type ResumeInput } from '../../src/checkpoints/start.ts';
import { readCommandLine } from '../../src/contracts/fields.ts';
import type { StoredCheckpoint } from '../../src/domain/checkpoint/stored.ts';
import { OUTSIDE_SOURCE } from '../../src/domain/launch/contract.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isInstant, isRunId, known, unknown } from '../../src/domain/values.ts';
import { aRun } from '../support/run-builder.ts';
import { alice } from '../support/run-drafts.ts';
import { aManifest } from '../support/run-parts.ts';

const OWN = 'gs://lab/own/checkpoints';
const THEIRS = 'gs://lab/theirs/checkpoints';
const BEGUN = `${THEIRS}/step-700`;
const { state } = aRun().gated().shown().approved(alice).ordered().submitted().ended({ status: 'FAILED', exitCode: 1 });
const claimedAt = Date.parse(state.order?.claim?.at ?? '');

function ranIn(root: string, run: string, resume: Partial<Manifest['resume']> = {}): RunState {
  const { order } = state;
  if (order === null) throw new Error('it was ordered');
  const manifest = { ...aManifest(), outputRoot: root, resume: { ...aManifest().resume, ...resume } };
  return { ...state, run: brandAs(run, isRunId), order: { ...order, manifest } };
}
const SOURCE = ranIn(THEIRS, 'theirs');
const RUN = ranIn(OWN, 'own', { initializeFrom: BEGUN, initializeStep: 700 });

function stored(path: string, step: number, isWhole = true): StoredCheckpoint {
  const text = JSON.stringify({ step, timestamp: '2026-11-21T10:00:00' });
  const writtenAt = brandAs(claimedAt + 1_000, isInstant);
  const metadata = isWhole ? { text, writtenAt, identity: String(step) } : null;
  return { path, root: path.slice(0, path.lastIndexOf('/')), metadata: known(metadata) };
}

const resume = (input: Partial<ResumeInput> = {}, run = RUN) =>
  findResumePoint(run, {
    plan: { from: { path: THEIRS, run: SOURCE.run }, roots: [OWN], named: [] },
    roots: [
      { root: OWN, found: known([]) },
      { root: THEIRS, found: known([stored(BEGUN, 700)]) },
    ],
    runs: [run, SOURCE],
    command: ['python3', 'train.py', '--resume={checkpoint}'],
    ...input,
  });
const theirs = (found: readonly StoredCheckpoint[]): ResumeInput['roots'] => [
  { root: OWN, found: known([]) },
  { root: THEIRS, found: known(found) },
];

describe('the checkpoint that a run without own checkpoints was launched from', () => {
  it('is used only if it is unchanged', () => {
    expect(resume()).toEqual(known({ kind: 'from', path: BEGUN, step: 700 }));
  });

  it('needs a decision if its own run has rejected it since', () => {
    const at = new Date(claimedAt + 120_000).toISOString();
    const rejected: RunState = { ...SOURCE, rejections: [{ step: 700, at, seq: 99 } as never] };
    expect(resume({ runs: [RUN, rejected] })).toEqual(known({ kind: 'ask', code: 'rejected' }));
  });

  it('needs a decision if it is missing or incomplete, and no newer one replaces it', () => {
    const newer = stored(`${THEIRS}/step-900`, 900);
    expect(resume({ roots: theirs([newer]) })).toEqual(known({ kind: 'ask', code: 'not-there' }));
    expect(resume({ roots: theirs([newer, stored(BEGUN, 700, false)]) })).toEqual(
      known({ kind: 'ask', code: 'no-metadata' }),
    );
  });

  it('is unknown if its store cannot be read', () => {
    const blind = { root: THEIRS, found: unknown('status 403') };
    const searched = [{ root: OWN, found: known([]) }, blind];
    expect(resume({ roots: searched })).toMatchObject({ kind: 'unknown' });
    expect(resume({ roots: [{ root: OWN, found: known([]) }] })).toMatchObject({ kind: 'unknown' });
  });
});

it('a checkpoint in a root that another run wrote to at the same time needs a decision', () => {
  const plan = { from: null, roots: [THEIRS], named: [] };
  const found = { plan, roots: [{ root: THEIRS, found: known([stored(`${THEIRS}/step-900`, 900)]) }] };
  const run = ranIn(OWN, 'own');
  expect(resume({ ...found, runs: [run] }, run)).toMatchObject({ value: { kind: 'from', step: 900 } });
  expect(resume({ ...found, runs: [run, SOURCE] }, run)).toEqual(known({ kind: 'ask', code: 'several-runs' }));
});

it('a fix that removes the checkpoint placeholder from its command makes the job choose for itself', () => {
  const at = new Date(claimedAt + 120_000).toISOString();
  const own = ranIn(OWN, 'own');
  const run: RunState = { ...own, rejections: [{ step: 800, at, seq: 99 } as never] };
  const found = known([400, 800].map((step) => stored(`${OWN}/step-${step}`, step)));
  const input = { plan: { from: null, roots: [OWN], named: [] }, roots: [{ root: OWN, found }], runs: [run] };
  expect(resume(input, run)).toMatchObject({ value: { kind: 'from', step: 400 } });
  expect(resume({ ...input, command: ['python3', 'train.py'] }, run)).toMatchObject({
    value: { kind: 'takes-other', wouldTake: `${OWN}/step-800` },
  });
});

it('a folder above the roots of recorded runs is not outside the record', () => {
  const found = known([{ ...stored('gs://lab/theirs', 700), root: 'gs://lab' }]);
  const from = { path: 'gs://lab', run: OUTSIDE_SOURCE } as const;
  const other = ranIn('gs://lab/theirs', 'theirs');
  expect(findStartPoint(from, [{ root: 'gs://lab', found }], known([]))).toMatchObject({ value: { kind: 'proven' } });
  expect(findStartPoint(from, [{ root: 'gs://lab', found }], known([other]))).toMatchObject({
    value: { kind: 'refused', code: 'other-run' },
  });
});

it('a file that a job has written is never the program of a command, also behind a placeholder', () => {
  expect(readCommandLine('{checkpoint}/train.sh --address=elsewhere')).toBeNull();
  expect(readCommandLine('python3 {checkpoint}')?.command).toEqual(['python3', '{checkpoint}']);
});
