/** The control key alone launches nothing: the runner evaluates the change and the lane itself. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  LAUNCHER,
  launchIn,
  openBundleWorld,
  proposedIn,
  startedIn,
  stateIn,
} from './bundle-world.ts';
import {
  answerWithStolenKey,
  orderAgainWithStolenKey,
  orderWithStolenKey,
  proposeWithStolenKey,
} from './stolen-control-key.ts';

const DAY = 24 * 3_600_000;
let lab: BundleWorld;
let run: string;
let rewind: () => Promise<void>;

beforeAll(async () => {
  lab = await openBundleWorld({ server: true });
  run = (await proposedIn(lab)).run;
  await lab.runJobs();
  await lab.useRunners(HOSTED, LAUNCHER);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

const launch = (order: string, of: string = run): Promise<string> => launchIn(lab, of, order);
const started = (): Promise<readonly string[]> => startedIn(lab);

const branch = (): string => `ferrybot/proposal/${run}`;
const CHANGED = { files: { 'scripts/tell.py': "print('anything at all')\n" } };

// threat T165
it('a forged order for a head that changes a file outside the scope is refused with scope', async () => {
  await push(lab, branch(), CHANGED);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('scope');
  expect(await started()).toEqual([]);
});

/**
 * mira merges ada's pull request, in which the second commit reverts a shipped file; returns the first commit
 * on main.
 */
async function innerCommit(method: string): Promise<string> {
  await push(lab, 'ada/tidy', CHANGED);
  const pushed = await lab.git('rev-parse', 'ada/tidy');
  await push(lab, 'ada/tidy', { files: { 'scripts/tell.py': await lab.git('show', 'main:scripts/tell.py') } });
  const pull = { title: 'Tidy', body: 'Tidies.', head: 'ada/tidy', base: 'main' };
  const { number } = (await lab.as('ada', 'POST', '/pulls', pull)) as { readonly number: number };
  await lab.as('mira', 'PUT', `/pulls/${number}/merge`, { merge_method: method });
  return method === 'merge' ? pushed : lab.git('rev-parse', 'main~1');
}

// threat T167
it.each(['merge', 'rebase'])(
  'a forged order for a change based on a commit inside a pull request (%s) is refused with freshness',
  async (method) => {
    const inner = await innerCommit(method);
    const file = 'experiments/ferries/daily.py';
    const proposed = await lab.git('show', `${branch()}:${file}`);
    await push(lab, branch(), { back: inner });
    await push(lab, branch(), { files: { [file]: proposed } });
    await lab.sweep();
    const verdicts = (await stateIn(lab))?.gate?.verdicts.filter(({ outcome }) => outcome === 'fail') ?? [];
    expect(verdicts.map(({ gate, code }) => `${gate} ${code}`)).toContain('freshness no-past-tip');
    expect(verdicts.map(({ gate }) => gate)).not.toContain('scope');
    expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('freshness');
    expect(await started()).toEqual([]);
  },
  120_000,
);

// threat T168
it('a forged order while another run of the lane is live is refused with lane-free', async () => {
  await orderWithStolenKey(lab, run, 'mira');
  const second = await proposeWithStolenKey(lab, run);
  expect(await launch(await orderWithStolenKey(lab, second, 'mira'), second)).toContain('lane-free');
  expect(await started()).toEqual([]);
});

// threat T172
it('a forged order with more restarts in the record than approved is refused with order-forged', async () => {
  const order = await orderWithStolenKey(lab, run, 'mira', null, (manifest) => ({
    ...manifest,
    envelope: { ...manifest.envelope, restarts: 1_000 },
  }));
  expect(await launch(order)).toContain('order-forged');
  expect(await started()).toEqual([]);
}, 60_000);

async function said(body: string): Promise<number> {
  lab.clock.advance(5_000);
  const { pull } = (await stateIn(lab))?.proposal ?? {};
  return ((await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body })) as { readonly id: number }).id;
}

// threat T170
it('a forged order with a revoked approval is refused with held', async () => {
  // The launcher is offline until the revocation; otherwise it could be faster.
  await lab.useRunners(HOSTED);
  const approval = await said(requireApprovalLine(lab));
  await lab.sweep();
  await said('/revoke');
  await lab.sweep();
  expect((await stateIn(lab))?.approvals).toEqual([]);
  await lab.useRunners(HOSTED, LAUNCHER);
  // The valid order is refused before a forged one exists.
  await lab.runJobs();
  expect(await launch(await orderAgainWithStolenKey(lab, run, approval))).toContain('held');
  expect(await started()).toEqual([]);
});

// threat T171
it.each(['/stop', '/hold', '/hold lane=daily reason="wait"', '/hold date=TODAY'])(
  'a forged answer to %s does not allow an order despite it',
  async (brake) => {
    const order = await orderWithStolenKey(lab, run, 'mira');
    // The lab's clock is the real one, and the run's name ends with its day.
    const today = run.replace(/.*(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
    await answerWithStolenKey(lab, run, await said(brake.replace('TODAY', today)));
    expect(await launch(order)).toContain(brake === '/stop' ? 'stop-requested' : 'held');
    expect(await started()).toEqual([]);
  },
  60_000,
);

// threat T166
// The clock only moves forward, so only the valid order follows this test.
it('a forged order with a merge base of last week is refused with freshness', async () => {
  lab.clock.advance(7 * DAY);
  await push(lab, 'main', CHANGED);
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('freshness');
  expect(await started()).toEqual([]);
});

it('the same key can order a valid, approved change without a hold (so that these tests can fail)', async () => {
  await said('/hold');
  await lab.sweep();
  expect((await stateIn(lab))?.holds).toHaveLength(1);
  await said('/unhold');
  await lab.sweep();
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('submitted');
  expect(await started()).toHaveLength(1);
});
