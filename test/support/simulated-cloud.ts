/** The TPU VMs of a lab on virtual time: gcloud is simulated, the adapter around it is real. */

import type { CloudLookup } from '../../src/app/lab.ts';
import { createTpuCloud } from '../../src/clouds/gcp/gcloud.ts';
import type { ProgramResult } from '../../src/host/process.ts';
import { aNode, type Node } from '../care/gcloud-standin.ts';
import type { VirtualClock } from './virtual-clock.ts';

export type SimulatedCloud = {
  readonly cloudOf: (clock: VirtualClock) => CloudLookup;
  /** The arguments of every call, oldest first. */
  readonly calls: (readonly string[])[];
  nodes: readonly Node[];
  /** Number of failing list calls before the next good one. */
  unreadable: number;
  /** Number of good list calls left; later ones fail. */
  listsLeft: number;
  /** How long after a deletion the replacement is ready; null = none comes. */
  replacementMs: number | null;
};

/** Two workers; the first one has the address 10.130.1.45. */
export function createSimulatedCloud(): SimulatedCloud {
  const cloud: SimulatedCloud = {
    calls: [],
    nodes: [aNode('ray-worker-7c21', '10.130.1.45'), aNode('ray-worker-8d32', '10.130.1.46')],
    unreadable: 0,
    listsLeft: Number.POSITIVE_INFINITY,
    replacementMs: 5 * 60_000,
    cloudOf: (clock) => () =>
      createTpuCloud(
        { program: 'gcloud', env: {}, run: async (_program, args) => answer(cloud, clock, args) },
        { project: 'example-lab', zones: ['us-central1-a'] },
      ),
  };
  return cloud;
}

/** The called deletions, by name. */
export function listDeletions({ calls }: SimulatedCloud): readonly string[] {
  return calls.filter((args) => args[3] === 'delete').map((args) => args[4] ?? '');
}

function answer(cloud: SimulatedCloud, clock: VirtualClock, args: readonly string[]): ProgramResult {
  cloud.calls.push(args);
  if (args[3] === 'list') {
    if (cloud.unreadable > 0 || cloud.listsLeft === 0) {
      cloud.unreadable = Math.max(0, cloud.unreadable - 1);
      return result(1, '', 'ERROR: INTERNAL: 503');
    }
    cloud.listsLeft -= 1;
    const ready = cloud.nodes.filter(({ createTime }) => Date.parse(createTime) <= clock.now());
    return result(0, JSON.stringify(ready), '');
  }
  const name = args[4] ?? '';
  const isThere = cloud.nodes.some((node) => node.name.endsWith(`/${name}`));
  if (!isThere) return result(1, '', 'ERROR: NOT_FOUND');
  cloud.nodes = cloud.nodes.filter((node) => !node.name.endsWith(`/${name}`));
  if (cloud.replacementMs !== null) {
    const createTime = new Date(clock.now() + cloud.replacementMs).toISOString();
    cloud.nodes = [...cloud.nodes, aNode('ray-worker-9e43', '10.130.1.47', { createTime })];
  }
  return result(0, '', `Deleted tpu [${name}].`);
}

function result(exitCode: number, stdout: string, stderr: string): ProgramResult {
  return { kind: 'exited', ok: exitCode === 0, exitCode, signal: null, code: null, timedOut: false, stdout, stderr };
}
