/**
 * Approvals by authors and expired approvals: the stolen control key makes orders from them, the real runner
 * refuses.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
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

/** Pushes a comment line in the experiment and mentions it in the issue, so that every gate passes. */
async function pushed(by: string): Promise<void> {
  const branch = `ferrybot/proposal/${run}`;
  const text = await lab.git('show', `${branch}:${FILE}`);
  await push(lab, branch, { files: { [FILE]: `${text}\n# A remark.\n` } }, by);
  lab.clock.advance(2_000);
  await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: 'A remark in the file.' });
}

/** Two edits of a text: by mira, then by ada, so that mira is not the last editor. */
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
  ['pushed to the branch under another name', () => pushed('mira')],
  ['edited the issue before another user did', () => edited('issues', issue)],
  ['edited the description before another user did', () => edited('pulls', pull)],
])(
  'a forged order with an approval by a user who %s is refused with approver-not-permitted',
  async (_, work) => {
    await work();
    expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('approver-not-permitted');
    expect(await started()).toEqual([]);
  },
  60_000,
);

// threat T164
// The clock only moves forward, so only the valid approval follows this test.
it('a forged order with an expired approval is refused with approval-outdated', async () => {
  const line = requireApprovalLine(lab);
  const said = await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: line });
  lab.clock.advance(25 * HOUR);
  const order = await orderAgainWithStolenKey(lab, run, (said as { readonly id: number }).id);
  expect(await launch(order)).toContain('approval-outdated');
  expect(await started()).toEqual([]);
});

it("a commit by ada is launched after mira's new approval (so that these tests can fail)", async () => {
  await pushed('ada');
  // Control updates the card before the approval.
  for (const _ of ['gates', 'card']) {
    await lab.sweep();
    lab.clock.advance(5_000);
  }
  expect(await launch(await orderWithStolenKey(lab, run, 'mira'))).toContain('submitted');
  expect(await started()).toHaveLength(1);
});
