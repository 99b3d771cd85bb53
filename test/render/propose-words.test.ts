/** The answers to /propose: a text for each outcome, with the next action. */

import { describe, expect, it } from 'vitest';
import { ANSWERS, type AnswerCode } from '../../src/commands/decision.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { renderObjectiveQuestion } from '../../src/kinds/ferry/requested-change.ts';
import { answerWords } from '../../src/render/answer-words.ts';

const words = (code: AnswerCode, detail: Readonly<Record<string, string | number>>): string =>
  answerWords({ code, detail }, { input: null });

const TOLD: readonly (readonly [AnswerCode, Readonly<Record<string, string | number>>])[] = [
  ['proposed', { run: 'ferry-daily-20261121', pull: 13, issue: 12 }],
  ['propose-held', { scope: 'date', lane: 'daily', date: '2026-11-21', by: 'mira', reason: 'holiday' }],
  ['propose-held', { scope: 'repository', by: 'mira', reason: 'a bad node @everyone' }],
  ['propose-standing', { run: 'ferry-daily-20261121', pull: 13, phase: 'gated' }],
  ['propose-standing', { run: 'ferry-daily-20261121-pr13', pull: 13, phase: 'gated', own: 1 }],
  ['propose-standing', { run: 'small-hero-b', pull: 13, phase: 'gated', own: 2, issue: 13 }],
  ['propose-busy', { run: 'ferry-daily-20261121', pull: 13, phase: 'stepping' }],
  ['propose-busy', { run: 'ferry-daily-20261121', pull: 13, phase: 'approved' }],
  ['propose-busy', { run: 'ferry-daily-20261121', pull: 13, phase: 'ended' }],
  ['propose-not-today', { count: 20 }],
  ['propose-edit-refused', { why: 'unknown-knob', name: 'learning_rat', about: 'learning_rate' }],
  ['propose-edit-refused', { why: 'unknown-knob', name: '<img src=x>', about: '' }],
  ['propose-edit-refused', { why: 'ambiguous-knob', name: 'lr', about: 'a().lr\nb().lr#2' }],
  ['propose-edit-refused', { why: 'repeated-knob', name: 'warmup', about: 'SimpleTrainConfig().warmup' }],
  ['propose-edit-refused', { why: 'value-refused', name: 'warmup', about: 'open(1)' }],
  ['propose-edit-refused', { why: 'unchanged', name: 'warmup', about: '100' }],
  ['propose-edit-refused', { why: 'over-budget', name: '3', about: '2' }],
  ['propose-objective-unclear', { why: 'names-neither', said: 'does "warmup" matter?', knobs: 'warmup=80' }],
  ['propose-objective-unclear', { why: 'nothing-said', said: '', knobs: '' }],
  ['propose-objective-unclear', { why: 'negated', said: 'not a regression `x`', knobs: '' }],
  ['propose-nothing', { reason: 'checks-failed', why: 'uv run pre-commit: exit code 1\n```\nE501 line too long' }],
  ['propose-nothing', { reason: 'nothing-due', why: 'lr: all-values-recent' }],
  ['propose-nothing', { reason: 'no-candidates', why: '' }],
  ['propose-nothing', { reason: 'names-taken', why: 'branches that are no proposal have the names' }],
  ['propose-nothing', { reason: 'proposer-refused', why: 'scale-knob TRAIN_BATCH_SIZE' }],
  ['propose-nothing', { reason: 'experiment-unparsable', why: 'line 3: invalid syntax' }],
  ['propose-refused', { why: 'fork', about: 'sol/ferries', wanted: 'lab/ferries' }],
  ['propose-refused', { why: 'draft', about: '', wanted: '' }],
  ['propose-refused', { why: 'no-experiment', about: 'a/daily.py b/`nightly`.py', wanted: '' }],
  ['propose-refused', { why: 'several-lanes', about: 'daily nightly', wanted: '' }],
  ['propose-refused', { why: 'knobs', about: 'a/daily.py', wanted: '' }],
  ['propose-refused', { why: 'not-permitted', about: 'ravi', wanted: 'write' }],
  ['propose-refused', { why: 'no-person', about: 'lab-bot[bot]', wanted: 'write' }],
];

describe('the answer to a /propose', () => {
  it.each(TOLD)('%s %j', (code, detail) => {
    expect(words(code, detail)).toMatchSnapshot();
  });

  it('is tested for every outcome', () => {
    const codes = Object.keys(ANSWERS).filter((code) => /^propose/.test(code));
    expect([...new Set(TOLD.map(([code]) => code))].toSorted()).toEqual(codes.toSorted());
  });

  it('asks with commands that can be copied unchanged', () => {
    const until = brandAs(Date.UTC(2026, 10, 21, 9), isInstant);
    expect(
      renderObjectiveQuestion({ lane: 'daily', date: '2026-11-21', until, last: null, configured: null }),
    ).toMatchSnapshot();
  });
});
