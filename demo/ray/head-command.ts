/** How a Ray head is started on this machine: two CPUs, its own ports and folder, and nobody in without its token. */

import { ray } from '../../packages/playground/limits/limits.ts';
import { HEAD_MARK } from './head-processes.ts';

/** Where a head is and who may use it; stays the same as long as the lab's folder is kept. */
export type HeadRecord = {
  /** Its own folder: short, because the sockets below it may have 107 characters. */
  readonly folder: string;
  readonly token: string;
  /** As many as `PORTS`; the second is the dashboard's. */
  readonly ports: readonly number[];
};

/** How many ports a head of its own needs. */
export const PORTS = 7;

/** Arguments of `ray` and the whole environment of the head, from which its jobs have theirs. `programs`: the folder of `ray`. */
export function headCommand(
  record: HeadRecord,
  programs: string,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return {
    args: ['start', '--head', '--block', '--disable-usage-stats', ...flagsOf(record)],
    env: {
      PATH: `${programs}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
      HOME: record.folder,
      LANG: 'C.UTF-8',
      RAY_AUTH_MODE: 'token',
      RAY_AUTH_TOKEN: record.token,
      [HEAD_MARK]: record.folder,
    },
  };
}

function flagsOf({ ports, folder }: HeadRecord): readonly string[] {
  const [gcs, dashboard, client, agent, agentGrpc, runtimeEnv, metrics] = ports;
  const options = {
    port: gcs,
    'dashboard-port': dashboard,
    'ray-client-server-port': client,
    'dashboard-agent-listen-port': agent,
    'dashboard-agent-grpc-port': agentGrpc,
    'runtime-env-agent-port': runtimeEnv,
    'metrics-export-port': metrics,
    // Random ones: two heads with the usual range take each other's.
    'min-worker-port': 0,
    'max-worker-port': 0,
    'node-ip-address': '127.0.0.1',
    'dashboard-host': '127.0.0.1',
    'num-cpus': 2,
    'object-store-memory': ray.objectStoreBytes,
    'temp-dir': folder,
  };
  return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}
