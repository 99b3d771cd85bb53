/** Runs one workflow with act, without a container, and reports the result in the form of our runner. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { Job, RunPlan } from '../../actions/state-actions.ts';
import { TOOLS } from '../support/outside-tools.ts';

/**
 * The result of a run. `jobs`: key to result, without skipped jobs; `steps`: the steps that ran in each job, with their
 * results; `outputs`: the outputs of each job by name; `lines`: the printed lines, in order.
 */
export type ActReport = {
  readonly jobs: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, readonly string[]>>;
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly lines: readonly string[];
  readonly summary: string;
};

export type ActRun = {
  /** Files of the repository, with the workflow. */
  readonly files: Readonly<Record<string, string>>;
  /** Path of the workflow in the repository. */
  readonly workflow: string;
  readonly event: string;
  readonly payload: object;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  /** Set in every step; overrides act's own values. */
  readonly env: Readonly<Record<string, string>>;
  /** `owner/name` to the folder that replaces it at each of the commits. */
  readonly standIns: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
  /** Folders with programs, searched before the system's. */
  readonly programs?: readonly string[];
};

const TIMEOUT_MS = 100_000;
const LABELS = ['ubuntu-latest', 'self-hosted'];
const entry = z.looseObject({
  msg: z.string().default(''),
  jobID: z.string().optional(),
  jobResult: z.string().optional(),
  raw_output: z.boolean().default(false),
  stage: z.string().optional(),
  step: z.string().optional(),
  stepResult: z.string().optional(),
  command: z.string().optional(),
  name: z.string().optional(),
  arg: z.string().optional(),
  content: z.string().optional(),
});

/** act 0.2.89 rejects this key of GitHub's, which only decides whether GitHub lists a deployment. */
export function withoutDeployment(text: string): string {
  return text
    .replaceAll(/environment: \{ ?name: ([\w-]+), deployment: false ?\}/g, 'environment: $1')
    .replaceAll(/environment:\n\s+name: ([\w-]+)\n\s+deployment: false\n/g, 'environment: $1\n');
}

/** `folder` belongs to this run: it contains the repository, act's home and its cache. */
export async function runAct(folder: string, run: ActRun): Promise<ActReport> {
  const root = await mkdtemp(join(folder, 'act-'));
  const repository = join(root, 'repository');
  for (const [path, text] of Object.entries(run.files)) {
    await mkdir(dirname(join(repository, path)), { recursive: true });
    await writeFile(join(repository, path), withoutDeployment(text));
  }
  await makeRepository(repository);
  const event = join(root, 'event.json');
  await writeFile(event, JSON.stringify(run.payload));
  const pairs = (flag: string, values: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
  const result = await execa(
    TOOLS.act,
    [
      run.event,
      ...['-W', run.workflow, '-e', event, '--json', '--action-offline-mode'],
      ...LABELS.flatMap((label) => ['-P', `${label}=-self-hosted`]),
      ...pairs('-s', run.secrets),
      ...pairs('--var', run.vars),
      ...pairs('--env', run.env),
      ...standInArguments(run),
    ],
    {
      cwd: repository,
      // The Node of this project runs the actions, not the one on the PATH.
      env: {
        HOME: root,
        PATH: [dirname(process.execPath), ...(run.programs ?? []), '/usr/bin', '/bin'].join(':'),
        LANG: 'C.UTF-8',
      },
      extendEnv: false,
      reject: false,
      timeout: TIMEOUT_MS,
    },
  );
  const parsed = parseOutput(result.stdout);
  if (Object.keys(parsed.jobs).length === 0) throw new Error(`act ran no job: ${result.stderr || result.stdout}`);
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
  return parsed;
}

async function makeRepository(repository: string): Promise<void> {
  const git = (...args: readonly string[]): Promise<unknown> => execa('git', ['-C', repository, ...args]);
  await execa('git', ['init', '--quiet', '--initial-branch=main', repository]);
  await git('add', '--all');
  await git('-c', 'user.name=Lab', '-c', 'user.email=lab@lab.example', 'commit', '--quiet', '--message=All');
  await git('remote', 'add', 'origin', 'http://127.0.0.1:9/lab/model.git');
}

/** act requires each commit by name. */
function standInArguments({ standIns, commits }: ActRun): readonly string[] {
  return Object.entries(standIns).flatMap(([name, directory]) =>
    commits.flatMap((commit) => ['--local-repository', `${name}@${commit}=${directory}`]),
  );
}

function parseOutput(output: string): ActReport {
  const entries = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => entry.parse(JSON.parse(line)));
  return {
    jobs: Object.fromEntries(
      entries.flatMap(({ jobID, jobResult }) =>
        jobID === undefined || jobResult === undefined ? [] : [[jobID, jobResult]],
      ),
    ),
    steps: groupByJob(entries, ({ stage, step, stepResult }) =>
      stage === 'Main' && step !== undefined && stepResult !== undefined ? `${step}: ${stepResult}` : null,
    ),
    // act prints a step's outputs at its end; our runner returns the outputs of the job, which have the same names.
    outputs: Object.fromEntries(
      Object.entries(
        groupByJob(entries, ({ command, name, arg = '' }) =>
          command === 'set-output' && name !== undefined && arg !== '' ? ([name, arg] as const) : null,
        ),
      ).map(([job, pairs]) => [job, Object.fromEntries(pairs)]),
    ),
    lines: entries.flatMap((one) => (one.raw_output ? [one.msg.replace(/\r?\n$/, '')] : [])),
    summary: entries.flatMap((one) => (one.command === 'summary' ? [one.content ?? ''] : [])).join(''),
  };
}

type Entry = z.output<typeof entry>;

function groupByJob<T>(entries: readonly Entry[], pick: (one: Entry) => T | null): Record<string, T[]> {
  const jobs: Record<string, T[]> = {};
  for (const one of entries) {
    const picked = pick(one);
    if (picked === null || one.jobID === undefined) continue;
    jobs[one.jobID] = [...(jobs[one.jobID] ?? []), picked];
  }
  return jobs;
}

/** Steps and outputs on our runner, in act's form: without the steps that the runner adds around a job. */
export function detailsOfOurRunner(
  ran: readonly Job[],
  plan: RunPlan | undefined,
): Pick<ActReport, 'steps' | 'outputs'> {
  const own = /^(?:Set up job|Complete job|Pre Run .*|Post Run .*)$/;
  const keyOf = ({ key }: { readonly key: string }): string => key.split('/').at(-1) ?? '';
  return {
    steps: Object.fromEntries(
      ran.map((job) => [
        keyOf(job),
        job.steps
          .filter(({ name, conclusion }) => !own.test(name) && conclusion !== 'skipped')
          .map(({ name, conclusion }) => `${name.replace(/^Run /, '')}: ${conclusion}`),
      ]),
    ),
    outputs: Object.fromEntries(
      ran.flatMap((job) => {
        const outputs = plan?.nodes.find(({ key }) => key === job.key)?.outputs ?? {};
        return Object.keys(outputs).length === 0 ? [] : [[keyOf(job), outputs]];
      }),
    ),
  };
}
