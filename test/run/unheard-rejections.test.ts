/** What a launcher makes of a rejection in the thread that the record has answered already. */

import { expect, it } from 'vitest';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import type { PendingItem } from '../../src/run/pending-commands.ts';
import { isUnheardRejection } from '../../src/run/unheard-rejections.ts';
import { instant } from '../support/run-facts.ts';

/** One attempt is over, and this is the furthest step that anybody saw of it. */
function afterOneAttempt(lastStep: number | null): Pick<RunState, 'attempts' | 'rejections' | 'order'> {
  const attempt = {
    order: { claim: { at: '2026-11-21T06:00:00.000Z' } },
    observation: null,
    end: { lastStep, checkpointStep: null, at: '2026-11-21T07:00:00.000Z' },
  };
  return { attempts: [attempt as never], rejections: [], order: null };
}

const said = {
  said: { kind: 'command', name: 'reject-checkpoint', args: { step: '800' } },
  comment: { createdAt: instant('2026-11-21T07:10:00.000Z') },
} as unknown as PendingItem;

it.each([
  ['of a step that an attempt has reached, stands whatever the answer says', 900, true],
  ['of a step beyond all of them, is answered', 700, false],
  ['where nobody saw a step, stands: there may be any', null, true],
] as const)('a rejection %s', (_, lastStep, isUnheard) => {
  expect(isUnheardRejection(afterOneAttempt(lastStep), said, true)).toBe(isUnheard);
});
