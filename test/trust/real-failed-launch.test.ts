/**
 * Launches that fail before the runner claims the order: the thread gets the reason and a link to the
 * workflow run.
 */

import { afterEach, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { listBotComments } from '../support/talk.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  HOSTED,
  HOSTED_TOO,
  LAUNCHER,
  openBundleWorld,
  proposedIn,
  startedIn,
  stateIn,
} from './bundle-world.ts';

const LAUNCH = '.github/workflows/ferrybot-launch.yml';
const PIN = '0123456789abcdef0123456789abcdef01234567';

let lab: BundleWorld;
afterEach(() => lab.close());

async function approved(server: boolean): Promise<string> {
  lab = await openBundleWorld({ server });
  await push(lab, 'main', { files: { 'notes.md': 'Fresh.\n' } });
  const { pull } = (await proposedIn(lab)).proposal;
  await lab.useRunners(HOSTED, HOSTED_TOO, LAUNCHER);
  return `/issues/${pull}/comments`;
}

const say = (thread: string): Promise<unknown> => lab.as('mira', 'POST', thread, { body: requireApprovalLine(lab) });
const withoutStateFolder = (): void => {
  for (const [id, repo] of Object.entries(lab.world.state.repos))
    lab.world.state.repos[id] = { ...repo, variables: { ...repo.variables, FERRYBOT_STATE_DIR: '' } };
};
const card = (): string => listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
const incidents = (): readonly string[] =>
  listBotComments(lab)
    .filter(({ kind }) => kind === 'incident')
    .map(({ text }) => text);

it.each([[false], [true]])(
  'an incident reports a missing FERRYBOT_STATE_DIR, and another approval launches (server: %s)',
  async (server) => {
    const thread = await approved(server);
    const variables = structuredClone(Object.values(lab.world.state.repos)[0]?.variables ?? {});
    withoutStateFolder();
    await say(thread);
    if (server) await lab.sweep();
    expect(await lab.runJobs()).toContain('no-state-directory');
    if (server) await lab.sweep();
    expect(incidents()).toEqual([expect.stringMatching(/FERRYBOT\\_STATE\\_DIR/)]);
    expect(incidents()[0]).toMatch(/\(https?:\/\/[^)]+\/actions\/runs\/\d+\)/);
    expect(card()).toContain('to clear why nothing was launched');
    expect(card()).toContain('/approve-launch');
    expect(await startedIn(lab)).toEqual([]);
    for (const [id, repo] of Object.entries(lab.world.state.repos)) lab.world.state.repos[id] = { ...repo, variables };
    lab.clock.advance(5_000);
    await say(thread);
    if (server) await lab.sweep();
    expect(await lab.runJobs()).toContain('ferrybot: submitted');
  },
);

it('an incident reports a non-existing repository in `uses:`, without a server', async () => {
  const thread = await approved(false);
  const text = await lab.git('show', `main:${LAUNCH}`);
  await push(lab, 'main', {
    files: { [LAUNCH]: text.replaceAll(`ferrybot/ferrybot@${PIN}`, `ferrybot/nowhere@${PIN}`) },
  });
  await say(thread);
  await lab.runJobs();
  const state = await stateIn(lab);
  expect(state?.order?.status).toBe('open');
  expect(incidents()).toEqual([expect.stringContaining('The launch workflow failed before it took the order')]);
  expect(incidents()[0]).toMatch(/nowhere[\s\S]*\/actions\/runs\/\d+/);
  expect(card()).not.toContain('the launch is in progress');
  expect(card()).toContain('to clear why the launch failed');
});

it('one incident reports that the launch waits for a runner; it is updated, and no second launch is dispatched', async () => {
  const thread = await approved(true);
  await lab.useRunners(HOSTED, HOSTED_TOO);
  await say(thread);
  await lab.sweep();
  const launches = () => Object.values(lab.world.state.runs).filter(({ path }) => path.endsWith(LAUNCH));
  const texts = new Set<string>();
  for (let minutes = 0; minutes < 60; minutes += 5) {
    lab.clock.advance(5 * 60_000);
    await lab.sweep();
    for (const text of incidents()) texts.add(text);
  }
  expect(incidents()).toEqual([expect.stringContaining('The launch waits for a runner')]);
  expect(incidents()[0]).toMatch(/is queued; ferrybot dispatches it again as soon as it is over/);
  expect(incidents()[0]).toMatch(/\(https?:\/\/[^)]+\/actions\/runs\/\d+\)/);
  // The text as posted, and after 10, 20 and 40 minutes.
  expect(texts.size).toBe(4);
  expect(launches().map(({ status }) => status)).toEqual(['queued']);
});
