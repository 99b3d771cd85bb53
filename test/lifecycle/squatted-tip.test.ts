/** A writer pushes branches at the tip of the default branch under the names that ferrybot would use next. */

import { afterEach, describe, expect, it } from 'vitest';
import { approveAndFinish, propose, readState, seal, todaysRun } from '../support/play.ts';
import {
  listAnswersTo,
  listBotTexts,
  MINUTE,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const LOG = 'docs/experiments/daily-ferry-log.md';

let lab: VirtualLab;
afterEach(() => lab.close());

async function squat(branch: string): Promise<void> {
  const main = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
  await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: main ?? '' });
}

async function ended(): Promise<{ readonly run: string; readonly issue: number; readonly branch: string }> {
  lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { run, pull, issue } = await propose(lab);
  await approveAndFinish(lab, run, pull);
  return { run, issue, branch: `ferrybot/closure/${run}` };
}

const pullsOf = (branch: string): readonly string[] =>
  Object.values(lab.world.state.issues)
    .filter((one) => one.pull?.headRef === branch)
    .map((one) => one.title);

describe('a foreign branch at the tip of the default branch', () => {
  // threat T55
  it('does not prevent a proposal: the schedule and /propose use the next free name', async () => {
    lab = await openVirtualLab();
    await lab.clock.advance(MINUTE);
    const run = todaysRun(lab);
    await squat(`ferrybot/proposal/${run}`);
    await squat(`ferrybot/proposal/${run}-2`);
    const { pull } = await propose(lab, `${run}-3`);
    expect((await readState(lab, `${run}-3`))?.gate?.manifest?.delta).toHaveLength(1);
    await squat(`ferrybot/proposal/${run}-4`);
    const asked = await postComment(lab, 'mira', pull, '/propose learning_rate=2e-3');
    await lab.clock.advance(10 * MINUTE);
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
    expect((await readState(lab, `${run}-5`))?.gate?.manifest?.delta).toHaveLength(1);
    for (const one of [run, `${run}-2`, `${run}-4`]) expect(await readState(lab, one)).toBeNull();
    expect(listBotTexts(lab, 'incident')).toEqual([]);
  });

  // threat T56
  it.each([
    ['at that tip', () => Promise.resolve()],
    ['with another log text', (branch: string) => pushFile(lab, 'ada', branch, LOG, 'loss 0.1, fine\n')],
  ])('does not prevent a seal, and its text is not in the log (closure branch %s)', async (_, more) => {
    const { run, issue, branch } = await ended();
    await squat(branch);
    await more(branch);
    await seal(lab, run, issue);
    const log = (await readBranchFile(lab, branch, LOG)) ?? '';
    expect(log).toContain(`## ${(await readState(lab, run))?.proposal.date} \`${run}\``);
    expect(log).not.toContain('loss 0.1');
    expect(pullsOf(branch)).toHaveLength(1);
  });

  it("is named in the answer to /seal if the target branch's log changed; the seal works after its deletion", async () => {
    const { run, issue, branch } = await ended();
    await squat(branch);
    await pushFile(lab, 'ada', 'main', LOG, '# Daily ferry log\n\nby hand\n');
    const said = await postComment(lab, 'mira', issue, '/seal');
    await lab.clock.advance(10 * MINUTE);
    expect(listAnswersTo(lab, said)).toEqual([expect.stringContaining(`it begins where ${LOG} was another`)]);
    expect((await readState(lab, run))?.seal).toBeNull();
    await lab.as('ada', 'DELETE', `/git/refs/heads/${branch}`);
    await seal(lab, run, issue);
    expect(await readBranchFile(lab, branch, LOG)).toContain('by hand');
  });
});

it('the next /seal pushes the closure log again if its branch was deleted before the pull request existed', async () => {
  const { run, issue, branch } = await ended();
  const route = 'POST /repos/*/pulls';
  const fault = { kind: 'server-error', rate: 1, seed: 1, route, people: false, durationMs: 0 } as const;
  lab.world.state.settings.faults = [fault];
  const said = await postComment(lab, 'mira', issue, '/seal');
  await lab.as('ada', 'DELETE', `/git/refs/heads/${branch}`);
  lab.world.state.settings.faults = [];
  await lab.clock.advance(40 * MINUTE);
  expect(listAnswersTo(lab, said)).toEqual([expect.stringContaining('not sealed')]);
  await seal(lab, run, issue);
  expect(pullsOf(branch)).toHaveLength(1);
});
