/** The engine `vast`: machines rented on Vast.ai, one for each job. */

import { z } from 'zod';
import type { BeyondCap, MachineNeeds } from '../../domain/launch/contract.ts';
import type { RentalTerms } from '../../domain/launch/manifest.ts';
import { error } from '../../settings/problem.ts';
import { amount, name, orNull, setting, variable, word } from '../../settings/words.ts';
import { CLUSTER_KEYS, type EngineDefinition, timeoutMs } from '../definition.ts';

/** The label of a job's instance: our fleet, and the id under which the job runs once. */
export function instanceLabel({ fleet }: Pick<VastCluster, 'fleet'>, jobId: string): string {
  return `ferrybot:${fleet}:${jobId}`;
}

const gigabytes = (about: string, max: number): z.ZodDefault<z.ZodInt> =>
  setting(z.int().min(1).max(max), 1, `${about}, in GB, at least.`);

const minutes = (standard: number): z.ZodDefault<z.ZodInt> =>
  z
    .int()
    .min(1)
    .max(24 * 60)
    .default(standard);

export const vastSchema = z.strictObject({
  engine: z.literal('vast').describe('Machines rented on Vast.ai, one for each job, over its REST API.'),
  api: setting(
    z.url({ protocol: /^https?$/, error: 'an address such as https://console.vast.ai' }).max(300),
    'https://console.vast.ai',
    'Address of the API.',
  ),
  keyFrom: setting(
    variable,
    'VAST_API_KEY',
    'Runner environment variable with the key of the account. No job gets it.',
  ),
  fleet: word.describe(
    'Part of the label of every instance of this cluster. ferrybot never changes an instance without it. No other cluster and no other lab on the account may use the same value.',
  ),
  image: z
    .string()
    .max(500)
    .regex(/^[a-z0-9][\w./:-]*@sha256:[0-9a-f]{64}$/, 'a name with its digest, such as pytorch/pytorch@sha256:…')
    .describe('Image of the jobs, by its digest; it needs bash, tar, base64, and curl or python3.'),
  gpu: name.describe('Name of the card as Vast.ai writes it, such as RTX 4090.'),
  gpus: setting(z.int().min(1).max(64), 1, 'Cards of one machine, exactly.'),
  vramGb: gigabytes('Memory of one card', 1_000),
  ramGb: gigabytes('Memory of the machine', 10_000),
  diskGb: setting(z.int().min(8).max(100_000), 32, 'Disk that is rented with it, in GB.'),
  reliability: setting(amount, '0.98', 'Reliability of the machine by Vast.ai’s own count, at least.'),
  dollarsPerHourMax: amount.describe('No machine is rented that costs more in an hour, its disk included.'),
  dollarsMax: amount.describe('Maximum cost of one run, all its machines together; at this cost they are destroyed.'),
  dollarsPerDayMax: orNull(
    amount,
    'Budget per day, in UTC. A run is launched only if its `dollarsMax` fits into the rest of it; a run that still rents counts with its own `dollarsMax`. `null`: no budget.',
  ),
  dollarsPerMonthMax: orNull(amount, 'The same for one month.'),
  hoursMax: z
    .int()
    .min(1)
    .max(24 * 60)
    .describe('After so many hours an instance destroys itself, even without a watch.'),
  startMinutesMax: minutes(45).describe(
    'An instance is destroyed if its job makes no step within so many minutes, which include image, data and compilation.',
  ),
  idleMinutesMax: minutes(30).describe(
    'An instance is destroyed before no step of its job has moved for so long, also one that is stopped or frozen: the longest eval or save has to fit.',
  ),
  keepHoursMax: setting(
    z
      .int()
      .min(0)
      .max(24 * 60),
    12,
    'So long `/keep` can keep an instance; never past `hoursMax` or `dollarsMax`. 0: not at all.',
  ),
  endGraceMinutes: setting(
    z
      .int()
      .min(1)
      .max(24 * 60),
    60,
    'So many minutes after the end of its job an instance destroys itself, even without a watch; the watch destroys it earlier, once it has read the log. `/keep` cannot exceed this.',
  ),
  requestTimeoutMs: timeoutMs('one request to the API'),
  ...CLUSTER_KEYS,
});

