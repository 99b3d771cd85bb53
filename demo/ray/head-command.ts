/** The command that starts a Ray head on this machine: two CPUs, its own ports and folder, and a required token. */

import { ray } from '../../packages/playground/limits/limits.ts';
import { HEAD_MARK } from './head-processes.ts';

/** The location and token of a head; unchanged while the lab's folder is kept. */
export type HeadRecord = {
  /** Its own folder: short, because the paths of its sockets are limited to 107 characters. */
  readonly folder: string;
  readonly token: string;
  /** `PORTS` numbers; the second is the dashboard's. */
  readonly ports: readonly number[];
};

/** The number of ports that a head needs. */
export const PORTS = 7;

/**
 * Arguments of `ray` and the complete environment of the head, which its jobs inherit. `programs`: the folder of `ray`.
 */
export function headCommand(
  record: HeadRecord,
  programs: string,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return {
    args: ['start', '--head', '--block', '--disable-usage-stats', ...headFlags(record)],
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

function headFlags({ ports, folder }: HeadRecord): readonly string[] {
  const [gcs, dashboard, client, agent, agentGrpc, runtimeEnv, metrics] = ports;
  const options = {
    port: gcs,
    'dashboard-port': dashboard,
    'ray-client-server-port': client,
    'dashboard-agent-listen-port': agent,
    'dashboard-agent-grpc-port': agentGrpc,
    'runtime-env-agent-port': runtimeEnv,
    'metrics-export-port': metrics,
    // Random ports: two heads with the default range conflict.
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
