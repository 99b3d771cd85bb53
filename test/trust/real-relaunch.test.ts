/**
 * A preemption on the real launcher: restarted under the existing approval, once, and only if the cluster
 * confirms it.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLabOpener } from '../../src/app/open-lab.ts';
import { isRunId } from '../../src/domain/values.ts';
import { parseSigningKey } from '../../src/host/keys.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { endedData } from '../support/run-drafts.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  LAUNCHER,
  openBundleWorld,
  proposedIn,
  startedIn,
  stateIn,
} from './bundle-world.ts';

const PREEMPTED = {
  class: 'preempted',
  confidence: 'high',
  response: 'retry-bounded',
  place: null,
  error: null,
  evidence: ['the slice was preempted'],
} as const;

describe.each([
  ['that failed', 'import sys\nsys.exit(1)\n'],
  ['that succeeded', 'import sys\nsys.exit(0)\n'],
])('a job %s, reported as preempted with the watch key', (outcome, job) => {
  let lab: BundleWorld;
  let run: string;
  let rewind: () => Promise<void>;

  beforeAll(async () => {
    lab = await openBundleWorld({ server: true, files: { 'scripts/tell.py': job } });
    const proposed = await proposedIn(lab);
    run = proposed.run;
    await lab.runJobs();
    await lab.useRunners(HOSTED, LAUNCHER);
    lab.clock.advance(5_000);
    await lab.as('mira', 'POST', `/issues/${proposed.proposal.pull}/comments`, { body: requireApprovalLine(lab) });
    await lab.sweep();
    await lab.runJobs();
    expect(await startedIn(lab)).toHaveLength(1);
    rewind = await bookmark(lab);
  });
  afterEach(() => rewind());
  afterAll(() => lab.close());

  /** Records the end of the newest attempt with the watch's key. */
  async function preempted(lastStep: number): Promise<void> {
    const watch = parseSigningKey(lab.keys.roles.watch.privatePem);
    if (!watch.ok || !isRunId(run)) throw new Error('no key of the watch');
    const parts = { ...lab.control, signingKeys: { watch: watch.value } };
    const opening = await createLabOpener(parts, 'main').open();
    const state = await stateIn(lab);
    if (opening.kind !== 'open' || state === undefined) throw new Error('no record');
    const { open } = opening;
    const evidence = [`machine ${lastStep} was preempted`];
    const data = { ...endedData(state), status: 'FAILED', lastStep, diagnosis: { ...PREEMPTED, evidence } } as const;
    const result = await open.store.append([{ run, drafts: [{ type: 'ended', role: 'watch', data }] }], open.lab.now());
    if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
  }

  /** Runs control's reaction; returns the launcher's output. */
  async function answered(): Promise<string> {
    lab.clock.advance(60_000);
    await lab.sweep();
    return lab.runJobs();
  }

  if (outcome === 'that failed')
    it('is restarted once without another approval, and a second preemption needs a person', async () => {
      await preempted(10);
      expect(await answered()).toContain('ferrybot: submitted');
      expect(await stateIn(lab)).toMatchObject({
        submission: { attempt: 2 },
        attempts: [{ end: { status: 'FAILED' } }],
      });
      expect(await startedIn(lab)).toHaveLength(2);
      await preempted(20);
      expect(await answered()).not.toContain('ferrybot: submitted');
      expect(await startedIn(lab)).toHaveLength(2);
      expect((await stateIn(lab))?.incidents.map(({ code }) => code)).toContain('relaunch-refused');
    });
  else
    it('is not restarted, because the cluster reports a success', async () => {
      const before = await startedIn(lab);
      await preempted(10);
      expect(await answered()).toContain('attempt-otherwise');
      expect(await startedIn(lab)).toEqual(before);
    });
});