export type VastCluster = z.infer<typeof vastSchema>;

/** Limits that a run may lower, but not raise. */
const CAPS = ['dollarsPerHourMax', 'dollarsMax', 'hoursMax', 'endGraceMinutes'] as const;

export const vastEngine: EngineDefinition<typeof vastSchema> = {
  schema: vastSchema,
  configIssues: (at, { api, reliability, dollarsPerHourMax, dollarsMax }) => [
    ...(Number(reliability) > 1 ? [error('bad-value', [...at, 'reliability'], 'is a share between "0" and "1"')] : []),
    ...(Number(dollarsPerHourMax) === 0
      ? [error('bad-value', [...at, 'dollarsPerHourMax'], 'no machine costs nothing')]
      : []),
    ...(Number(dollarsMax) === 0 ? [error('bad-value', [...at, 'dollarsMax'], 'no machine costs nothing')] : []),
    ...(new URL(api).protocol === 'https:' || isLoopback(api)
      ? []
      : [error('bad-value', [...at, 'api'], 'the key would be sent unencrypted: https')]),
  ],
  traits: (cluster) => ({
    jobsRunHere: false,
    buildsChange: false,
    leavesOut: [],
    launcher: describeLauncher(cluster),
    image: cluster.image,
    secretVariables: [cluster.keyFrom],
    machines: null,
    rental: rentalTermsOf(cluster),
    rentedName: instanceLabel(cluster, ''),
  }),
  fit: fitClusterToNeeds,
};

function isLoopback(address: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(address).hostname);
}

function rentalTermsOf(cluster: VastCluster): RentalTerms {
  const { dollarsPerHourMax, dollarsMax, dollarsPerDayMax, dollarsPerMonthMax } = cluster;
  const { hoursMax, startMinutesMax, idleMinutesMax, endGraceMinutes: endMinutesMax, keepHoursMax } = cluster;
  return {
    ...{ dollarsPerHourMax, dollarsMax, dollarsPerDayMax, dollarsPerMonthMax },
    ...{ hoursMax, startMinutesMax, idleMinutesMax, endMinutesMax, keepHoursMax },
  };
}

/** Everything that decides what is rented, at which price and for how long. It is approved with the manifest. */
function describeLauncher(cluster: VastCluster): string {
  const { api, fleet, image, gpu, gpus, vramGb, ramGb, diskGb } = cluster;
  const { reliability, dollarsPerHourMax, hoursMax, endGraceMinutes } = cluster;
  return JSON.stringify({
    ...{ api, fleet, image, gpu, gpus, vramGb, ramGb, diskGb },
    ...{ reliability, dollarsPerHourMax, hoursMax, endGraceMinutes },
  });
}

/** A need above a cap gets the value of the cap. `beyond` holds the launch, and a rental would still respect the cap. */
function fitClusterToNeeds(
  cluster: VastCluster,
  needs: MachineNeeds,
): { readonly cluster: VastCluster; readonly exceededCaps: readonly BeyondCap[] } {
  const beyond = CAPS.flatMap((what) => {
    const [asked, most] = [needs[what], cluster[what]];
    return asked !== undefined && Number(asked) > Number(most)
      ? [{ need: what, requested: String(asked), limit: String(most) }]
      : [];
  });
  const within = Object.fromEntries(beyond.map(({ need }) => [need, cluster[need]]));
  const fitted = { ...cluster, ...needs, ...within };
  const hours = fitted.hoursMax * fitted.gpus;
  return {
    cluster: { ...fitted, acceleratorHoursPerRun: String(hours), accelerators: fitted.gpus },
    exceededCaps: beyond,
  };
}
