/** The settings of a cluster of the engine `vast`: the account, what is rented on it, and what it may cost. */

import { z } from 'zod';
import { amount, name, variable, word } from '../../settings/words.ts';
import { CLUSTER_KEYS } from '../cluster-keys.ts';

const gigabytes = (about: string, max: number): z.ZodDefault<z.ZodInt> =>
  z.int().min(1).max(max).default(1).describe(`${about}, in GB, at least.`);

export const vastSchema = z.strictObject({
  engine: z.literal('vast').describe('Machines rented on Vast.ai, one for each job, over its REST API.'),
  api: z
    .url({ protocol: /^https?$/, error: 'an address such as https://console.vast.ai' })
    .max(300)
    .default('https://console.vast.ai')
    .describe('Address of the API.'),
  keyFrom: variable
    .default('VAST_API_KEY')
    .describe('Runner environment variable with the key of the account. No job gets it.'),
  fleet: word.describe(
    'Stands in the label of every instance of this cluster: what has it is ours, and anything else on the account is never touched. No other lab on the account may have it too.',
  ),
  image: z
    .string()
    .max(500)
    .regex(
      /^[a-z0-9][\w./:-]*@sha256:[0-9a-f]{64}$/,
      'a name with its digest, such as pytorch/pytorch@sha256:…',
    )
    .describe('Image of the jobs, by its digest; it needs bash, tar, base64, and curl or python3.'),
  gpu: name.describe('Name of the card as Vast.ai writes it, such as RTX 4090.'),
  gpus: z.int().min(1).max(64).default(1).describe('Cards of one machine, exactly.'),
  vramGb: gigabytes('Memory of one card', 1_000),
  ramGb: gigabytes('Memory of the machine', 10_000),
  diskGb: z.int().min(8).max(100_000).default(32).describe('Disk that is rented with it, in GB.'),
  reliability: amount
    .default('0.98')
    .describe('Reliability of the machine by Vast.ai’s own count, at least.'),
  dollarsPerHourMax: amount.describe('No machine is rented that costs more in an hour, its disk included.'),
  hoursMax: z
    .int()
    .min(1)
    .max(24 * 60)
    .describe('After so many hours an instance destroys itself, whoever watches or not.'),
  endGraceMinutes: z
    .int()
    .min(1)
    .max(24 * 60)
    .default(10)
    .describe(
      'An instance whose job has ended destroys itself after so many minutes, in which its log is read.',
    ),
  stoppedAreDestroyedBy: z
    .literal('a person')
    .describe(
      'An instance whose job was stopped stays on the account, and its disk is billed until somebody destroys it. ferrybot does not do that yet: this says who does.',
    ),
  requestTimeoutMs: z
    .int()
    .min(1_000)
    .max(600_000)
    .default(30_000)
    .describe('How long one request to the API may take.'),
  ...CLUSTER_KEYS,
});

export type VastCluster = z.infer<typeof vastSchema>;
