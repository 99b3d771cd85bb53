/**
 * After a failed attempt, the real launcher starts a fix only with its own approval; control's word is not
 * enough.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { isRunId } from '../../src/domain/values.ts';
import { parseSigningKey } from '../../src/host/keys.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { endedData } from '../support/run-drafts.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  LAUNCHER,
  launchIn,
  openBundleWorld,
  proposedIn,
  shownIn,
  startedIn,
  stateIn,
} from './bundle-world.ts';
import { orderAgainWithStolenKey, orderWithStolenKey } from './stolen-control-key.ts';

const FIX = { files: { 'lib/smalllab/optimizer.py': '# mended\n' } };
let lab: BundleWorld;
let run: string;
let pull: number;
/** The comment that approved the failed attempt. */
let spent: number;
let rewind: () => Promise<void>;

beforeAll(async () => {
  // The cluster must confirm the failure.
  lab = await openBundleWorld({ server: true, files: { 'scripts/tell.py': 'import sys\nsys.exit(1)\n' } });
  const proposed = await proposedIn(lab);
  run = proposed.run;
  pull = proposed.proposal.pull;
  await lab.runJobs();
  await lab.useRunners(HOSTED, LAUNCHER);
  spent = await said('mira', requireApprovalLine(lab));
  await lab.sweep();
  await lab.runJobs();
  await failedIn();
  await lab.sweep();
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

async function said(who: string, body: string): Promise<number> {
  lab.clock.advance(5_000);
  return ((await lab.as(who, 'POST', `/issues/${pull}/comments`, { body })) as { readonly id: number }).id;
}

/** Records with the watch key that the job failed. */
async function failedIn(): Promise<void> {
  const watch = parseSigningKey(lab.keys.roles.watch.privatePem);
  if (!watch.ok || !isRunId(run)) throw new Error('no key of the watch');
  const opening = await createLabOpener({ ...lab.control, signingKeys: { watch: watch.value } }, 'main').open();
  const state = await stateIn(lab);
  if (opening.kind !== 'open' || state === undefined) throw new Error('no record');
  const { open } = opening;
  const data = { ...endedData(state), status: 'FAILED', signatures: ['name-error'] } as const;
  const result = await open.store.append([{ run, drafts: [{ type: 'ended', role: 'watch', data }] }], open.lab.now());
  if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
}

/** Pushes to the ferry's branch and mentions it in the issue. */
async function pushed(change: Parameters<typeof push>[2]): Promise<void> {
  lab.clock.advance(5_000);
  await push(lab, `ferrybot/proposal/${run}`, change);
  const { issue } = (await stateIn(lab))?.proposal ?? {};
  await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: 'Mended on the branch.' });
  lab.clock.advance(5_000);
}

it('a fix with its own approval is started as the second attempt', async () => {
  await pushed(FIX);
  await shownIn(lab);
  await said('mira', requireApprovalLine(lab));
  await lab.sweep();
  expect(await lab.runJobs()).toContain('ferrybot: submitted');
  expect((await stateIn(lab))?.submission?.attempt).toBe(2);
  expect(await startedIn(lab)).toHaveLength(2);
});

// threat T25
it('a forged order for a fix outside its scope is refused with scope', async () => {
  await pushed({ files: { 'scripts/tell.py': "print('anything at all')\n" } });
  const before = await startedIn(lab);
  expect(await launchIn(lab, run, await orderWithStolenKey(lab, run, 'mira'))).toContain('scope');
  expect(await startedIn(lab)).toEqual(before);
});

// threat T26
it("a forged order for a fix with the failed attempt's approval is refused with approval-invalid", async () => {
  await pushed(FIX);
  const before = await startedIn(lab);
  const order = await orderWithStolenKey(lab, run, 'mira', spent);
  expect(await launchIn(lab, run, order)).toContain('approval-invalid');
  expect(await startedIn(lab)).toEqual(before);
});

it('a failed attempt cannot be ordered again with its own approval', async () => {
  await expect(orderAgainWithStolenKey(lab, run, spent)).rejects.toThrow('approved after the job was submitted');
});
