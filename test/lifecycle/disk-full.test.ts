/**
 * A job that fails because a disk is full: the workers are scanned immediately, and the thread links to the
 * result.
 */

import { afterEach, expect, it } from 'vitest';
import type { DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import { unknown } from '../../src/domain/values.ts';
import { approve, propose, readState, until } from '../support/play.ts';
import { listBotTexts, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const FULL = "OSError: [Errno 28] No space left on device: '/tmp/ray/session_1/runtime_resources/pip'";
const SHORT_OF_DISK = '  ⚠ ray-a worker 0: 2% free (2.0G available)\n';
const ALL_FINE = '✓ All workers have >20% free disk space\n';
const DISK_CARE = `    engine: ray
    dashboard: http://10.0.0.2:8265
    gcp: { project: example-lab, zones: [us-central1-a] }
    disk:
      mountPoint: /tmp/gcsfuse_mount
      clusterFile: infra/marin-us-central1.yaml
      cleanupAlive: { command: [look], expect: RUNNING }
`;

let lab: VirtualLab;
let scans: number;

afterEach(() => lab.close());

/** A ferry on a cluster with disk care that fails with `line`. */
async function ferryThatDiesWith(
  line: string,
  stdout = SHORT_OF_DISK,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<{ readonly run: string }> {
  scans = 0;
  const port: DiskPort = {
    scan: async () => {
      scans += 1;
      return { stdout, stderr: '', exitCode: 0 };
    },
    list: async () => ({ kind: 'listed', vms: [] }),
    inspect: async () => ({ disk: unknown('x'), mounts: unknown('x'), folders: unknown('x') }),
    cleanupAlive: async () => null,
    change: async () => {
      throw new Error('nobody consented');
    },
  };
  lab = await openVirtualLab({
    ferry: { ...SHORT_FERRY, failAt: { step: 100, line, exitCode: 1 } },
    disks: async () => port,
    config: (text) => text.replace(/ {4}engine: local\n(?: {4}#.*\n)* {4}jobs: jobs\n/, DISK_CARE),
  });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the launch', async () => (await readState(lab, run))?.submission != null);
  await meanwhile();
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: 60_000 });
  await lab.clock.advance(30 * 60_000);
  return { run };
}

// rule AG-30
it('a job that fails with a full disk starts one scan, and its thread links to the disk issue', async () => {
  await ferryThatDiesWith(FULL);
  expect(scans).toBe(1);
  const issue = Object.values(lab.world.state.issues).find(({ title }) => title.startsWith('Disks of'));
  const [answer = '', ...more] = listBotTexts(lab, 'disk-answer');
  expect(more).toEqual([]);
  expect(answer).toContain('1 worker of `us-central1` has almost no disk left');
  expect(answer).toContain(`#${issue?.number} lists the workers that are short, the causes, and the proposed actions.`);
});

it('a scan without a full worker is reported in the thread', async () => {
  await ferryThatDiesWith(FULL, ALL_FINE);
  expect(listBotTexts(lab, 'disk-answer')).toEqual([expect.stringContaining('No boot disk of a worker')]);
});

it('a job that fails for another reason starts no scan', async () => {
  await ferryThatDiesWith('ValueError: nothing about disks');
  expect(scans).toBe(0);
  expect(listBotTexts(lab, 'disk-answer')).toEqual([]);
});

it('a scan without a readable result is started at most three times', async () => {
  await ferryThatDiesWith(FULL, 'nothing that anybody can read');
  await lab.clock.advance(6 * 60 * 60_000);
  expect(scans).toBeGreaterThan(1);
  expect(scans).toBeLessThanOrEqual(3);
  expect(listBotTexts(lab, 'disk-answer')).toEqual([]);
});
