/**
 * A lab in which disk care finds no cleanup job on the cluster and proposes to start one in an issue
 * description.
 */

import type { DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import type { Inspection } from '../../src/care/disk/scan-record.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { known, unknown } from '../../src/domain/values.ts';
import type { ProgramResult } from '../../src/host/process.ts';
import { until } from './play.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

/** The cluster of these labs in the config, and the workflow that scans its disks. */
export const DISK_CLUSTER = `
  us-central1-vllm:
    engine: ray
    dashboard: "http://10.0.0.2:8265"
    acceleratorHoursPerRun: "4"
    gcp: { project: example-lab, zones: [us-central1-a] }
    disk:
      mountPoint: /tmp/gcsfuse_mount
      clusterFile: infra/marin-us-central1-vllm.yaml
      cleanupAlive: { command: [look], expect: RUNNING }
`;
export const DISK_WORKFLOW = `name: disks
on: workflow_dispatch
permissions: {}
jobs:
  scan:
    runs-on: [self-hosted, ferrybot-watch]
    environment: ferrybot-watch
    permissions: { contents: write, issues: read, pull-requests: read }
    steps:
      - uses: ferrybot/ferrybot@0123456789abcdef0123456789abcdef01234567
        with: { mode: disk-scan, cluster: us-central1-vllm }
        env: { FERRYBOT_WATCH_KEY: "\${{ secrets.FERRYBOT_WATCH_KEY }}" }
`;

const GB = 1_000_000_000;

/** The scan's output if no worker is short of disk space. */
export const FINE = '✓ All workers have >20% free disk space\n';
/** A full worker with data below the mount point, where nothing is mounted. */
export const MISPLACED: Inspection = {
  disk: known({ usedBytes: 96 * GB, availableBytes: 4 * GB }),
  mounts: known([{ at: '/', type: 'ext4' }]),
  folders: known([
    { path: '/tmp', bytes: 63 * GB },
    { path: '/tmp/gcsfuse_mount', bytes: 62 * GB },
    { path: '/tmp/gcsfuse_mount/models', bytes: 61 * GB },
  ]),
};
/** The same worker with its mount. */
export const MOUNTED: Inspection = {
  ...MISPLACED,
  mounts: known([
    { at: '/', type: 'ext4' },
    { at: '/tmp/gcsfuse_mount', type: 'fuse.gcsfuse' },
  ]),
};
/** The same worker after its clean-up. */
export const CLEARED: Inspection = {
  disk: known({ usedBytes: 34 * GB, availableBytes: 66 * GB }),
  mounts: MOUNTED.mounts,
  folders: known([{ path: '/tmp', bytes: GB }]),
};

/** A completed program on the cluster. */
export const programEnded = (stdout: string, exitCode = 0): ProgramResult => ({
  ...{ kind: 'exited', ok: exitCode === 0, exitCode, signal: null, code: null, timedOut: false },
  ...{ stdout, stderr: '' },
});

export type DiskLab = {
  readonly lab: VirtualLab;
  /** Number of calls that changed the cluster. */
  readonly called: () => number;
  /** Scans once and waits until control has processed the result. */
  readonly scan: () => Promise<void>;
};

/** The lab after its first scan: the issue with the proposal is open. */
export async function openDiskLab(options: VirtualLabOptions = {}): Promise<DiskLab> {
  let calls = 0;
  const port: DiskPort = {
    scan: async () => ({ stdout: FINE, stderr: '', exitCode: 0 }),
    list: async () => ({ kind: 'listed', vms: [] }),
    inspect: async () => ({ disk: unknown('x'), mounts: unknown('x'), folders: unknown('x') }),
    cleanupAlive: async () => known(calls > 0),
    change: async (step, permit) => {
      spendCapability(permit, step);
      calls += 1;
      return programEnded('Cleanup cron job started: x\n');
    },
  };
  const lab = await openVirtualLab({ ...withDisks(port), ...options });
  await addScan(lab);
  const scan = (): Promise<void> => scanDisks(lab);
  await scan();
  // Without webhooks, the sweep finds it.
  await until(lab, 'the issue', () => issuesOf(lab).length > 0);
  return { lab, called: () => calls, scan };
}

/** Options of a lab that reads and changes its disks through `port`. */
export function withDisks(port: DiskPort): Pick<VirtualLabOptions, 'config' | 'disks'> {
  return { config: (text) => text.replace(/^clusters:\n/m, `clusters:${DISK_CLUSTER}`), disks: async () => port };
}

/** mira adds the scan workflow. */
export async function addScan(lab: VirtualLab): Promise<void> {
  await lab.as('mira', 'PUT', '/contents/.github/workflows/disks.yml', {
    message: 'Scan the disks',
    content: Buffer.from(DISK_WORKFLOW).toString('base64'),
  });
}

/** Scans once and waits until control has processed the result. */
export async function scanDisks(lab: VirtualLab): Promise<void> {
  await lab.as('mira', 'POST', '/actions/workflows/disks.yml/dispatches', { ref: 'main' });
  await lab.clock.advance(240_000);
}

/** The issue about the cluster's disks. */
export function diskIssue(lab: Pick<VirtualLab, 'world'>): { readonly number: number; readonly body: string } {
  const found = issuesOf(lab);
  const [issue] = found;
  if (issue === undefined || found.length > 1) throw new Error(`${found.length} issues about disks`);
  return { number: issue.number, body: issue.body };
}

function issuesOf({ world }: Pick<VirtualLab, 'world'>) {
  return Object.values(world.state.issues).filter(({ title }) => title.startsWith('Disks of'));
}
