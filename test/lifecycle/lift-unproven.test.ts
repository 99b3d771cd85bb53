/** A hold, freeze or skipped day that the record calls lifted and nobody lifted: what the launcher tells people to do then works. */

import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventDraft } from '../../src/domain/logbook/event.ts';
import { LIFTS_READ_MAX } from '../../src/run/lifted-holds.ts';
import { forge, type Pushing } from '../campaign/forging.ts';
import { twoLanes } from '../support/lanes.ts';
import { approve, propose, stateOf, until } from '../support/play.ts';
import { answersTo, SHORT_FERRY, saidTwice, say, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const headed = z.object({ head: z.object({ sha: z.string() }) });
const changed = z.array(z.object({ filename: z.string(), patch: z.string() }));
const numbered = z.object({ number: z.number() });

let lab: VirtualLab;
afterEach(async () => {
  expect(saidTwice(lab)).toEqual([]);
  await lab.close();
});

/** What whoever has stolen the control key writes. */
async function forgeInJournal(type: 'released', data: Readonly<Record<string, unknown>>): Promise<void> {
  const pushing: Pushing = {
    lab,
    deeds: [],
    ask: async (_, method, path, body) => ({ status: 200, json: await lab.as('ada', method, path, body) }),
  };
  const actor = { id: 1, login: 'mira' };
  const draft = { type, role: 'control', actor, data } as unknown as EventDraft;
  expect(await forge(pushing, 'journal', [draft])).toBe(true);
}

async function otherThread(): Promise<number> {
  const issue = { title: 'The nodes', body: 'They are broken.' };
  return numbered.parse(await lab.as('ada', 'POST', '/issues', issue)).number;
}

/** mira holds the lane back in another thread, the thief has it lifted, and mira approves without thinking of it. */
async function refused(brake: string, kind: string) {
  lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { run, pull } = await propose(lab);
  const thread = await otherThread();
  await say(lab, 'mira', thread, brake);
  await lab.clock.advance(5 * MINUTE);
  const date = kind === 'skip' ? '2026-11-21' : null;
  await forgeInJournal('released', { kind, scope: 'lane', lane: 'daily', date });
  await lab.clock.advance(5 * MINUTE);
  await approve(lab, 'mira', pull, run);
  await until(lab, 'the refusal', async () => (await stateOf(lab, run))?.order?.status === 'failed', {
    stepMs: 5_000,
  });
  return { run, pull, thread };
}

async function answerTo(thread: number, text: string, who: 'mira' | 'ada' | 'sol' = 'mira'): Promise<string> {
  const comment = await say(lab, who, thread, text);
  await lab.clock.advance(5 * MINUTE);
  return answersTo(lab, comment)[0] ?? 'no answer';
}

async function launches(run: string, pull: number): Promise<void> {
  await approve(lab, 'mira', pull, run);
  await until(lab, 'the launch', async () => (await stateOf(lab, run))?.submission !== null, {
    stepMs: 5_000,
    limitMs: 60 * MINUTE,
  });
}

/** A comment on the first line of the change. */
async function onFirstLine(pull: number, body: string): Promise<object> {
  const { head } = headed.parse(await lab.as('mira', 'GET', `/pulls/${pull}`));
  const [file] = changed.parse(await lab.as('mira', 'GET', `/pulls/${pull}/files`));
  const line = Number(/\+(\d+)/.exec(file?.patch ?? '')?.[1]);
  return { body, commit_id: head.sha, path: file?.filename, line };
}

describe('what the record calls lifted and nobody lifted', () => {
  it.each([
    { brake: '/freeze reason="bad nodes"', kind: 'freeze', lift: '/thaw' },
    { brake: '/skip reason="maintenance"', kind: 'skip', lift: '/unhold' },
  ])('($brake) is lifted in a thread of the run, as the refusal says', async ({ brake, kind, lift }) => {
    const { run, pull } = await refused(brake, kind);
    const [incident] = told(lab, 'incident');
    expect(incident).toContain(`\`${lift}\``);
    const answer = await answerTo(pull, lift);
    expect(answer).toMatch(/nothing to (thaw|lift).*this comment is found. Approve again/);
    await launches(run, pull);
  });

  it('is lifted by a comment on a line of the change as well', async () => {
    const { run, pull } = await refused('/freeze reason="bad nodes"', 'freeze');
    await lab.as('mira', 'POST', `/pulls/${pull}/comments`, await onFirstLine(pull, '/thaw'));
    await lab.clock.advance(5 * MINUTE);
    await launches(run, pull);
  });
});

describe('a hold of the run that somebody lifted', () => {
  it.each(['in its thread', 'from another thread'])(
    'is lifted, and once the words %s are gone it is lifted again as the refusal says',
    async (where) => {
      lab = await openVirtualLab({ ferry: SHORT_FERRY });
      const { run, pull } = await propose(lab);
      const thread = where === 'in its thread' ? pull : await otherThread();
      const named = thread === pull ? '' : ` run=${run}`;
      const hold = await say(lab, 'mira', thread, `/hold reason="wait"${named}`);
      await lab.clock.advance(5 * MINUTE);
      const unhold = await say(lab, 'mira', thread, `/unhold${named}`);
      await lab.clock.advance(5 * MINUTE);
      for (const comment of [hold, unhold]) await lab.as('ada', 'DELETE', `/issues/comments/${comment}`);
      await approve(lab, 'mira', pull, run);
      const isRefused = async () => (await stateOf(lab, run))?.order?.status === 'failed';
      await until(lab, 'the refusal', isRefused, { stepMs: 5_000 });
      expect(told(lab, 'incident')[0]).toContain('`/unhold` a hold');
      expect(await answerTo(pull, '/unhold')).toMatch(
        /nothing to lift.*this comment is found. Approve again/,
      );
      await launches(run, pull);
    },
  );

  it.each(['in its thread', 'from another thread'])('launches after words %s that stand', async (where) => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    const thread = where === 'in its thread' ? pull : await otherThread();
    const named = thread === pull ? '' : ` run=${run}`;
    expect(await answerTo(thread, `/hold reason="wait"${named}`)).toContain('hold');
    expect(await answerTo(thread, `/unhold${named}`)).toContain('lifted');
    await launches(run, pull);
  });
});

