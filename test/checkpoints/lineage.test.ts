/** The lineage of a run from its record: attempts, what each was resumed from, and what people rejected. */

import { describe, expect, it } from 'vitest';
import {
  buildLineage,
  buildRecordedLineage,
  judgeLineage,
  listStartCheckpoints,
} from '../../src/checkpoints/lineage.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { renderLineage } from '../../src/render/contract-words.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';

const ROOT = 'gs://lab/run/checkpoints';
const MINUTE_MS = 60_000;

/** One attempt that reached this step, and failed. */
function attempt(before: RunBuilder, number: number, checkpointStep: number, resumedFrom?: string): RunBuilder {
  const started = (before.state.end === null ? before.gated().shown() : before.shown())
    .approved(alice)
    .ordered(number === 1 ? {} : { parent: { run: before.state.run, attempt: number - 1 } })
    .submitted({ attempt: number });
  const seen = { attempt: number, checkpointStep, step: checkpointStep };
  return started
    .observed(resumedFrom === undefined ? seen : { ...seen, resumedFrom })
    .ended({ attempt: number, status: 'FAILED', checkpointStep, signatures: ['preempted'] });
}

function rejected(run: RunBuilder, step: number, reason = 'the loss had diverged'): RunBuilder {
  const data = { step, reason, comment: 77, surface: 'comment' } as const;
  return run.add({ type: 'checkpoint-rejected', role: 'control', actor: bob, data });
}

/** The state of a checkpoint that was written during an attempt of the run. */
function standing(run: RunBuilder, of: number, step: number): string {
  const lineage = buildLineage(run.state);
  const from = lineage.attempts.find((one) => one.attempt === of)?.from ?? 0;
  return judgeLineage(lineage, { step, writtenAt: brandAs(from + MINUTE_MS, isInstant) }).status;
}

describe('the lineage of a run', () => {
  it('contains the attempt with what it wrote and how it ended', () => {
    const run = attempt(aRun(), 1, 300);
    expect(buildRecordedLineage(run.state)).toMatchObject({
      attempts: [{ attempt: 1, startStep: 0, startedFrom: null, newestStep: 300, status: 'FAILED' }],
      rejections: [],
    });
  });

  it('excludes a rejected step and all later ones, and keeps earlier ones', () => {
    const run = rejected(attempt(aRun(), 1, 300), 200);
    expect([100, 199, 200, 300].map((step) => standing(run, 1, step))).toEqual([
      'eligible',
      'eligible',
      'rejected',
      'rejected',
    ]);
    expect(buildRecordedLineage(run.state).rejections).toMatchObject([
      { step: 200, reason: 'the loss had diverged', actor: bob },
    ]);
  });

  it('treats a checkpoint outside the times of its attempts as foreign', () => {
    const lineage = buildLineage(attempt(aRun(), 1, 300).state);
    const [only] = lineage.attempts;
    const at = (ms: number) => judgeLineage(lineage, { step: 10, writtenAt: brandAs(ms, isInstant) }).status;
    expect(at((only?.from ?? 0) - 2 * MINUTE_MS)).toBe('foreign');
    expect(at((only?.until ?? 0) + 2 * MINUTE_MS)).toBe('foreign');
  });

  it('names the checkpoints that its attempts loaded', () => {
    const run = attempt(aRun(), 1, 300, `${ROOT}/step-120/`);
    expect(listStartCheckpoints(run.state)).toEqual([`${ROOT}/step-120`]);
    expect(buildRecordedLineage(run.state).attempts).toMatchObject([{ startStep: 120 }]);
  });
});

describe('the lineage part of the card', () => {
  it('appears only with more than one attempt or a rejection', () => {
    const one = attempt(aRun(), 1, 300);
    expect(renderLineage(one.state)).toBeNull();
    expect(renderLineage(rejected(one, 200).state)).toMatchSnapshot();
  });
});
