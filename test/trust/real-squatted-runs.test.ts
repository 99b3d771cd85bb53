/**
 * Workflow runs with ferrybot's titles on another branch, with the real bundle without a server: watch and
 * stop still run.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { push } from './attacks.ts';
import { type BundleWorld, HOSTED, LAUNCHER, openBundleWorld, proposedIn, stateIn } from './bundle-world.ts';

const STOPPER = { name: 'stopper', labels: ['self-hosted', 'ferrybot-stop'] };
const FILES = ['ferrybot-stop.yml', 'ferrybot-watch.yml'] as const;
const BRANCH = 'ada/quiet';
let lab: BundleWorld;
let pull: number;
let issue: number;
let run: string;

beforeAll(async () => {
  lab = await openBundleWorld({ server: false, files: { 'scripts/tell.py': 'import time\ntime.sleep(300)\n' } });
  const state = await proposedIn(lab);
  ({ run } = state);
  ({ pull, issue } = state.proposal);
  await lab.runJobs();
  lab.clock.advance(5_000);
  await lab.useRunners(HOSTED, LAUNCHER, STOPPER);
});
afterAll(() => lab.close());

type Run = BundleWorld['world']['state']['runs'][number];

function runsOf(file: string, branch: string): readonly Run[] {
  return Object.values(lab.world.state.runs).filter((one) => one.path.endsWith(file) && one.headBranch === branch);
}

/** ada starts the two workflows from her branch, for a machine that does not exist. */
async function squat(): Promise<void> {
  const inputs = { 'ferrybot-stop.yml': { run }, 'ferrybot-watch.yml': { cluster: 'us-central1' } };
  for (const file of FILES)
    await lab.as('ada', 'POST', `/actions/workflows/${file}/dispatches`, { ref: BRANCH, inputs: inputs[file] });
}

it('watch and stop run while workflow runs with the same titles are queued on another branch', async () => {
  const files: Record<string, string> = {};
  for (const file of FILES) {
    const path = `.github/workflows/${file}`;
    // Without the environment: its rules would not let another branch wait for a machine.
    files[path] = (await lab.git('show', `main:${path}`))
      .replace(/runs-on: \[.*\]/, 'runs-on: [nobody-has-this]')
      .replaceAll(/^ {4}environment:.*\n/gm, '');
  }
  await push(lab, BRANCH, { files });
  await squat();
  await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: requireApprovalLine(lab) });
  await lab.runJobs();
  expect((await stateIn(lab))?.submission?.cluster).toBe('us-central1');
  expect(runsOf('ferrybot-watch.yml', 'main')).toHaveLength(1);

  await squat();
  lab.clock.advance(5_000);
  await lab.as('mira', 'POST', `/issues/${issue}/comments`, { body: '/stop' });
  await lab.runJobs();
  expect((await stateIn(lab))?.end?.status).toBe('STOPPED');
  const [stop, ...more] = runsOf('ferrybot-stop.yml', 'main');
  expect([stop?.displayTitle, more]).toEqual([`ferrybot stop ${run}`, []]);
  for (const file of FILES)
    expect(runsOf(file, BRANCH).map(({ displayTitle, status }) => [displayTitle, status])).toEqual(
      Array(2).fill([file === 'ferrybot-stop.yml' ? `ferrybot stop ${run}` : 'ferrybot watch us-central1', 'queued']),
    );
}, 300_000);