describe('a freeze that somebody lifted', () => {
  it.each([
    { who: 'sol', words: '/thaw' },
    { who: 'ada', words: '/thaw' },
    { who: 'mira', words: '/thaw lane=canary' },
  ] as const)('stays lifted, however often $who says $words', async ({ who, words }) => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, ...(who === 'mira' ? { config: twoLanes() } : {}) });
    const { run, pull } = await propose(lab);
    const thread = await otherThread();
    expect(await answerTo(thread, '/freeze reason="bad nodes" lane=daily')).toContain('is frozen');
    expect(await answerTo(thread, '/thaw lane=daily')).toContain('thawed');
    for (let time = 0; time < LIFTS_READ_MAX + 2; time += 1) {
      if (who === 'mira') await answerTo(thread, '/freeze reason="there" lane=canary');
      await answerTo(thread, words, who);
    }
    await launches(run, pull);
  });

  it.each(['comment', 'review'])(
    'before control had heard of either is lifted all the same, said in the run by a %s',
    async (surface) => {
      lab = await openVirtualLab({ ferry: SHORT_FERRY });
      const { run, pull } = await propose(lab);
      lab.world.state.settings.drop = 'all';
      const body = '/freeze reason="bad nodes"';
      if (surface === 'comment') await say(lab, 'mira', pull, body);
      else await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { body, event: 'COMMENT' });
      await lab.clock.advance(MINUTE);
      const thaw = await say(lab, 'mira', pull, '/thaw');
      lab.world.state.settings.drop = 'none';
      await until(lab, 'the answer', () => answersTo(lab, thaw).length > 0, { stepMs: MINUTE });
      expect(answersTo(lab, thaw)[0]).toContain('thawed (lane)');
      await launches(run, pull);
    },
  );
});
