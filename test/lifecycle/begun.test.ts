/** A proposal that was begun before a crash is completed as its branch has it, whatever would be chosen by now. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { Crash } from '../support/crash.ts';
import { propose, stateOf, todaysRun, until } from '../support/play.ts';
import { answersTo, bodyOf, fileOf, pushExperiment, pushFile, say, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const shaIn = z.object({ object: z.object({ sha: z.string() }) });
const named = z.object({ sha: z.string() });
const numbered = z.object({ number: z.number() });

/** The daily job pushed its branch and died. */
async function begun(): Promise<VirtualLab> {
  let isFirst = true;
  const lab = await openVirtualLab({
    atBoundary: (_, kind, moment) => {
      if (!isFirst || kind !== 'push-branch' || moment !== 'after') return;
      isFirst = false;
      throw new Crash();
    },
  });
  await lab.dispatchDaily();
  await lab.clock.advance(1_000);
  expect(await stateOf(lab, todaysRun(lab))).toBeNull();
  return lab;
}

it('keeps the change of the branch where the candidates are others by now, and says whose reason it has not', async () => {
  const lab = await begun();
  const config = (await fileOf(lab, 'main', CONFIG_PATH)) ?? '';
  await pushFile(
    lab,
    'ada',
    'main',
    CONFIG_PATH,
    config.replace('id: learning-rate', 'id: rate').replace("['2.5e-3', ", "['9e-3', "),
  );
  const { run, pull } = await propose(lab);
  const state = await stateOf(lab, run);
  expect(state?.gate?.manifest?.delta).toMatchObject([{ knob: 'learning_rate', after: '2.5e-3' }]);
  expect(state?.proposal.candidate).toBeNull();
  expect(bodyOf(lab, pull)).toContain('its commit has the reason');
  await lab.close();
});

it('takes the candidate that the change came from, while the config has it', async () => {
  const lab = await begun();
  const { run } = await propose(lab);
  expect((await stateOf(lab, run))?.proposal.candidate).toBe('learning-rate');
  await lab.close();
});

it('proposes nothing from a branch that somebody made more of than knobs, and goes on to the next name', async () => {
  const lab = await begun();
  const run = todaysRun(lab);
  await pushExperiment(lab, run, (text) => `${text}\nprint('mine')\n`);
  await lab.clock.advance(2 * MINUTE);
  await lab.dispatchDaily();
  await lab.clock.advance(5 * MINUTE);
  expect(await stateOf(lab, run)).toBeNull();
  expect((await stateOf(lab, `${run}-2`))?.gate?.manifest?.delta).toHaveLength(1);
  expect(Object.values(lab.world.state.issues).filter(({ pull }) => pull !== null)).toHaveLength(1);
  expect(lab.log.join('\n')).toContain('changes more than knobs');
  await lab.close();
});

