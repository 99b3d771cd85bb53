/**
 * A proposal that was started before a crash is completed as recorded, even if the candidates have changed.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { Crash } from '../support/crash.ts';
import { propose, readEventsOf, readState, todaysRun, until } from '../support/play.ts';
import {
  listAnswersTo,
  listBotTexts,
  MINUTE,
  openExperiment,
  postComment,
  pushExperiment,
  pushFile,
  readBranchFile,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const shaIn = z.object({ object: z.object({ sha: z.string() }) });
const named = z.object({ sha: z.string() });

/** The daily job recorded its next proposal and crashed before or after it pushed the branch. */
async function begun(when: 'before' | 'after' = 'after'): Promise<VirtualLab> {
  let isFirst = true;
  const lab = await openVirtualLab({
    atBoundary: (_, kind, moment) => {
      if (!isFirst || kind !== 'push-branch' || moment !== when) return;
      isFirst = false;
      throw new Crash();
    },
  });
  await lab.dispatchDaily();
  await lab.clock.advance(1_000);
  expect(await readState(lab, todaysRun(lab))).toBeNull();
  const [intent] = (await readEventsOf(lab, 'journal')).filter(({ type }) => type === 'proposing');
  expect(intent?.data).toMatchObject({ run: todaysRun(lab), proposed: { candidate: 'learning-rate' } });
  return lab;
}

it.each(['before', 'after'] as const)(
  'a proposal uses its recorded candidate although the candidates changed after a crash %s the push',
  async (when) => {
    const lab = await begun(when);
    const config = (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';
    await pushFile(
      lab,
      'ada',
      'main',
      CONFIG_PATH,
      config.replace('id: learning-rate', 'id: rate').replace("['2.5e-3', ", "['9e-3', "),
    );
    const { run } = await propose(lab);
    const state = await readState(lab, run);
    expect(state?.gate?.manifest?.delta).toMatchObject([{ knob: 'learning_rate', after: '2.5e-3' }]);
    expect(state?.proposal.candidate).toBe('learning-rate');
    expect(state?.proposal.head).toBe(await tipOf(lab, run));
    await lab.close();
  },
);

// threat T54
it("a proposal has ferrybot's commit if another user pushed on top, and that commit does not count as ferrybot's", async () => {
  const lab = await begun();
  const run = todaysRun(lab);
  const ours = await tipOf(lab, run);
  await pushExperiment(lab, run, (text) => `${text}\nprint('mine')\n`);
  await lab.clock.advance(2 * MINUTE);
  await lab.dispatchDaily();
  await until(lab, 'its gates', async () => ((await readState(lab, run))?.gate ?? null) !== null);
  const state = await readState(lab, run);
  expect(state?.proposal.head).toBe(ours);
  expect(await tipOf(lab, run)).not.toBe(ours);
  expect(state?.gate?.verdicts).toContainEqual(expect.objectContaining({ gate: 'delta-readable', outcome: 'fail' }));
  await lab.close();
});

// threat T53
it('a proposal waits until a branch that another user pushed under its name is deleted', async () => {
  const lab = await begun('before');
  const run = todaysRun(lab);
  const main = shaIn.parse(await lab.as('ada', 'GET', '/git/ref/heads/main')).object.sha;
  await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/ferrybot/proposal/${run}`, sha: main });
  await lab.clock.advance(10 * MINUTE);
  await lab.dispatchDaily();
  await lab.clock.advance(5 * MINUTE);
  expect(await readState(lab, run)).toBeNull();
  expect(lab.log.join('\n')).toContain(`somebody else pushed refs/heads/ferrybot/proposal/${run}: delete it`);
  await lab.as('ada', 'DELETE', `/git/refs/heads/ferrybot/proposal/${run}`);
  expect((await propose(lab)).run).toBe(run);
  await lab.close();
});

async function tipOf(lab: VirtualLab, run: string): Promise<string | undefined> {
  const ref = `refs/heads/ferrybot/proposal/${run}`;
  return (await lab.store.refs(ref)).get(ref);
}

/** Pushes branches under the names of today's proposals before any proposal exists. */
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

// threat T51
it.each(['another history', 'the file is gone'] as const)(
  'a proposal gets a free name if more branches (%s) are pushed than a day has proposals',
  async (how) => {
    const lab = await openVirtualLab();
    await lab.clock.advance(MINUTE);
    const run = await squatted(lab, how, 25);
    expect((await propose(lab, `${run}-26`)).run).toBe(`${run}-26`);
    await lab.close();
  },
);

// threat T52
it("the lane's thread and the requester get a notice if every proposal name of a day is occupied", async () => {
  const lab = await openVirtualLab();
  await lab.clock.advance(MINUTE);
  await squatted(lab, 'another history', 60);
  await lab.dispatchDaily();
  await lab.clock.advance(5 * MINUTE);
  expect(listBotTexts(lab, 'notice').join()).toContain('have the 60 names');
  const number = await openExperiment(lab);
  const asked = await postComment(lab, 'mira', number, '/propose');
  await lab.clock.advance(30 * MINUTE);
  expect(listAnswersTo(lab, asked)[0]).toContain('have the 60 names');
  await lab.close();
});

// threat T50
it('a proposal gets the next name if a branch with unrelated history occupies the first', async () => {
  const lab = await openVirtualLab();
  const { run, pull } = await propose(lab);
  const logbook = (await lab.store.refs('refs/heads/ferrybot/logbook')).get('refs/heads/ferrybot/logbook');
  const ref = `refs/heads/ferrybot/proposal/${run}-2`;
  await lab.as('ada', 'POST', '/git/refs', { ref, sha: logbook ?? '' });
  await lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
  expect((await propose(lab, `${run}-3`)).run).toBe(`${run}-3`);
  await lab.close();
});

it('a proposal is refused while a branch blocks its folder, and the answer names the branch', async () => {
  const lab = await openVirtualLab();
  const { object } = shaIn.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
  await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/ferrybot/proposal', sha: object.sha });
  const number = await openExperiment(lab);
  const asked = await postComment(lab, 'mira', number, '/propose');
  await lab.clock.advance(30 * MINUTE);
  expect(listAnswersTo(lab, asked)[0]).toContain('refs/heads/ferrybot/proposal is there and leaves no room');
  await lab.as('ada', 'DELETE', '/git/refs/heads/ferrybot/proposal');
  await postComment(lab, 'mira', number, '/propose');
  await until(lab, 'the proposal', async () => (await readState(lab, todaysRun(lab))) !== null);
  await lab.close();
});

it.each(['ferrybot', 'ferrybot/logbook/x'])(
  'a branch %s that blocks the logbook is reported in the thread of the command',
  async (name) => {
    const lab = await openVirtualLab();
    const { object } = shaIn.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
    await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${name}`, sha: object.sha });
    const number = await openExperiment(lab);
    const asked = await postComment(lab, 'mira', number, '/status');
    await lab.clock.advance(5 * MINUTE);
    expect(listBotTexts(lab, 'incident')).toEqual([expect.stringContaining(`refs/heads/${name}`)]);
    await lab.as('ada', 'DELETE', `/git/refs/heads/${name}`);
    await lab.clock.advance(70 * MINUTE);
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
    await lab.close();
  },
);
