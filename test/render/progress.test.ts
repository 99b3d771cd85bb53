/** How far and how fast: an exact total or none, and a time to go that pretends to no precision. */

import { describe, expect, it } from 'vitest';
import type { Observation } from '../../src/domain/logbook/run-state.ts';
import { paceText } from '../../src/render/progress.ts';
import { lastStepText } from '../../src/render/verdict-table.ts';

const at = (change: Partial<Observation>): Observation => ({
  attempt: 1,
  status: 'RUNNING',
  message: '',
  step: 4600,
  stepIsExact: false,
  totalSteps: 5155,
  loss: null,
  firstStepCompleted: true,
  trackers: [],
  evals: {},
  checkpointStep: null,
  signatures: [],
  logOffset: 0,
  cadenceMs: 570_000,
  lease: { holder: 'w', fence: 1, until: '2026-11-21T12:00:00Z' },
  at: '2026-11-21T12:00:00Z',
  seq: 9,
  ...change,
});

describe('how fast a run is', () => {
  it('is seconds a step, tokens a second and the time to the exact total', () => {
    const pace = { secondsPerStep: '18.87', tokensPerSecond: '1234567', remainingSeconds: 60 };
    expect(paceText(at({ pace }))).toBe('18.9 s a step, 1.23M tokens/s, about 2 h 55 min to go');
  });

  it('is steps a second where they are quick, and days where it takes days', () => {
    const pace = { secondsPerStep: '0.5', tokensPerSecond: null, remainingSeconds: null };
    expect(paceText(at({ step: 0, totalSteps: 1_000_000, pace }))).toBe('2 steps/s, about 5 d 18 h to go');
  });

  it("is the trainer's own estimate where nobody knows the total, and nothing where nothing is known", () => {
    const pace = { secondsPerStep: null, tokensPerSecond: null, remainingSeconds: 241 };
    expect(paceText(at({ totalSteps: null, pace }))).toBe('about 4 min to go');
    expect(paceText(at({ totalSteps: 10, step: 20 }))).toBe('');
  });
});

describe('the last step of a job', () => {
  it.each([
    ['nobody knows', null, at({}), 'unknown'],
    ['was never seen', 499, null, '499'],
    ['its log has beyond its last eval', 499, at({ step: 526 }), '499 by its metrics, ~526 by its log'],
    ['its log has exactly', 499, at({ step: 526, stepIsExact: true }), '499 by its metrics, 526 by its log'],
    ['its log has rounded', 11_999, at({ step: 12_000 }), '11999'],
    ['its log rounds to three digits', 12_049, at({ step: 12_100 }), '12049'],
    ['its log has one more', 1_199, at({ step: 1_200, stepIsExact: true }), '1199'],
  ])('that %s', (_, exact, seen, words) => {
    expect(lastStepText(exact, seen)).toBe(words);
  });
});
