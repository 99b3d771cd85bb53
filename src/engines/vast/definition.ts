/** The engine `vast`: machines rented on Vast.ai, one for each job. */

import { error } from '../../settings/problem.ts';
import type { EngineDefinition } from '../definition.ts';
import { type VastCluster, vastSchema } from './schema.ts';

export const vastEngine: EngineDefinition<typeof vastSchema> = {
  schema: vastSchema,
  configIssues: (at, { api, reliability, dollarsPerHourMax }) => [
    ...(Number(reliability) > 1
      ? [error('bad-value', [...at, 'reliability'], 'is a share between "0" and "1"')]
      : []),
    ...(Number(dollarsPerHourMax) === 0
      ? [error('bad-value', [...at, 'dollarsPerHourMax'], 'no machine costs nothing')]
      : []),
    ...(new URL(api).protocol === 'https:' || isLoopback(api)
      ? []
      : [error('bad-value', [...at, 'api'], 'the key would be sent unencrypted: https')]),
  ],
  traits: (cluster) => ({
    jobsRunHere: false,
    buildsChange: false,
    leavesOut: [],
    launcher: launcherOf(cluster),
    secretVariables: [cluster.keyFrom],
    scriptCalls: null,
    machines: null,
    warnings: [
      'an instance whose job was stopped stays on the account, and its disk is billed until a person destroys it: look there after each `/stop`',
    ],
  }),
  load: () => import('./engine.ts'),
};

function isLoopback(address: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(address).hostname);
}

/** All that decides what is rented, for how much and how long: it is approved with the manifest. */
function launcherOf(cluster: VastCluster): string {
  const { api, fleet, image, gpu, gpus, vramGb, ramGb, diskGb } = cluster;
  const { reliability, dollarsPerHourMax, hoursMax, endGraceMinutes } = cluster;
  return JSON.stringify({
    ...{ api, fleet, image, gpu, gpus, vramGb, ramGb, diskGb },
    ...{ reliability, dollarsPerHourMax, hoursMax, endGraceMinutes },
  });
}
