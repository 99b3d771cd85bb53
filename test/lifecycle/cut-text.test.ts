/** Truncating pushed text: half of a surrogate pair made canonical JSON throw, which failed every trigger. */

import { describe, expect, it } from 'vitest';
import { cutText, cutTextFromEnd } from '../../src/domain/values.ts';
import { propose, readState, until } from '../support/play.ts';
import { HOUR, listAnswersTo, MINUTE, postComment, pushFile, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

describe('a pushed line', () => {
  // threat T16
  it('with an emoji at the truncation point does not fail the trigger', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    const path = 'experiments/ferries/daily.py';
    const branch = (await readState(lab, run))?.proposal.headBranch ?? '';
    const text = (await readBranchFile(lab, branch, path)) ?? '';
    for (const [length, kept] of [
      [198, 200],
      [199, 199],
    ] as const) {
      const line = `assert open("${'x'.repeat(length - 'assert open("'.length)}😀😀") is not None\n`;
      await pushFile(lab, 'ada', branch, path, `${text}\n${line}`);
      await lab.clock.advance(40 * MINUTE);
      const verdicts = (await readState(lab, run))?.gate?.verdicts ?? [];
      const { statement } = verdicts.find(({ gate }) => gate === 'delta-readable')?.found ?? {};
      expect(statement).toBe(line.slice(0, kept));
    }
    const asked = await postComment(lab, 'mira', pull, '/status');
    await until(lab, 'an answer', () => listAnswersTo(lab, asked).length > 0, { limitMs: 2 * HOUR });
    expect(lab.log.join('\n')).not.toMatch(/a (trigger|look) failed/);
    await lab.close();
  });
});

describe('truncated text', () => {
  it('has no half surrogate pair at either end', () => {
    const text = 'a😀b\ud83dc\udc00😀';
    for (let max = 0; max <= text.length + 1; max += 1)
      for (const cut of [cutText(text, max), cutTextFromEnd(text, max)]) {
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
      }
    expect(cutText('a😀', 2)).toBe('a');
    expect(cutTextFromEnd('😀a', 2)).toBe('a');
  });
});
