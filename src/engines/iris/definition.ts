/** The engine `iris`: jobs of an Iris cluster, over the RPC of its controller. */

import { z } from 'zod';
import {
  type ConfigIssue,
  checkArguments,
  checkReservedName,
  checkWrittenSecret,
  type KeyPath,
  warning,
} from '../../settings/problem.ts';
import { argumentArray, orNull, setting, variable } from '../../settings/words.ts';
import { CLUSTER_KEYS, type EngineDefinition, place, timeoutMs } from '../definition.ts';

const word = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits and . _ -, not - first');

const retries = (about: string): z.ZodDefault<z.ZodInt> =>
  setting(
    z.int().min(0).max(1_000),
    0,
    `How often Iris itself may restart the job ${about}; the watch reports such a restart of the same attempt. Part of the manifest.`,
  );

const device = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('gpu').describe('GPUs.'),
    variant: word.describe('Such as H100.'),
    count: z.int().min(1).max(1_000).describe('How many.'),
  }),
  z.strictObject({ kind: z.literal('tpu').describe('A TPU.'), variant: word.describe('Such as v5p-8.') }),
]);

export const irisSchema = z.strictObject({
  engine: z.literal('iris').describe('Jobs of an Iris cluster, over the RPC of its controller.'),
  controller: z
    .url({ protocol: /^https?$/, error: 'an address such as http://10.0.0.2:10000' })
    .max(300)
    .describe('Address of the controller.'),
  tokenFrom: setting(
    variable.nullable(),
    'IRIS_TOKEN',
    'Runner environment variable with an API key of the controller; a login of the same user would revoke other logins. Null: none is sent, and `ferrybot doctor` explains the risk of a controller without authentication.',
  ),
  tokenCommands: setting(
    z.record(z.string().regex(/^[A-Z][A-Za-z-]{1,60}$/, 'the name of a header'), argumentArray),
    {},
    'Further headers and for each the command whose output is its bearer token, such as `Proxy-Authorization: [gcloud, auth, print-identity-token]` for an identity-aware proxy. Each runs on the runner, every 20 minutes, with PATH, HOME, LANG, TMPDIR, CLOUDSDK_CONFIG and GOOGLE_APPLICATION_CREDENTIALS only.',
  ),
  user: word.describe('Owner of the jobs, `/<user>/<job>`: with authentication, the user of the API key.'),
  cpuMillicores: setting(z.int().min(1).max(10_000_000), 1_000, 'Thousandths of a core.'),
  memoryMb: setting(z.int().min(1).max(100_000_000), 2_048, 'Memory in MB.'),
  diskMb: setting(z.int().min(1).max(100_000_000), 5_120, 'Disk in MB.'),
  device: orNull(device, 'Accelerators of the job itself; null: none, as for a job that starts others.'),
  childDevice: orNull(device, 'Accelerators that the job it starts has to have; the watch reports others. null: any.'),
  targetCluster: orNull(word, 'The federated cluster to which the controller hands the job; null: its own.'),
  priority: orNull(
    z.enum(['system', 'production', 'interactive', 'batch']),
    'Priority of the job; null: as Iris decides.',
  ),
  extras: setting(z.array(word).max(20), [], 'Extras of the Python project that its environment gets.'),
  taskImage: orNull(
    z.string().regex(/^[\w./:@-]{1,300}$/, 'the name of an image'),
    'Image in which its tasks run; null: that of the cluster.',
  ),
  ports: setting(z.array(word).max(20), [], 'Names of ports that Iris reserves for it, each in `IRIS_PORT_<NAME>`.'),
  regions: setting(z.array(word).max(20), [], 'Regions of which it has to be one; none: any.'),
  preemptible: orNull(z.boolean(), 'Whether its worker may, or may not, be preemptible; null: either.'),
  setupCommands: setting(
    z.array(z.string().min(1).max(500)).max(20),
    [],
    'Shell lines that a worker runs before the command, such as `cd /app` and `uv sync --quiet`; everybody can read them.',
  ),
  secretFiles: setting(
    z.record(variable, place),
    {},
    'Where the workers have the secrets of `passSecrets`, each a file: its content becomes the variable when the job starts, and no value is ever sent. Iris shows the variables of a job to each administrator.',
  ),
  secretValues: setting(
    z.boolean(),
    false,
    'Whether the secrets of `passSecrets` without a file under `secretFiles` are sent as variables. Iris shows them to each administrator, and without authentication to everybody.',
  ),
  markers: orNull(
    place,
    'Folder on a POSIX file system that all workers share, where each start leaves a mark: a job that was launched twice starts once, even if the controller forgot the first launch. Null: only names and attempt numbers guard it.',
  ),
  maxRetriesPreemption: retries('after it lost a worker'),
  maxRetriesFailure: retries('after its command failed'),
  timeoutSeconds: orNull(
    z.int().min(60).max(10_000_000),
    'Time limit of a job, which Iris checks once a minute; null: none.',
  ),
  requestTimeoutMs: timeoutMs('one request to the controller'),
  ...CLUSTER_KEYS,
});

export type IrisCluster = z.infer<typeof irisSchema>;

export const irisEngine: EngineDefinition<typeof irisSchema> = {
  schema: irisSchema,
  configIssues,
  traits: (cluster) => ({
    jobsRunHere: false,
    buildsChange: false,
    leavesOut: [],
    launcher: describeLauncher(cluster),
    secretVariables: cluster.tokenFrom === null ? [] : [cluster.tokenFrom],
    machines: null,
  }),
};

function configIssues(at: KeyPath, cluster: IrisCluster): readonly ConfigIssue[] {
  const { tokenFrom, tokenCommands, controller, setupCommands, secretValues } = cluster;
  const { maxRetriesPreemption, maxRetriesFailure, markers } = cluster;
  return [
    ...(tokenFrom === null ? [] : checkReservedName([...at, 'tokenFrom'], tokenFrom)),
    ...checkWrittenSecret([...at, 'controller'], controller),
    ...checkArguments([...at, 'setupCommands'], setupCommands),
    ...Object.entries(tokenCommands).flatMap(([header, command]) =>
      checkArguments([...at, 'tokenCommands', header], command),
    ),
    ...(secretValues
      ? [warning('bad-value', [...at, 'secretValues'], 'each administrator of Iris can read these secrets')]
      : []),
    ...(maxRetriesPreemption + maxRetriesFailure > 0 && markers === null
      ? [
          warning(
            'bad-value',
            [...at, 'markers'],
            'without it nothing on the workers keeps two restarts of one job from running beside each other',
          ),
        ]
      : []),
  ];
}

/** Everything that decides where and how a job runs and how often Iris may start it, but not the controller's address. */
function describeLauncher(cluster: IrisCluster): string {
  const { user, cpuMillicores, memoryMb, diskMb, device, regions, preemptible } = cluster;
  const { setupCommands, secretFiles, markers, timeoutSeconds } = cluster;
  const { maxRetriesPreemption, maxRetriesFailure } = cluster;
  const { targetCluster, priority, extras, taskImage, ports, secretValues } = cluster;
  return JSON.stringify({
    ...{ user, cpuMillicores, memoryMb, diskMb, device, regions, preemptible },
    ...{ targetCluster, priority, extras, taskImage, ports, secretValues },
    ...{ setupCommands, secretFiles, markers, timeoutSeconds, maxRetriesPreemption, maxRetriesFailure },
  });
}
