// The labs of the care scenes, each with a proposal that waits for a consent. A bad node to delete and
// checkpoints of a hero run are proposed in a comment of their run; disks to clean and a cleanup job to start
// are proposed in an issue description.

import type { DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import type { Inspection } from '../../src/care/disk/scan-record.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { known } from '../../src/domain/values.ts';
import type { ProgramResult } from '../../src/host/process.ts';
import { openBadNodeLab, playUntilBad } from '../support/bad-node-lab.ts';
import { addScan, diskIssue, scanDisks, withDisks } from '../support/disk-lab.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';
import { openCheckpointScene } from './care-checkpoints.ts';
import { limitApprovalAge } from './terms.ts';

/** The change that a consent allows. */
export const CHANGES = ['node', 'disk', 'cleanup job', 'checkpoints'] as const;
export type Change = (typeof CHANGES)[number];

/** Text that identifies its proposal. */
export const CONSENTS: Readonly<Record<Change, string>> = {
  node: 'ray-worker-7c21',
  disk: '`clean-disk` of `ray-vllm-a`',
  'cleanup job': '`start-cleanup-cron`',
  checkpoints: 'Checkpoints of',
};

/** A lab, and the thread and record of the proposal. */
export type CareLab = {
  readonly lab: VirtualLab;
  readonly thread: number;
  readonly record: string;
  /** Lets a job rewrite a listed target; does nothing if no job could. */
  readonly rewrite: () => Promise<void>;
  /** Reports changes that were not reported yet. */
  readonly look: () => void;
  readonly leave: () => Promise<void>;
};

/** Called for each call on the cluster. */
export type CommandListener = (command: readonly string[]) => void;

type Place = Pick<CareLab, 'thread' | 'record'>;
type KeptMoment = Place & { readonly moment: ReturnType<VirtualLab['keep']> };

const beginnings = new Map<'node' | 'disks', Promise<KeptMoment>>();

/** Opens a lab in which this change waits for a consent. */
export async function openCareLab(
  change: Change,
  seed: number,
  told: CommandListener,
  beforeJob: NonNullable<VirtualLabOptions['beforeJob']>,
): Promise<CareLab> {
  if (change === 'checkpoints') return openCheckpointScene(seed, told, beforeJob);
  const kind = change === 'node' ? 'node' : 'disks';
  const begun = beginnings.get(kind) ?? (kind === 'node' ? beginWithNode() : beginWithDisks());
  beginnings.set(kind, begun);
  const { moment, thread, record } = await begun;
  const from = { ...moment, seed };
  if (kind === 'disks') {
    const lab = await openVirtualLab({ ...withDisks(fullDisks(told)), from, beforeJob });
    return { lab, thread, record, ...withoutOthers(lab) };
  }
  const { lab, cloud } = await openBadNodeLab({ from, badLines: [], beforeJob });
  const push = cloud.calls.push.bind(cloud.calls);
  cloud.calls.push = (...more) => {
    for (const args of more) if (args[3] === 'delete') told(['gcloud', ...args]);
    return push(...more);
  };
  return { lab, thread, record, ...withoutOthers(lab) };
}

function withoutOthers(lab: VirtualLab): Pick<CareLab, 'rewrite' | 'look' | 'leave'> {
  return { rewrite: async () => undefined, look: () => undefined, leave: lab.close };
}

async function beginWithNode(): Promise<KeptMoment> {
  const { lab } = await openBadNodeLab({ config: limitApprovalAge });
  const { run, issue } = await playUntilBad(lab);
  return keepMoment({ lab, thread: issue, record: run });
}

async function beginWithDisks(): Promise<KeptMoment> {
  const disks = withDisks(fullDisks(() => undefined));
  const lab = await openVirtualLab({ ...disks, config: (text) => limitApprovalAge(disks.config?.(text) ?? text) });
  await addScan(lab);
  await scanDisks(lab);
  return keepMoment({ lab, thread: diskIssue(lab).number, record: 'journal' });
}

async function keepMoment({ lab, ...place }: Place & { readonly lab: VirtualLab }): Promise<KeptMoment> {
  await lab.clock.advance(60_000);
  const moment = lab.keep();
  await lab.close();
  return { ...place, moment };
}

const GB = 1_000_000_000;
const FULL: Inspection = {
  disk: known({ usedBytes: 96 * GB, availableBytes: 4 * GB }),
  mounts: known([{ at: '/', type: 'ext4' }]),
  folders: known([
    { path: '/tmp', bytes: 63 * GB },
    { path: '/tmp/gcsfuse_mount', bytes: 62 * GB },
  ]),
};
const CLEARED: Inspection = {
  disk: known({ usedBytes: 34 * GB, availableBytes: 66 * GB }),
  mounts: known([
    { at: '/', type: 'ext4' },
    { at: '/tmp/gcsfuse_mount', type: 'fuse.gcsfuse' },
  ]),
  folders: known([{ path: '/tmp', bytes: GB }]),
};
const SAID = {
  'clean-disk': 'ferrybot-clean 1 deleted moved freed=62000000000 left=0\n',
  'init-worker': 'Worker initialized successfully!\n',
  'start-cleanup-cron': 'Cleanup cron job started: x\n',
  'delete-tpu-vm': '',
} as const;

/** A cluster with one full worker without its mount, and without its cleanup job. */
function fullDisks(told: CommandListener): DiskPort {
  const done = new Set<string>();
  const vm = {
    name: 'ray-vllm-a',
    zone: 'us-central1-a',
    state: 'READY',
    createdAt: '2026-11-20T01:02:03Z',
    acceleratorType: 'v5p-8',
    rayCluster: 'us-central1',
    rayNodeType: '',
    workers: [['10.130.0.1']],
  };
  return {
    scan: async () => ({ stdout: '  ⚠ ray-vllm-a worker 0: 4% free (4.0G available)\n', stderr: '', exitCode: 0 }),
    list: async () => ({ kind: 'listed', vms: [vm] }),
    inspect: async () =>
      done.has('init-worker') ? CLEARED : { ...FULL, ...(done.has('clean-disk') ? lowDisk() : {}) },
    cleanupAlive: async () => known(done.has('start-cleanup-cron')),
    change: async (step, permit) => {
      spendCapability(permit, step);
      told(step.command);
      done.add(step.kind);
      return exited(step.kind === 'delete-checkpoint' ? '' : SAID[step.kind]);
    },
  };
}

function lowDisk(): Pick<Inspection, 'disk' | 'folders'> {
  return { disk: CLEARED.disk, folders: CLEARED.folders };
}

function exited(stdout: string): ProgramResult {
  const none = { signal: null, code: null, timedOut: false, stderr: '' } as const;
  return { kind: 'exited', ok: true, exitCode: 0, stdout, ...none };
}
