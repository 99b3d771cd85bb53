/** The engine `ray`: jobs of a Ray cluster over its Jobs API. The lab's own script may submit them. */

import { z } from 'zod';
import { diskIssues, diskSchema, gcpKeys } from '../../settings/machines.ts';
import {
  type ConfigIssue,
  checkReservedName,
  checkWrittenSecret,
  error,
  type KeyPath,
  templateIssues,
} from '../../settings/problem.ts';
import { argumentArray, orNull, path, setting, variable } from '../../settings/words.ts';
import { CLUSTER_KEYS, type EngineDefinition, timeoutMs } from '../definition.ts';

const tunnel = z.strictObject({
  command: argumentArray.describe(
    'Argument array of a program that keeps the dashboard reachable as long as it runs; {cluster} is filled in.',
  ),
  startTimeoutMs: setting(
    z.int().min(1_000).max(300_000),
    60_000,
    'How long it may take until the dashboard answers through it.',
  ),
});

/** Marin's exclusions (marin-community/marin, lib/marin/src/marin/run/ray_run.py and lib/iris/src/iris/cluster/client/bundle.py). */
const MARIN_LEAVES_OUT = [
  'docs/',
  '*.pack',
  '*.mov',
  '*.pyc',
  '*.egg-info',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  'node_modules',
  '**/tests/snapshot*',
] as const;

const scripts = z.strictObject({
  python: argumentArray
    // rule AG-02
    .default(['uv', 'run', '--project', '{checkout}'])
    .describe(
      'The value of {python} in the templates below. `uv run --project` takes 8 to 20 s with a warm cache, and creates the environment first without one; [/opt/lab/.venv/bin/python] names a permanent environment.',
    ),
  pythonWithoutUv: setting(
    argumentArray.nullable(),
    ['{checkout}/.venv/bin/python'],
    "The value of {python} if the program of `python` cannot be started; null: none. Marin's scripts start ray and uv by name: install both next to the chosen program, whose folder is first in their PATH, or on the PATH of the runner.",
  ),
  submit: setting(
    argumentArray,
    [
      '{python}',
      '{checkout}/lib/marin/src/marin/run/ray_run.py',
      '--no_wait',
      '--cluster',
      '{clusterFile}',
      '--submission-id',
      '{submissionId}',
      '{environment}',
      '--',
      '{command}',
    ],
    'Submits a job, started in the root of the shipped files; {clusterFile}, {submissionId}, {checkout}; as whole arguments {python}, {environment}, {command}.',
  ),
  clusterFile: setting(
    path,
    'infra/marin-{cluster}.yaml',
    'File of the default branch that describes the cluster; its absolute path is the value of {clusterFile}, because a name would be searched in the files of the change; {cluster}.',
  ),
  leavesOut: setting(
    z.array(z.string().min(1).max(200)).max(100),
    [...MARIN_LEAVES_OUT],
    'Patterns, as in a .gitignore, of what the submit script leaves out of what it ships: nothing is launched while they name an approved file.',
  ),
  ignoreFiles: setting(
    z.array(z.string().regex(/^\.[\w.-]+$/, 'a name such as .rayignore')).max(5),
    ['.rayignore'],
    'Files with patterns of further files to leave out. ferrybot makes Ray ignore .gitignore (RAY_RUNTIME_ENV_IGNORE_GITIGNORE, since Ray 2.4); add .gitignore if the script itself uses it.',
  ),
  environment: setting(
    argumentArray,
    ['-e', '{name}={value}'],
    'The value of {environment}, repeated for each variable of the job; {name} and {value}. A ray_run.py from before February 2026 needs [-e, "{name}", "{value}"].',
  ),
  readsVariables: setting(
    z.array(variable).max(20),
    ['HF_TOKEN', 'WANDB_API_KEY'],
    'Variables that the submit script hands on from its own environment: no other process of the machine sees them.',
  ),
  checkout: orNull(
    z.array(path).min(1).max(20),
    'Folders of the default branch in {checkout}, never of the change; null: all.',
  ),
  timeoutMs: setting(z.int().min(1_000).max(1_800_000), 300_000, 'How long one call of a script may take.'),
});

export const raySchema = z.strictObject({
  engine: z.literal('ray').describe('Jobs of a Ray cluster.'),
  dashboard: z
    .url({ protocol: /^https?$/, error: 'an address such as http://10.0.0.2:8265' })
    .max(300)
    .describe('Address of the dashboard with the Jobs API; with a tunnel: the address of its near end.'),
  tokenFrom: setting(
    variable.nullable(),
    'RAY_AUTH_TOKEN',
    'Runner environment variable with the token of the dashboard; scripts get it as RAY_AUTH_TOKEN, and as the file .ray/auth_token of their private home, which RAY_AUTH_TOKEN_PATH names; null: none is sent.',
  ),
  requestTimeoutMs: timeoutMs('one request to the dashboard'),
  passVariables: setting(
    z.array(variable).max(20),
    [],
    'Names of runner environment variables that scripts and tunnel get, such as UV_CACHE_DIR.',
  ),
  homeFiles: setting(
    z.record(path, variable),
    {},
    'Files in the private home of scripts and tunnel, each with the content of a runner environment variable, such as .ssh/cluster.pem: CLUSTER_KEY.',
  ),
  tunnel: orNull(tunnel, 'One tunnel for all calls to this cluster; null: the dashboard is reachable without one.'),
  scripts: orNull(scripts, 'The scripts that submit; null: the Jobs API does, with the shipped tree as a package.'),
  disk: orNull(diskSchema, "Maintenance of the disks of the cluster's TPU workers; null: none."),
  ...gcpKeys,
  ...CLUSTER_KEYS,
});

