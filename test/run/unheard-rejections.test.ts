/** What a launcher makes of a rejection in the thread. */

import { expect, it } from 'vitest';
import { commandKey, type RunState } from '../../src/domain/logbook/run-state.ts';
import type { PendingItem } from '../../src/run/pending-commands.ts';
import { isUnheardRejection } from '../../src/run/unheard-rejections.ts';

/** One attempt is over, and this is the step that the next one was ordered to go on from. */
function orderedFrom(step: number | null): Pick<RunState, 'attempts' | 'order' | 'commands'> {
  const checkpoint = step === null ? {} : { checkpoint: { step } };
  return { attempts: [{} as never], order: { order: checkpoint } as never, commands: new Map() };
}

const said = {
  said: { kind: 'command', name: 'reject-checkpoint', args: { step: '800' } },
  comment: { surface: 'comment', id: 7 },
  index: 0,
} as unknown as PendingItem;

it.each([
  ['is heeded where the attempt goes on from its step or a later one', 900, true],
  ['is ignored where the attempt goes on from an earlier step', 700, false],
  ['is heeded where the job looks for a checkpoint itself', null, true],
] as const)('a rejection %s', (_, step, isUnheard) => {
  expect(isUnheardRejection(orderedFrom(step), said)).toBe(isUnheard);
});

it('a rejection is left to the record where that has an answer to it', () => {
  const answered = new Map([
    [commandKey({ surface: 'comment', comment: 7, index: 0 }), { answer: {} } as never],
  ]);
  expect(isUnheardRejection({ ...orderedFrom(900), commands: answered }, said)).toBe(false);
});
