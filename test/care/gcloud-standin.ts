/** The gcloud stand-in in its own folder: its machines, its faults, and its recorded calls. */

import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { GcloudOptions } from '../../src/clouds/gcp/gcloud.ts';
import { runProgram } from '../../src/host/process.ts';

/** A TPU VM as the API prints it. */
export type Node = {
  readonly name: string;
  readonly state: string;
  readonly createTime: string;
  readonly acceleratorType: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly networkEndpoints: readonly {
    readonly ipAddress: string;
    readonly port: number;
    readonly accessConfig?: { readonly externalIp: string };
  }[];
};

export type GcloudState = {
  readonly nodes: readonly Node[];
  readonly after_delete?: readonly Node[];
  readonly faults?: readonly { readonly verb: string; readonly kind: string; readonly times?: number }[];
};

export type GcloudStandIn = {
  readonly folder: string;
  readonly gcloud: GcloudOptions;
  readonly set: (state: GcloudState) => Promise<void>;
  readonly calls: () => Promise<readonly (readonly string[])[]>;
  readonly remove: () => Promise<void>;
};

/** A worker of the cluster `us-central1` in the project `example-lab`. */
export function aNode(name: string, address: string, change: Partial<Node> = {}): Node {
  return {
    name: `projects/example-lab/locations/us-central1-a/nodes/${name}`,
    state: 'READY',
    createTime: '2026-11-20T01:02:03.456789Z',
    acceleratorType: 'v5litepod-4',
    labels: { 'ray-cluster-name': 'us-central1', 'ray-node-type': 'worker' },
    networkEndpoints: [{ ipAddress: address, port: 8470, accessConfig: { externalIp: `35.${address.slice(3)}` } }],
    ...change,
  };
}

/** A stand-in in a temporary folder. */
export async function startGcloudStandIn(state: GcloudState): Promise<GcloudStandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-gcloud-'));
  const calls = join(folder, 'calls.jsonl');
  const set = (next: GcloudState): Promise<void> => writeFile(join(folder, 'state.json'), JSON.stringify(next));
  await set(state);
  await appendFile(calls, '');
  return {
    folder,
    gcloud: {
      program: join(import.meta.dirname, '../../fixtures/gcloud/gcloud.py'),
      env: { PATH: process.env['PATH'] ?? '', GCLOUD_STANDIN: folder },
      run: runProgram,
    },
    set,
    calls: async () =>
      (await readFile(calls, 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => z.array(z.string()).parse(JSON.parse(line))),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
