// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are GitHub's expressions, not templates
/**
 * A lab passes a secret to its jobs and stores it as README describes, but copies the workflows unchanged. No
 * server.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
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

const WATCHER = { name: 'watcher', labels: ['self-hosted', 'ferrybot-watch'] };
const LAUNCH = '.github/workflows/ferrybot-launch.yml';
/** Trains for several observations of the watch, and reports to the approved tracker run. */
const TRAIN = `import os, time
print('wandb: View run at https://wandb.ai/lab/ferries/runs/ferry_daily_125m_' + os.environ['FERRY_DATE'], flush=True)
for step in range(1, 15):
    print(f'Progress on:train {step}.00it/14.0it rate:1.0it/s remaining:00:10 elapsed:00:01 postfix:loss=3.5', flush=True)
    time.sleep(1)
`;

let lab: BundleWorld;
let pull: number;
beforeAll(async () => {
  lab = await openBundleWorld({
    server: false,
    config: [['passSecrets: [HARBOUR]', 'passSecrets: [WANDB_API_KEY]']],
    files: { 'scripts/tell.py': TRAIN },
  });
  for (const [id, repo] of Object.entries(lab.world.state.repos)) {
    const environments = repo.environments.map((one) => ({
      ...one,
      secrets: { ...one.secrets, WANDB_API_KEY: 'kelp-and-kraken-2291' },
    }));
    lab.world.state.repos[id] = { ...repo, environments };
  }
  // The lab's first commit is old, so a later push to main would make a proposal based on it stale.
  await push(lab, 'main', { files: { 'notes.md': 'Fresh.\n' } });
  pull = (await proposedIn(lab)).proposal.pull;
  await lab.useRunners(HOSTED, HOSTED_TOO, LAUNCHER, WATCHER);
});
afterAll(() => lab.close());

async function approve(): Promise<string> {
  await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: requireApprovalLine(lab) });
  return lab.runJobs();
}

const said = (): string =>
  listBotComments(lab)
    .map(({ text }) => text)
    .join('\n\n');

it('a workflow without the secret launches nothing, and the incident names the file to edit', async () => {
  expect(await approve()).toContain('ferrybot: secret-missing');
  const state = await stateIn(lab);
  expect(state?.order).toMatchObject({ status: 'failed', claim: null });
  expect(await startedIn(lab)).toEqual([]);
  const told = listBotComments(lab).filter(({ kind }) => kind === 'incident');
  expect(told).toHaveLength(1);
  for (const word of ['WANDB\\_API\\_KEY', 'ferrybot-launch', 'env:', LAUNCH]) expect(told[0]?.text).toContain(word);
  expect(said()).not.toContain('the launch is in progress');
});

it("the run launches once the workflow names the secret, after another approval with the card's line", async () => {
  const text = await lab.git('show', `main:${LAUNCH}`);
  const key = 'FERRYBOT_RUNNER_KEY: ${{ secrets.FERRYBOT_RUNNER_KEY }}';
  const given = text.replace(key, `${key}\n          WANDB_API_KEY: \${{ secrets.WANDB_API_KEY }}`);
  expect(given).not.toBe(text);
  await push(lab, 'main', { files: { [LAUNCH]: given } });
  expect(findShownApprovalLine(lab)).not.toBeNull();
  lab.clock.advance(5_000);
  const printed = await approve();
  expect(printed, said().slice(-2_500)).toContain('ferrybot: submitted');
  expect(await startedIn(lab)).toHaveLength(1);
});

it('withheld log lines raise no alarm, and a comment names the secret that the watch lacks', async () => {
  const state = await stateIn(lab);
  expect(state?.end?.status).toBe('SUCCEEDED');
  // The job leaves no metrics file, so one alarm about that is expected.
  const alarms = filterIncidents(state?.incidents ?? [], 'run-alarm').map(({ detail }) => detail.detector);
  expect(alarms.filter((detector) => detector !== 'green-no-op')).toEqual([]);
  expect(state?.end?.trackers).toEqual([]);
  const [withheld] = filterIncidents(state?.incidents ?? [], 'log-withheld');
  expect(withheld?.detail).toMatchObject({ secrets: 'WANDB_API_KEY' });
  expect(said()).toContain('`ferrybot-watch`');
  expect(said()).not.toMatch(/which is \*\*not\*\*|can be followed in/);
});
