/** The engine `vast`: machines rented on Vast.ai, one for each job. */

import type { BeyondCap, MachineNeeds } from '../../domain/launch/machine-needs.ts';
import type { RentalTerms } from '../../domain/launch/rental-terms.ts';
import { error } from '../../settings/problem.ts';
import type { EngineDefinition } from '../definition.ts';
import { labelOf } from './label.ts';
import { type VastCluster, vastSchema } from './schema.ts';

/** What a run may have less of, and not more. */
const CAPS = ['dollarsPerHourMax', 'dollarsMax', 'hoursMax', 'endGraceMinutes'] as const;

export const vastEngine: EngineDefinition<typeof vastSchema> = {
  schema: vastSchema,
  configIssues: (at, { api, reliability, dollarsPerHourMax, dollarsMax }) => [
    ...(Number(reliability) > 1
      ? [error('bad-value', [...at, 'reliability'], 'is a share between "0" and "1"')]
      : []),
    ...(Number(dollarsPerHourMax) === 0
      ? [error('bad-value', [...at, 'dollarsPerHourMax'], 'no machine costs nothing')]
      : []),
    ...(Number(dollarsMax) === 0
      ? [error('bad-value', [...at, 'dollarsMax'], 'no machine costs nothing')]
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
    image: cluster.image,
    secretVariables: [cluster.keyFrom],
    machines: null,
    warnings: [
      'that an instance may destroy itself with the key which Vast.ai gives it stands in no document, and was tried on a rehearsed server alone. It is tried with one paid hour: set `endGraceMinutes: 1`, launch a job that ends at once, end the watch before it has, and look in the console whether the instance is gone two minutes later. Until then only the watch ends a rental',
    ],
    rental: termsOf(cluster),
    rentedName: labelOf(cluster, ''),
  }),
  fit: fitVast,
  load: () => import('./engine.ts'),
};

function isLoopback(address: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(address).hostname);
}

function termsOf(cluster: VastCluster): RentalTerms {
  const { dollarsPerHourMax, dollarsMax, dollarsPerDayMax, dollarsPerMonthMax } = cluster;
  const { hoursMax, startMinutesMax, idleMinutesMax, endGraceMinutes: endMinutesMax, keepHoursMax } = cluster;
  return {
    ...{ dollarsPerHourMax, dollarsMax, dollarsPerDayMax, dollarsPerMonthMax },
    ...{ hoursMax, startMinutesMax, idleMinutesMax, endMinutesMax, keepHoursMax },
  };
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

/** Above a cap it is the cap's: what is judged beside this holds the launch back, and what is rented is within it all the same. */
function fitVast(
  cluster: VastCluster,
  needs: MachineNeeds,
): { readonly cluster: VastCluster; readonly beyond: readonly BeyondCap[] } {
  const beyond = CAPS.flatMap((what) => {
    const [asked, most] = [needs[what], cluster[what]];
    return asked !== undefined && Number(asked) > Number(most)
      ? [{ what, asked: String(asked), most: String(most) }]
      : [];
  });
  const within = Object.fromEntries(beyond.map(({ what }) => [what, cluster[what]]));
  const fitted = { ...cluster, ...needs, ...within };
  const hours = fitted.hoursMax * fitted.gpus;
  return {
    cluster: { ...fitted, acceleratorHoursPerRun: String(hours), accelerators: fitted.gpus },
    beyond,
  };
}
