/**
 * One run at night, with random events: two watches, control, runners that crash between claim and call, lost
 * responses, every kind of job end, and people who ask, approve, stop, reject, fix and consent. The deciders
 * are the real ones. An independent checker holds the laws of the watch (policy, job monitoring loop).
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Deed, deeds, play, terms } from './night-deeds.ts';
import { findBrokenLaws } from './night-laws.ts';
import { createNight, type Night, type Terms } from './night-world.ts';

const ASKED = Number(process.env['NIGHTS'] ?? 0);
const COUNT = ASKED > 0 ? ASKED : process.env['CI'] === undefined ? 1_000 : 4_000;

/** Approved, launched and observed: most failures happen after this. */
const EVENING: readonly Deed[] = [
  { act: 'approve' },
  { act: 'decide', isFresh: true },
  { act: 'launch', dies: 'never', isAnswered: true },
  { act: 'look', who: 0, isFresh: true },
];

async function nightOf(given: Terms, story: readonly Deed[]): Promise<Night> {
  const night = createNight(given);
  for (const one of [...EVENING, ...story]) await play(night, one);
  return night;
}

it(`${COUNT} nights break no law of the watch, and each tallied event occurs`, { timeout: 600_000 }, async () => {
  const seen = new Map<string, number>();
  const count = (what: string, isSo: boolean): void => {
    if (isSo) seen.set(what, (seen.get(what) ?? 0) + 1);
  };
  await fc.assert(
    fc.asyncProperty(terms, deeds, async (given, story) => {
      const night = await nightOf(given, story);
      expect(findBrokenLaws(night)).toEqual([]);
      tally(night, count);
    }),
    { numRuns: COUNT, seed: 20_261_121 },
  );
  const told = [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([what, n]) => `${what}: ${n}`);
  process.stdout.write(`${COUNT} nights\n${told.join('\n')}\n`);
  for (const what of TALLIED) expect(seen.get(what) ?? 0, what).toBeGreaterThan(COUNT / 500);
});

const TALLIED = [
  'started again',
  'started a third time',
  'started smaller',
  'stopped',
  'a machine deleted',
  'a machine deleted by config',
  'the watch taken over',
  'asked by a person',
  'lost its numbers',
  'made other steps',
  'rejected',
  'refused by the runner',
] as const;

function tally(night: Night, count: (what: (typeof TALLIED)[number], isSo: boolean) => void): void {
  const { state, events } = night.record;
  const commands = [...night.jobs.values()].map(({ spec }) => spec.command.join(' '));
  const first = night.jobs.values().next().value?.spec.metadata.manifest;
  const ofFirst = [...night.jobs.values()].filter(({ spec }) => spec.metadata.manifest === first);
  const deletions = night.calls.filter(({ does }) => does === 'delete');
  count('started again', ofFirst.length > 1);
  count('started a third time', ofFirst.length > 2);
  count('started smaller', new Set(ofFirst.map(({ spec }) => spec.command.join(' '))).size > 1 && commands.length > 1);
  count(
    'stopped',
    night.calls.some(({ does }) => does === 'stop'),
  );
  count('a machine deleted', deletions.length > 0);
  count(
    'a machine deleted by config',
    deletions.some(({ recorded }) =>
      recorded.some((event) => event.type === 'action-approved' && event.data.source.kind === 'config'),
    ),
  );
  count('the watch taken over', state.fence > 1);
  count('asked by a person', state.relaunchRequest !== null);
  count(
    'lost its numbers',
    [...night.jobs.values()].some(({ isLost, fate }) => isLost && fate?.status === 'FAILED'),
  );
  count(
    'made other steps',
    [...night.jobs.values()].some(({ isOther, fate }) => isOther && fate?.status === 'FAILED'),
  );
  count('rejected', state.rejections.length > 0);
  count(
    'refused by the runner',
    events.some((event) => event.type === 'incident' && event.data.code === 'runner-refused'),
  );
}