export type RayCluster = z.infer<typeof raySchema>;

type Rule = (at: KeyPath, cluster: RayCluster) => readonly ConfigIssue[];

/** The placeholders that each template may contain, and those that it must contain. */
const EVERYWHERE = ['cluster', 'clusterFile', 'checkout'] as const;
const TEMPLATES = [
  { key: 'python', may: EVERYWHERE, must: [] },
  { key: 'pythonWithoutUv', may: EVERYWHERE, must: [] },
  {
    key: 'submit',
    may: ['clusterFile', 'checkout', 'python', 'submissionId', 'environment', 'command'],
    must: ['submissionId', 'environment', 'command'],
  },
  { key: 'environment', may: ['name', 'value'], must: ['name', 'value'] },
] as const;

const templatesHavePlaceholders: Rule = (at, { scripts, tunnel }) => [
  ...TEMPLATES.flatMap(({ key, may, must }) => {
    const template = scripts?.[key] ?? null;
    return template === null ? [] : templateIssues([...at, 'scripts', key], template, may, must);
  }),
  ...(tunnel === null ? [] : templateIssues([...at, 'tunnel', 'command'], tunnel.command, ['cluster'], [])),
];

const ferrybotSecretsAreNotPassed: Rule = (at, cluster) => [
  ...(cluster.tokenFrom === null ? [] : checkReservedName([...at, 'tokenFrom'], cluster.tokenFrom)),
  ...cluster.passVariables.flatMap((name, index) => checkReservedName([...at, 'passVariables', index], name)),
  ...Object.entries(cluster.homeFiles).flatMap(([file, name]) => checkReservedName([...at, 'homeFiles', file], name)),
];

const secretsAreNotInTheConfig: Rule = (at, { dashboard, scripts, tunnel }) => [
  ...checkWrittenSecret([...at, 'dashboard'], dashboard),
  ...(tunnel?.command ?? []).flatMap((text, index) => checkWrittenSecret([...at, 'tunnel', 'command', index], text)),
  ...TEMPLATES.flatMap(({ key }) =>
    (scripts?.[key] ?? []).flatMap((text, index) => checkWrittenSecret([...at, 'scripts', key, index], text)),
  ),
];

/** The script starts in the shipped files and has the token. A relative program there would be a file of the change. */
const programsComeFromTheDefaultBranch: Rule = (at, { scripts }) =>
  (['python', 'pythonWithoutUv', 'submit'] as const).flatMap((key) => {
    const program = scripts?.[key]?.[0] ?? '';
    return !program.includes('/') || /^(?:\/|\{checkout\}\/)/.test(program)
      ? []
      : [
          error(
            'program-of-the-change',
            [...at, 'scripts', key, 0],
            'is looked for in the files of the change: name it from / or from {checkout}/',
          ),
        ];
  });

/** The launcher's checkout contains only what `checkout` names. A file outside it would be missing at each launch. */
const clusterFileIsCheckedOut: Rule = (at, { scripts }) => {
  if (scripts === null || scripts.checkout === null) return [];
  const { checkout, clusterFile, submit } = scripts;
  const isThere = checkout.some((path) => clusterFile === path || clusterFile.startsWith(`${path}/`));
  return isThere || !submit.some((part) => part.includes('{clusterFile}'))
    ? []
    : [
        error(
          'cluster-file-missing',
          [...at, 'scripts', 'clusterFile'],
          'is not among the files of the default branch that `checkout` names',
        ),
      ];
};

/** Problems of one Ray cluster that the schema cannot express. */
export function listRayIssues(at: KeyPath, cluster: RayCluster): readonly ConfigIssue[] {
  return RULES.flatMap((rule) => rule(at, cluster));
}

const RULES: readonly Rule[] = [
  templatesHavePlaceholders,
  programsComeFromTheDefaultBranch,
  clusterFileIsCheckedOut,
  ferrybotSecretsAreNotPassed,
  secretsAreNotInTheConfig,
  (at, { disk, gcp }) => diskIssues([...at, 'disk'], disk, gcp !== null),
];

export const rayEngine: EngineDefinition<typeof raySchema> = {
  schema: raySchema,
  configIssues: listRayIssues,
  traits: (cluster) => ({
    jobsRunHere: false,
    // A script may resolve and build the files that it ships (`uv export`). The Jobs API builds nothing before the job.
    buildsChange: cluster.scripts !== null,
    leavesOut: cluster.scripts?.leavesOut ?? [],
    launcher: describeLauncher(cluster),
    secretVariables: [...(cluster.tokenFrom === null ? [] : [cluster.tokenFrom]), ...Object.values(cluster.homeFiles)],
    machines: { gcp: cluster.gcp, badNodes: cluster.badNodes, disk: cluster.disk },
  }),
};

function describeLauncher({ scripts }: RayCluster): string {
  if (scripts === null) return 'rest';
  const { python, submit, environment, clusterFile } = scripts;
  return JSON.stringify({ python, submit, environment, clusterFile });
}