/** Branches in the names of today's proposals, which a writer pushes before there is any. */
async function squatted(lab: VirtualLab, how: 'another history' | 'the file is gone', names: number) {
  const run = todaysRun(lab);
  const [first = '', ...others] = Array.from(
    { length: names },
    (_, at) => `ferrybot/proposal/${run}${at === 0 ? '' : `-${at + 1}`}`,
  );
  const push = (ref: string, sha: string): Promise<unknown> =>
    lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${ref}`, sha });
  const main = shaIn.parse(await lab.as('ada', 'GET', '/git/ref/heads/main')).object.sha;
  if (how === 'another history') {
    const { tree } = z.object({ tree: named }).parse(await lab.as('ada', 'GET', `/git/commits/${main}`));
    const orphan = { message: 'Mine', tree: tree.sha, parents: [] };
    await push(first, named.parse(await lab.as('ada', 'POST', '/git/commits', orphan)).sha);
  } else {
    await push(first, main);
    await deleteFile(lab, first, 'experiments/ferries/daily.py');
  }
  const { object } = shaIn.parse(await lab.as('ada', 'GET', `/git/ref/heads/${first}`));
  for (const ref of others) await push(ref, object.sha);
  return run;
}

async function deleteFile(lab: VirtualLab, branch: string, path: string): Promise<void> {
  const { sha } = named.parse(await lab.as('ada', 'GET', `/contents/${path}?ref=${branch}`));
  await lab.as('ada', 'DELETE', `/contents/${path}`, { message: 'Away', branch, sha });
}

it.each(['another history', 'the file is gone'] as const)(
  'goes on to another name where somebody pushed more branches (%s) than a day has proposals',
  async (how) => {
    const lab = await openVirtualLab();
    await lab.clock.advance(MINUTE);
    const run = await squatted(lab, how, 25);
    expect((await propose(lab, `${run}-26`)).run).toBe(`${run}-26`);
    await lab.close();
  },
);

it('is told in the lane’s thread, and to whoever asks, where they have every name of a day', async () => {
  const lab = await openVirtualLab();
  await lab.clock.advance(MINUTE);
  await squatted(lab, 'another history', 60);
  await lab.dispatchDaily();
  await lab.clock.advance(5 * MINUTE);
  expect(told(lab, 'notice').join()).toContain('have the 60 names');
  const issue = { title: 'Try cosine', body: 'Why not?', labels: ['experiment'] };
  const { number } = numbered.parse(await lab.as('ada', 'POST', '/issues', issue));
  const asked = await say(lab, 'mira', number, '/propose');
  await lab.clock.advance(30 * MINUTE);
  expect(answersTo(lab, asked)[0]).toContain('have the 60 names');
  await lab.close();
});

it('goes on to the next name where somebody pushed a branch of other history under the first', async () => {
  const lab = await openVirtualLab();
  const { run, pull } = await propose(lab);
  const logbook = (await lab.store.refs('refs/heads/ferrybot/logbook')).get('refs/heads/ferrybot/logbook');
  const ref = `refs/heads/ferrybot/proposal/${run}-2`;
  await lab.as('ada', 'POST', '/git/refs', { ref, sha: logbook ?? '' });
  await lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
  expect((await propose(lab, `${run}-3`)).run).toBe(`${run}-3`);
  await lab.close();
});

it('that a branch leaves no room is refused with its name, and made when it is deleted', async () => {
  const lab = await openVirtualLab();
  const { object } = shaIn.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
  await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/ferrybot/proposal', sha: object.sha });
  const issue = { title: 'Try cosine', body: 'Why not?', labels: ['experiment'] };
  const { number } = numbered.parse(await lab.as('ada', 'POST', '/issues', issue));
  const asked = await say(lab, 'mira', number, '/propose');
  await lab.clock.advance(30 * MINUTE);
  expect(answersTo(lab, asked)[0]).toContain('refs/heads/ferrybot/proposal is there and leaves no room');
  await lab.as('ada', 'DELETE', '/git/refs/heads/ferrybot/proposal');
  await say(lab, 'mira', number, '/propose');
  await until(lab, 'the proposal', async () => (await stateOf(lab, todaysRun(lab))) !== null);
  await lab.close();
});

it.each(['ferrybot', 'ferrybot/logbook/x'])(
  'a branch %s that leaves no room for the logbook is told where a command was heard',
  async (name) => {
    const lab = await openVirtualLab();
    const { object } = shaIn.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
    await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${name}`, sha: object.sha });
    const issue = { title: 'Try cosine', body: 'Why not?', labels: ['experiment'] };
    const { number } = numbered.parse(await lab.as('ada', 'POST', '/issues', issue));
    const asked = await say(lab, 'mira', number, '/status');
    await lab.clock.advance(5 * MINUTE);
    expect(told(lab, 'incident')).toEqual([expect.stringContaining(`refs/heads/${name}`)]);
    await lab.as('ada', 'DELETE', `/git/refs/heads/${name}`);
    await lab.clock.advance(70 * MINUTE);
    expect(answersTo(lab, asked)).toHaveLength(1);
    await lab.close();
  },
);
