/** The settings of a cluster of the engine `ray`: where its Jobs API is, and the lab's own scripts that submit to it. */

import { z } from 'zod';
import { diskSchema } from '../../settings/disk-schema.ts';
import { gcpKeys } from '../../settings/gcp-schema.ts';
import { argumentArray, path, setting, unset, variable } from '../../settings/words.ts';
import { CLUSTER_KEYS } from '../cluster-keys.ts';

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

/** Marin's entry points (reference: marin-community/marin, lib/marin/src/marin/run/ray_run.py and scripts/ray/cluster.py). */
const CLUSTER_PY = ['{python}', '{checkout}/scripts/ray/cluster.py', '--cluster', '{cluster}'];

/** What its ray_run.py leaves out, itself and through iris (lib/iris/src/iris/cluster/client/bundle.py). */
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
      'What {python} stands for in the templates below. A call through `uv run --project` takes 8 to 20 s with a warm cache, and first makes the environment where none is kept: a watch needs a dashboard, or a kept environment such as [/opt/lab/.venv/bin/python].',
    ),
  pythonWithoutUv: setting(
    argumentArray.nullable(),
    ['{checkout}/.venv/bin/python'],
    "What {python} stands for where the program of `python` cannot be started at all; null: nothing. Marin's scripts start ray and uv by name: both have to lie beside the chosen program, whose folder stands first in their PATH, or on the PATH of the runner.",
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
    'Submits a job, started in the root of the shipped files; {clusterFile}, {submissionId}, {checkout}; alone in their place {python}, {environment}, {command}.',
  ),
  clusterFile: setting(
    path,
    'infra/marin-{cluster}.yaml',
    "File of the default branch that says where the cluster is, for {clusterFile}, which becomes its absolute path: a name would be looked up in the change's files; {cluster}.",
  ),
  leavesOut: setting(
    z.array(z.string().min(1).max(200)).max(100),
    [...MARIN_LEAVES_OUT],
    'Patterns, as in a .gitignore, of what the submit script leaves out of what it ships: nothing is launched while they name an approved file.',
  ),
  ignoreFiles: setting(
    z.array(z.string().regex(/^\.[\w.-]+$/, 'a name such as .rayignore')).max(5),
    ['.rayignore'],
    'Files whose patterns name what is left out as well. Ray is told to heed no .gitignore (RAY_RUNTIME_ENV_IGNORE_GITIGNORE, since Ray 2.4); add .gitignore where the script heeds it itself.',
  ),
  environment: setting(
    argumentArray,
    ['-e', '{name}={value}'],
    'What {environment} stands for, once for each variable of the job; {name} and {value}. A ray_run.py of before February 2026 wants [-e, "{name}", "{value}"].',
  ),
  readsVariables: setting(
    z.array(variable).max(20),
    ['HF_TOKEN', 'WANDB_API_KEY'],
    'Variables that the submit script hands on from its own environment: no other process of the machine sees them.',
  ),
  list: setting(
    argumentArray,
    [...CLUSTER_PY, 'list-jobs'],
    'Prints the jobs of the cluster as JSON; {cluster}, {checkout}, {python}.',
  ),
  logs: setting(
    argumentArray,
    [...CLUSTER_PY, 'job-logs', '-n', '{lines}', '{jobId}'],
    'Prints the last {lines} lines of the log of {jobId}; {cluster}, {checkout}, {python}.',
  ),
  stop: setting(
    argumentArray,
    [...CLUSTER_PY, 'stop-job', '{jobId}'],
    'Asks {jobId} to stop; {cluster}, {checkout}, {python}.',
  ),
  checkout: unset(
    z.array(path).min(1).max(20),
    'What of the default branch lies in {checkout}, never of the change that is launched; null: all of it.',
  ),
  timeoutMs: setting(z.int().min(1_000).max(1_800_000), 300_000, 'How long one call of a script may take.'),
});

export const raySchema = z.strictObject({
  engine: z.literal('ray').describe('Jobs of a Ray cluster.'),
  dashboard: unset(
    z.url({ protocol: /^https?$/, error: 'an address such as http://10.0.0.2:8265' }).max(300),
    'Address of the dashboard with the Jobs API, preferred for observing; null: the scripts alone.',
  ),
  tokenFrom: setting(
    variable.nullable(),
    'RAY_AUTH_TOKEN',
    'Runner environment variable with the token of the dashboard; scripts get it as RAY_AUTH_TOKEN, and as the file .ray/auth_token of their private home, which RAY_AUTH_TOKEN_PATH names; null: none is sent.',
  ),
  requestTimeoutMs: setting(
    z.int().min(1_000).max(600_000),
    30_000,
    'How long one request to the dashboard may take.',
  ),
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
  tunnel: unset(
    tunnel,
    'One tunnel for all calls to this cluster; null: the dashboard is reachable without one.',
  ),
  scripts: unset(
    scripts,
    'The scripts that submit; null: the Jobs API does, with the shipped tree as a package.',
  ),
  disk: unset(diskSchema, "Care of the disks of the cluster's TPU workers; null: nobody looks after them."),
  ...gcpKeys,
  ...CLUSTER_KEYS,
});

export type RayCluster = z.infer<typeof raySchema>;
