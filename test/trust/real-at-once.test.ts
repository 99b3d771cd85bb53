/**
 * Concurrent commands and an approval by the requester, with the real bundle on both sides: parallel chat
 * jobs, and a chat job during the launch.
 */

import { readdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { eventsPathOf, push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  HOSTED_TOO,
  LAUNCHER,
  openBundleWorld,
  shownIn,
  stateIn,
} from './bundle-world.ts';

const CONFIG = '.github/ferrybot.yml';

let lab: BundleWorld;
let rewind: () => Promise<void>;
let run: string;
let pull: number;

// Mira requests the ferry, and here she may approve it too; the quorum is two.
beforeAll(async () => {
  lab = await openBundleWorld({
    server: false,
    config: [
      ['quorum: 1', 'quorum: 2'],
      ['permission: maintain', 'permission: write'],
      ['onePersonIsEnough: false', 'onePersonIsEnough: true'],
    ],
  });
  const idea = { title: 'Today', body: '', labels: ['experiment'] };
  const issue = (await lab.as('mira', 'POST', '/issues', idea)) as { readonly number: number };
  await say('mira', '/propose learning_rate=2e-3', issue.number);
  await lab.runJobs();
  const state = await shownIn(lab);
  await lab.runJobs();
  ({ run } = state);
  ({ pull } = state.proposal);
  rewind = await bookmark(lab);
});
// No launch runner is online until a test adds one.
beforeEach(() => lab.useRunners(HOSTED, HOSTED_TOO));
afterEach(() => rewind());
afterAll(() => lab.close());

async function say(who: string, body: string, thread = pull): Promise<void> {
  await lab.as(who, 'POST', `/issues/${thread}/comments`, { body });
}

async function jobs(): Promise<number> {
  return (await readdir(lab.jobs).catch(nothingThere)).filter((name) => name.startsWith('ferrybot-')).length;
}

function nothingThere(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

async function types(): Promise<readonly string[]> {
  const text = await lab.git('show', `ferrybot/logbook:${await eventsPathOf(lab, run)}`);
  return text.split('\n').flatMap((line) => /"type":"([a-z-]+)"/.exec(line)?.[1] ?? []);
}

// threat T106
it('a simultaneous approval and stop start nothing once the stop is recorded', async () => {
  await say('mira', requireApprovalLine(lab, run));
  await lab.runJobs();
  await Promise.all([say('ada', requireApprovalLine(lab, run)), say('mira', '/stop')]);
  await lab.runJobs();
  await lab.useRunners(HOSTED, HOSTED_TOO, LAUNCHER);
  await lab.runJobs();
  const state = await stateIn(lab);
  expect(state?.stop?.actor.login).toBe('mira');
  expect([...(state?.commands.values() ?? [])].filter(({ answer }) => answer === null)).toEqual([]);
  expect(await types()).not.toContain('claimed');
  expect(await jobs()).toBe(0);
});

// threat T57
it('an approval by the requester is refused by the runner if the config no longer allows it', async () => {
  expect((await stateIn(lab))?.proposal.requestedBy?.login).toBe('mira');
  await Promise.all([say('mira', requireApprovalLine(lab, run)), say('ada', requireApprovalLine(lab, run))]);
  await lab.runJobs();
  expect((await stateIn(lab))?.order?.status).toBe('open');
  const config = await lab.git('show', `main:${CONFIG}`);
  const strict = config.replace('onePersonIsEnough: true', 'onePersonIsEnough: false');
  await push(lab, 'main', { files: { [CONFIG]: strict } });
  await lab.useRunners(HOSTED, LAUNCHER);
  await lab.runJobs();
  const [refused] = filterIncidents((await stateIn(lab))?.incidents ?? [], 'runner-refused');
  expect(refused?.detail.reason).toBe('approver-not-permitted');
  expect(await jobs()).toBe(0);
});

// threat T105
it('two simultaneous approvals make one order and one job, and a /stop takes effect before the claim or after it', async () => {
  await Promise.all([say('mira', requireApprovalLine(lab, run)), say('ada', requireApprovalLine(lab, run))]);
  await lab.runJobs();
  await lab.useRunners(HOSTED, LAUNCHER);
  await say('ada', '/stop');
  await lab.runJobs();
  const told = await types();
  expect(told.filter((type) => type === 'approved')).toHaveLength(2);
  expect(told.filter((type) => type === 'ordered')).toHaveLength(1);
  const [stopped, claimed] = [told.indexOf('stop-requested'), told.indexOf('claimed')];
  expect(stopped).toBeGreaterThan(0);
  expect(await jobs()).toBe(claimed >= 0 && claimed < stopped ? 1 : 0);
});
