/**
 * A user's own pull request on the real launcher: launched exactly as another person approved it, or not at
 * all.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { FILE, LABEL, WHOLE } from '../support/own-pull.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  LAUNCHER,
  launchIn,
  openBundleWorld,
  shownIn,
  startedIn,
  stateIn,
} from './bundle-world.ts';
import { orderWithStolenKey } from './stolen-control-key.ts';

const BRANCH = 'ada/warmup';
let lab: BundleWorld;
let run: string;
let pull: number;
let line: string;
let rewind: () => Promise<void>;

beforeAll(async () => {
  // Every writer may approve, so that only the authorship excludes Ada.
  lab = await openBundleWorld({ server: true, config: [['permission: maintain', 'permission: write']] });
  const text = await lab.git('show', `main:${FILE}`);
  await push(lab, BRANCH, { files: { [FILE]: text.replace('warmup=100', 'warmup=80') } });
  const opened = { title: 'A longer warmup', body: WHOLE, head: BRANCH, base: 'main' };
  pull = ((await lab.as('ada', 'POST', '/pulls', opened)) as { readonly number: number }).number;
  await lab.as('ada', 'POST', `/issues/${pull}/labels`, { labels: [LABEL] });
  await lab.sweep();
  lab.clock.advance(5_000);
  ({ run } = await shownIn(lab));
  await shownIn(lab);
  line = requireApprovalLine(lab);
  await lab.runJobs();
  await lab.useRunners(HOSTED, LAUNCHER);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

async function approvedBy(who: string): Promise<void> {
  lab.clock.advance(5_000);
  await lab.as(who, 'POST', `/issues/${pull}/comments`, { body: line });
  await lab.sweep();
}

/** The output of the launcher, whose job runs after this action. */
async function launchedAfter(act: () => Promise<unknown>): Promise<string> {
  await lab.useRunners(HOSTED);
  await approvedBy('mira');
  expect((await stateIn(lab))?.order?.status).toBe('open');
  await act();
  lab.clock.advance(5_000);
  await lab.useRunners(HOSTED, LAUNCHER);
  return lab.runJobs();
}

it('an approval by its author does not count, and a forged order with it is refused with approver-not-permitted', async () => {
  await approvedBy('ada');
  expect(await stateIn(lab)).toMatchObject({ approvals: [], order: null });
  expect(await launchIn(lab, run, await orderWithStolenKey(lab, run, 'ada'))).toContain('approver-not-permitted');
  expect(await startedIn(lab)).toEqual([]);
});

it.each<readonly [string, string, () => Promise<unknown>]>([
  [
    'pushed to',
    'manifest-changed',
    () => push(lab, BRANCH, { files: { 'lib/smalllab/optimizer.py': "print('mine')\n" } }),
  ],
  ['closed', 'pull-closed', () => lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'closed' })],
  [
    'edited in its description',
    'manifest-changed',
    () => lab.as('ada', 'PATCH', `/pulls/${pull}`, { body: `${WHOLE}\n\nAnd it is safe.` }),
  ],
])(
  'a pull request that is %s between its order and its launch is refused with %s',
  async (_, code, act) => {
    expect(await launchedAfter(act)).toContain(code);
    expect(await startedIn(lab)).toEqual([]);
  },
  60_000,
);

it('a pull request approved by another person is started at its own commit', async () => {
  const head = await lab.git('rev-parse', BRANCH);
  expect(await launchedAfter(() => Promise.resolve())).toContain('ferrybot: submitted');
  expect(await stateIn(lab)).toMatchObject({ run, submission: { attempt: 1, commit: head } });
  expect(await startedIn(lab)).toHaveLength(1);
});
