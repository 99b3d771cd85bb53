/** What a launcher makes of a rejection in the thread. */

import { expect, it } from 'vitest';
import { commandKey, type RunState } from '../../src/domain/logbook/run-state.ts';
import type { PendingItem } from '../../src/run/pending-commands.ts';
import { isUnheardRejection } from '../../src/run/unheard-rejections.ts';

/** One attempt is over, and this is the furthest step that anybody saw of it. */
function afterOneAttempt(lastStep: number | null): Pick<RunState, 'attempts' | 'order' | 'commands'> {
  const attempt = { observation: null, end: { lastStep, checkpointStep: null } };
  return { attempts: [attempt as never], order: null, commands: new Map() };
}

const said = {
  said: { kind: 'command', name: 'reject-checkpoint', args: { step: '800' } },
  comment: { surface: 'comment', id: 7 },
  index: 0,
} as unknown as PendingItem;

it.each([
  ['is heeded where an attempt has reached its step', 900, true],
  ['is ignored where no attempt has reached its step', 700, false],
  ['is heeded where nobody saw a step: there may be any', null, true],
] as const)('a rejection %s', (_, lastStep, isUnheard) => {
  expect(isUnheardRejection(afterOneAttempt(lastStep), said)).toBe(isUnheard);
});

it('a rejection is left to the record where that has an answer to it', () => {
  const answered = new Map([
    [commandKey({ surface: 'comment', comment: 7, index: 0 }), { answer: {} } as never],
  ]);
  expect(isUnheardRejection({ ...afterOneAttempt(900), commands: answered }, said)).toBe(false);
});
