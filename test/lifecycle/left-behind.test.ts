/**
 * The config check warns before a merge if a job or a hold would be left behind, and such holds stay visible
 * afterwards.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG_PATH } from '../../src/app/config-source.ts';
import { twoLanes } from '../support/lanes.ts';
import { approve, readState, until } from '../support/play.ts';
import {
  listAnswersTo,
  listBotComments,
  MINUTE,
  openExperiment,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

const configNow = async (): Promise<string> => (await readBranchFile(lab, 'main', CONFIG_PATH)) ?? '';

/** The check run on a pull request with this config. */
async function checked(text: string) {
  const sha = (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
  await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/tidier', sha });
  await pushFile(lab, 'ada', 'tidier', CONFIG_PATH, text);
  await lab.as('ada', 'POST', '/pulls', { title: 'Tidier', body: '', head: 'tidier', base: 'main' });
  await lab.clock.advance(MINUTE);
  const checks = Object.values(lab.world.state.checkRuns).filter(({ name }) => name === 'ferrybot / config');
  expect(checks).toHaveLength(1);
  return { conclusion: checks[0]?.conclusion, ...checks[0]?.output };
}

async function ask(thread: number, text: string): Promise<string> {
  const comment = await postComment(lab, 'mira', thread, text);
  await lab.clock.advance(5 * MINUTE);
  return listAnswersTo(lab, comment)[0] ?? 'no answer';
}

async function openIssue(): Promise<number> {
  const issue = await openExperiment(lab);
  await lab.clock.advance(5 * MINUTE);
  return issue;
}

const renamed = (text: string): string => text.replace(/^ {2}canary:$/m, '  sparrow:');

describe('the config check', () => {
  it('warns if the config removes the cluster of a running job, and no longer once that job has ended', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    await lab.dispatchDaily();
    const run = `ferry-canary-${new Date(lab.clock.now()).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await until(lab, 'the gates', async () => (await readState(lab, run))?.gate?.digest != null);
    await approve(lab, 'mira', (await readState(lab, run))?.proposal.pull ?? 0, run);
    await until(lab, 'the job', async () => (await readState(lab, run))?.submission != null);
    const text = (await configNow())
      .replace(/^ {2}us-east1:\n(?: {4}.*\n|\n(?= {4}))*/m, '')
      .replaceAll('us-east1', 'us-central1');
    const check = await checked(text);
    expect(check.conclusion).toBe('neutral');
    expect(check.title).toContain('It would leave 1 running job out of reach');
    expect(check.summary).toContain(
      `\`${run}\` has a job on the cluster \`us-east1\`, which this config does not have`,
    );
    await until(lab, 'its end', async () => (await readState(lab, run))?.end != null);
    await pushFile(lab, 'ada', 'tidier', CONFIG_PATH, `${text}\n# once more\n`);
    await lab.clock.advance(MINUTE);
    const last = Object.values(lab.world.state.checkRuns).findLast(({ name }) => name === 'ferrybot / config');
    expect(last?.output?.title).not.toContain('It would leave');
  });

  it('warns if a renamed lane leaves a hold behind', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const issue = await openIssue();
    expect(await ask(issue, '/hold lane=canary reason="bad node"')).toContain('is on hold');
    const check = await checked(renamed(await configNow()));
    expect(check.conclusion).toBe('neutral');
    expect(check.title).toContain('It would leave 1 hold without a lane');
    expect(check.summary).toContain('the lane `canary` is on hold by mira: bad node, and blocks nothing');
  });
});

describe('a hold on a lane that was renamed', () => {
  it('stays visible on the card and in /status, and is lifted by the old name', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoLanes() });
    const issue = await openIssue();
    await ask(issue, '/hold lane=canary reason="bad node"');
    await pushFile(lab, 'mira', 'main', CONFIG_PATH, renamed(await configNow()));
    await lab.clock.advance(5 * MINUTE);
    expect(await ask(issue, '/status')).toContain(
      '**Holds on lanes that the config does not have block nothing:** `/unhold lane=canary` lifts it',
    );
    const card = (): string =>
      listBotComments(lab).findLast(({ kind, thread }) => kind === 'card' && thread === issue)?.text ?? '';
    expect(card()).toContain('the lane `canary` is on hold by mira: bad node, and blocks nothing');
    expect(card()).not.toContain('the hold has to be lifted');
    expect(await ask(issue, '/unhold lane=canary')).toContain('is lifted');
    expect(await ask(issue, '/status')).not.toContain('canary');
    expect(card()).not.toContain('canary');
  });
});
