/** The words about what a config leaves behind, as the check, the card of an issue and `/status` have them. */

import { describe, expect, it } from 'vitest';
import type { LeftBehind, StrayHold } from '../../src/config/left-behind.ts';
import { renderConfigCheck } from '../../src/render/config-check.ts';
import { leftBehindTitle, strayHoldWords } from '../../src/render/left-behind-words.ts';

const hold: StrayHold = {
  scope: 'lane',
  lane: 'canary',
  reason: 'bad node <b>',
  date: null,
  actor: { id: 7, login: 'mira' },
  at: '2026-11-21T06:00:00.000Z',
};
const job: LeftBehind = { kind: 'job', run: 'ferry-canary-20261121', cluster: 'us-east1' };
const nothing = { runs: [], decisions: 0, changed: 0, unknown: 0 };
const checkOf = (left: readonly LeftBehind[]) =>
  renderConfigCheck({ kind: 'valid', warnings: [], left, backtest: nothing }, '.github/ferrybot.yml');

describe('what a config leaves behind', () => {
  it('is the first that its check says', () => {
    const day: StrayHold = { ...hold, scope: 'date', date: '2026-11-22' };
    const left: readonly LeftBehind[] = [job, { kind: 'hold', hold }, { kind: 'hold', hold: day }];
    expect(checkOf(left)).toMatchSnapshot();
  });

  it('may not be known, and that is no success', () => {
    const check = checkOf([{ kind: 'unknown', why: 'the repository journal is broken' }]);
    expect(check).toMatchSnapshot();
    expect(check.conclusion).toBe('neutral');
  });

  it('is nothing in most checks', () => {
    expect(leftBehindTitle([])).toBe('');
    expect(checkOf([]).conclusion).toBe('success');
  });

  it('is told where holds are listed', () => {
    expect(strayHoldWords(hold)).toMatchSnapshot();
  });
});
