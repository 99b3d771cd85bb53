/** What a rental may request: the gates pass with values within the limits. */

import { expect, it } from 'vitest';
import { known } from '../../../src/domain/values.ts';
import {
  bottleneckMeasured,
  earlyStopSaneGate,
  judgeRental,
  reductionsBoundedGate,
} from '../../../src/kinds/rental/kind.ts';
import { CONTRACT, gateFacts, LANE } from '../../gates/sample-facts.ts';
import { aRun } from '../../support/run-builder.ts';
import { bob } from '../../support/run-drafts.ts';

// rule VA-27
it('allows smaller batches in order and then a shorter context, and nothing before the batch', () => {
  const lane = {
    ...LANE,
    command: ['python3', 'train.py', '--batch-size', '32'],
    environment: { SEQ_LEN: '4096' },
    reductions: ['--batch-size 16', '--batch-size 8', 'SEQ_LEN 2048'],
  };
  expect(reductionsBoundedGate.evaluate(gateFacts({ lane }))).toMatchObject({ outcome: 'pass', code: 'bounded' });
  const other = { ...lane, reductions: ['SEQ_LEN 2048'] };
  expect(reductionsBoundedGate.evaluate(gateFacts({ lane: other }))).toMatchObject({ code: 'not-batch-first' });
});

// rule VA-30
it('allows only a late and patient early stop, which then counts as the requested end', () => {
  const lane = { ...LANE, finalStep: 1_200, earlyStop: { minSteps: 600, patience: 5, minDelta: '0.001' } };
  expect(earlyStopSaneGate.evaluate(gateFacts({ lane }))).toMatchObject({ outcome: 'pass', code: 'sane' });
  const early = { ...lane, earlyStop: { ...lane.earlyStop, minSteps: 599 } };
  expect(earlyStopSaneGate.evaluate(gateFacts({ lane: early }))).toMatchObject({ outcome: 'fail', code: 'too-small' });
  const { end } = aRun().gated().approved(bob).ordered().submitted().observed().ended().state;
  if (end === null) throw new Error('the run has ended');
  const ended = (lastStep: number) => judgeRental({ ...end, lastStep }, lane, []).stepOutcome;
  expect([ended(1_200), ended(700), ended(400)]).toEqual(['pass', 'pass', 'fail']);
});

// rule VA-28
it('allows an optimisation only with a measurement of a sealed run', () => {
  const value = 'data: the loader waits 61 % of a step; baseline rental-gpu-20261120-issue3';
  const values = { ...CONTRACT, optimisation: { value, source: 'given', from: '' } as const };
  const facts = gateFacts({
    contract: { recorded: values, read: known(values) },
    sealedPasses: known(['rental-gpu-20261120-issue3']),
  });
  expect(bottleneckMeasured.evaluate(facts)).toMatchObject({ outcome: 'pass', code: 'measured' });
  const others = { ...facts, sealedPasses: known(['rental-gpu-20261119-issue2']) };
  expect(bottleneckMeasured.evaluate(others)).toMatchObject({ outcome: 'fail', code: 'no-baseline' });
});
