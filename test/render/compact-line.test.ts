/** A job in one line: every column, and a dash where nobody said. */

import { expect, it } from 'vitest';
import { compactLine } from '../../src/render/compact-line.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();

it('has time, state, step, rate, accelerators, eval, what is done and when the next look is', () => {
  const looked = submitted.observed({
    step: 4600,
    stepIsExact: true,
    totalSteps: 5155,
    cadenceMs: 570_000,
    evals: { 'eval/loss': '3.0625' },
    pace: {
      secondsPerStep: '18.912',
      tokensPerSecond: null,
      remainingSeconds: null,
      usePercent: '93',
      memory: '71.3%',
    },
  });
  expect(compactLine(looked.state)).toMatch(
    /^`2026-11-21T(\d\d):(\d\d)Z stepping ~4600\/5155 18\.9s\/step gpu=93% mem=71\.3% eval\/loss=3\.0625 watch 2026-11-21T\d\d:\d\dZ`$/,
  );
  expect(compactLine(looked.observed({ alarms: ['stalled-steps'] }).state)).toContain(' degraded ');
});

it('has a dash where nobody said, and none before anybody looked', () => {
  const bare = submitted.observed({ step: null, totalSteps: null, evals: {} });
  expect(compactLine(bare.ended().state)).toMatch(/Z ended-\w+ - - gpu=- mem=- eval=- ended -`$/);
  expect(compactLine(submitted.state)).toBeNull();
});
