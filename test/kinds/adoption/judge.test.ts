/** The verdict on a job that a person launched by hand comes from its steps too, not only from the engine. */

import { expect, it } from 'vitest';
import { adoptionKind } from '../../../src/kinds/adoption/kind.ts';
import { aRun } from '../../support/run-builder.ts';
import { bob } from '../../support/run-drafts.ts';
import { aConfig } from '../../support/run-parts.ts';

const { lane } = aConfig();

it.each([
  ['SUCCEEDED', 120, { result: 'pass', stepOutcome: 'pass' }],
  ['SUCCEEDED', 5, { result: 'fail', stepOutcome: 'fail' }],
  ['SUCCEEDED', null, { result: 'unknown', stepOutcome: 'unknown' }],
  ['FAILED', 120, { result: 'fail', stepOutcome: 'pass' }],
] as const)('a job that ended %s at step %s of 120 is judged %j', (status, lastStep, verdict) => {
  const { end } = aRun().gated().approved(bob).ordered().submitted().ended({ status, lastStep, totalSteps: 120 }).state;
  if (end === null) throw new Error('the run has not ended');
  expect(adoptionKind.judge(end, { ...lane, finalStep: null, metrics: [] }, [])).toMatchObject(verdict);
});
