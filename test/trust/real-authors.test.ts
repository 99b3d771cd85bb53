/** One person as author and approver, and approvals that grew old: the stolen control key orders on them, the real runner refuses. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { approvalLine } from '../support/approve.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  LAUNCHER,
  launchIn,
  openBundleWorld,
  proposedIn,
  startedIn,
} from './bundle-world.ts';
import { orderAgainWithStolenKey, orderWithStolenKey } from './stolen-control-key.ts';

const HOUR = 3_600_000;
const FILE = 'experiments/ferries/daily.py';

let lab: BundleWorld;
let run: string;
let pull: number;
let issue: number;
let rewind: () => Promise<void>;

beforeAll(async () => {
  lab = await openBundleWorld({ server: true });
  const state = await proposedIn(lab);
  ({ run } = state);
  ({ pull, issue } = state.proposal);
  await lab.runJobs();
  await lab.useRunners(LAUNCHER);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

const launch = (order: string): Promise<string> => launchIn(lab, run, order);
const started = (): Promise<readonly string[]> => startedIn(lab);

/** A remark in the experiment, told in the issue, which every gate lets through. */
async function pushed(by: string): Promise<void> {
  const branch = `ferrybot/proposal/${run}`;
  const text = await lab.git('show', `${branch}:${FILE}`);
  await push(lab, branch, { files: { [FILE]: `${text}\n# A remark.\n` } }, by);
  lab.clock.advance(2_000);
  await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: 'A remark in the file.' });
}

/** One more line in a text, by mira and then by ada, so that mira is not the last who edited it. */
async function edited(path: string, number: number): Promise<void> {
  const found = Object.values(lab.world.state.issues).find((one) => one.number === number);
  for (const [who, line] of [
    ['mira', 'A word.'],
    ['ada', 'A word more.'],
  ] as const)
    await lab.as(who, 'PATCH', `/${path}/${number}`, { body: `${found?.body}\n${line}\n` });
}

// threat T32
it.each<[string, () => Promise<void>]>([
  ['pushed to the branch in the name of another', () => pushed('mira')],
  ['edited the issue before somebody else did', () => edited('issues', issue)],
  ['edited the description before somebody else did', () => edited('pulls', pull)],
])(
  'a forged order on an approval by whoever %s is refused with approver-not-permitted',
  async (_, work) => {
    await work();
    expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('approver-not-permitted');
    expect(await started()).toEqual([]);
  },
  60_000,
);

// threat T164
// The clock only moves forward: nothing comes after this one but the honest approval.
it('a forged order on an approval that has grown old is refused with approval-outdated', async () => {
  const line = approvalLine(lab);
  const said = await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: line });
  lab.clock.advance(25 * HOUR);
  const order = await orderAgainWithStolenKey(lab, run, (said as { readonly id: number }).id);
  expect(await launch(order)).toContain('approval-outdated');
  expect(await started()).toEqual([]);
});

it('what ada pushed is launched on a fresh approval of mira, so that these tests can fail', async () => {
  await pushed('ada');
  // The card shows it, as control wrote it, before anybody approves.
  for (const _ of ['gates', 'card']) {
    await lab.sweep();
    lab.clock.advance(5_000);
  }
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('submitted');
  expect(await started()).toHaveLength(1);
});
