/**
 * The verdict on an ended ferry: status, last step, and every key metric against the median of the last
 * five.
 */

import { describe, expect, it } from 'vitest';
import type { LaneConfig } from '../../src/config/lane-schema.ts';
import type { EventDataByType } from '../../src/domain/logbook/define.ts';
import { judgeRun } from '../../src/run/kind.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';
import { aConfig } from '../support/run-parts.ts';

const submitted = aRun().gated().approved(bob).ordered().submitted();
const LOSS = { key: 'eval/loss', better: 'lower', tolerancePercent: '2' } as const;
const lane: LaneConfig = { ...aConfig().lane, metrics: [LOSS], finalStep: 5155 };
const history = (...losses: readonly string[]) =>
  losses.map((loss) => ({ run: submitted.state.run, date: '2026-11-20', metrics: { 'eval/loss': loss } }));

function judge(change: Partial<EventDataByType['ended']>, past = history('100'), of: Partial<LaneConfig> = {}) {
  const { end } = submitted.ended({ metrics: { 'eval/loss': '100' }, lastStep: 5155, ...change }).state;
  if (end === null) throw new Error('not ended');
  return judgeRun(end, { ...lane, ...of }, past);
}
const loss = (value: string, past?: ReturnType<typeof history>, of?: Partial<LaneConfig>) =>
  judge({ metrics: { 'eval/loss': value } }, past, of);

describe('the verdict', () => {
  it.each([
    ['the median of five, not six', '103', history('101', '101', '101', '90', '90', '300'), 'pass'],
    ['the mean of the middle two', '102', history('90', '110'), 'pass'],
    ['just within the tolerance', '102', history('100'), 'pass'],
    ['just beyond it', '102.1', history('100'), 'fail'],
    ['far better', '50', history('100'), 'pass'],
    ['no baseline yet', '9999', history(), 'pass'],
    ['a history without numbers', '9999', history('NaN', ''), 'pass'],
    ['NaN', 'NaN', history('100'), 'fail'],
    ['infinity', 'Infinity', history('100'), 'fail'],
    ['an empty value', '', history('100'), 'fail'],
  ] as const)('judges by %s', (_, value, past, result) => {
    expect(loss(value, past).result).toBe(result);
  });

  it.each([
    ['a negative loss on the first run', '-1', history(), 'unknown'],
    ['a negative loss after positive ones', '-1', history('3', '3.1'), 'unknown'],
    ['a negative loss where earlier runs had one', '-1', history('-1', '-1.01'), 'pass'],
    ['a loss of zero', '0', history('0'), 'pass'],
  ] as const)('leaves %s to a person unless it is usual', (_, value, past, result) => {
    expect(loss(value, past).result).toBe(result);
  });

  it('is no plain pass if the log of a successful job ends with a failure', () => {
    const diagnosis = {
      class: 'storage',
      confidence: 'high',
      response: 'escalate',
      place: null,
      error: null,
      evidence: ['OSError: [Errno 28] No space left on device'],
    } as const;
    expect(judge({ diagnosis }).result).toBe('unknown');
    expect(judge({ diagnosis, status: 'FAILED' }).result).toBe('fail');
  });

  it('reverses the comparison when higher is better', () => {
    const of = { metrics: [{ ...LOSS, better: 'higher' as const }] };
    expect(['98', '97.9', '200'].map((value) => loss(value, undefined, of).result)).toEqual(['pass', 'fail', 'pass']);
  });

  it('is unknown for a missing metric, and fails for one worse metric among several', () => {
    expect(judge({ metrics: {} }).result).toBe('unknown');
    const two = { metrics: [LOSS, { ...LOSS, key: 'eval/bpb' }] };
    expect(loss('200', undefined, two).result).toBe('fail');
  });

  it.each([
    [5155, 5155, 'pass'],
    [5153, 5155, 'pass'],
    [5152, 5155, 'fail'],
    [null, 5155, 'unknown'],
    [5153, null, 'pass'],
  ] as const)('judges step %s with %s configured as %s', (lastStep, finalStep, result) => {
    expect(judge({ lastStep, totalSteps: 5155 }, undefined, { finalStep }).result).toBe(result);
  });

  it('is unknown when no final step is known', () => {
    expect(judge({ totalSteps: null }, undefined, { finalStep: null }).stepOutcome).toBe('unknown');
  });

  it.each(['FAILED', 'STOPPED'] as const)('fails for a run that %s, whatever its metrics', (status) => {
    expect(judge({ status }).result).toBe('fail');
  });
});
