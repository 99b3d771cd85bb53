/**
 * Defences of the record and of answers, removed one at a time as in permissive.test.ts: who may write an
 * entry, which notices are posted, and that no text prevents an entry.
 */

import { vi } from 'vitest';
import { showDefences } from './permissive.ts';
import { playScenario } from './sequence.ts';

const { gone } = await vi.hoisted(() => import('./permissive.ts'));

vi.mock('../../src/logbook/mark.ts', async (original) => {
  const real = await original<typeof import('../../src/logbook/mark.ts')>();
  const findKeyFault: typeof real.findKeyFault = (...asked) => {
    const fault = real.findKeyFault(...asked);
    if (fault?.reason === 'signature') return gone.has('signatures') ? null : fault;
    return gone.has('the role of a key') ? null : fault;
  };
  return { ...real, findKeyFault };
});

vi.mock('../../src/domain/logbook/fold.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/logbook/fold.ts')>();
  const anybody = ['control', 'runner', 'watch'];
  const WRITERS = new Proxy(real.WRITERS, {
    get: (writers, type, self) => (gone.has('who writes what') ? anybody : Reflect.get(writers, type, self)),
  });
  return { ...real, WRITERS };
});

vi.mock('../../src/run/publications.ts', async (original) => {
  const real = await original<typeof import('../../src/run/publications.ts')>();
  const listPublications: typeof real.listPublications = (state) =>
    real.listPublications(state).filter(({ kind }) => !gone.has('answers') || kind !== 'answer');
  return { ...real, listPublications };
});

// A job is stopped by its watch, and by a separate job if there is none.
vi.mock('../../src/actions/mint.ts', async (original) => {
  const real = await original<typeof import('../../src/actions/mint.ts')>();
  const mintStop: typeof real.mintStop = (...asked) => (gone.has('stops') ? null : real.mintStop(...asked));
  return { ...real, mintStop };
});

vi.mock('../../src/domain/values.ts', async (original) => {
  const real = await original<typeof import('../../src/domain/values.ts')>();
  const cutText: typeof real.cutText = (text, max) =>
    gone.has('whole characters') ? text.slice(0, max) : real.cutText(text, max);
  return { ...real, cutText };
});

const DEFENCES: readonly (readonly [gone: readonly string[], scenario: string])[] = [
  [['signatures'], 'a hold is lifted without a key'],
  [['the role of a key'], 'watch key: a hold is lifted in the name of control'],
  [['who writes what'], 'watch key: a hold is lifted'],
  [['answers'], 'questions'],
  [['stops'], 'a job is stopped'],
  [['whole characters'], 'half a character'],
];

showDefences(DEFENCES, playScenario);
