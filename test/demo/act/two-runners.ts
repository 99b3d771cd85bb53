/**
 * Runs one workflow of a lab with the playground's runner or with act, against the same playground, with
 * comparable results.
 */

import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mintInstallationToken } from '../../../packages/playground/identity/tokens.ts';
import {
  type ActReport,
  detailsOfOurRunner,
  runAct,
  withoutDeployment,
} from '../../../packages/playground/test/act/run-act.ts';
import type { BundleWorld } from '../../trust/bundle-world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = '.github/workflows';
/** The workflows of a lab. */
export const LAB_WORKFLOWS = join(ROOT, 'fixtures/lab', FOLDER);
/** The commit in the lab's workflow files. */
export const EXAMPLE = '0123456789abcdef0123456789abcdef01234567';

/** Dispatches a workflow file with these inputs, and returns the result. */
export type PlayWorkflow = (file: string, inputs: Readonly<Record<string, string>>) => Promise<ActReport>;

/** With the playground's runner, which also runs everything that the dispatch triggers. */
export function playOnOurRunner(lab: BundleWorld): PlayWorkflow {
  return async (file, inputs) => {
    await lab.as('ada', 'POST', `/actions/workflows/${file}/dispatches`, { ref: 'main', inputs });
    const id = Math.max(...Object.keys(lab.world.state.runs).map(Number));
    await lab.runJobs();
    const jobs = (lab.world.state.runs[id]?.jobIds ?? []).flatMap((job) => lab.world.state.jobs[job] ?? []);
    const ran = jobs.filter(({ conclusion }) => conclusion !== 'skipped');
    return {
      ...detailsOfOurRunner(ran, lab.world.state.runPlans[id]),
      jobs: Object.fromEntries(ran.map(({ key, conclusion }) => [key.split('/').at(-1), String(conclusion)])),
      lines: ran.flatMap((job) => (lab.world.state.logs[job.id] ?? '').replaceAll(/^\S+Z /gm, '').split('\n')),
      summary: ran.map(({ summary }) => summary).join(''),
    };
  };
}

/**
 * With act, only this workflow from main. `texts`: files to use instead; `programs`: folders before act's
 * PATH.
 */
export function playOnAct(
  lab: BundleWorld,
  folder: string,
  texts: Readonly<Record<string, string>> = {},
  programs: readonly string[] = [],
): PlayWorkflow {
  return async (file, inputs) => {
    const { world, keys } = lab;
    const action = await copyForAct(lab.action, join(folder, 'action'));
    const app = Object.values(world.state.apps).find(({ slug }) => slug === 'ferrybot');
    const installation = Object.values(world.state.installations).find(({ appId }) => appId === app?.id);
    if (installation === undefined) throw new Error('the App is not installed');
    const text = texts[file] ?? (await lab.git('show', `main:${FOLDER}/${file}`));
    const environments = Object.values(world.state.repos).flatMap((repo) => repo.environments);
    return runAct(folder, {
      files: { [`${FOLDER}/${file}`]: text },
      workflow: `${FOLDER}/${file}`,
      event: 'workflow_dispatch',
      payload: { inputs, repository: { default_branch: 'main' } },
      secrets: {
        ...Object.assign({}, ...environments.map(({ secrets }) => secrets)),
        GITHUB_TOKEN: mintInstallationToken(world, installation, installation.permissions, null).token,
        FERRYBOT_CONTROL_KEY: keys.roles.control.privatePem,
        FERRYBOT_RUNNER_KEY: keys.roles.runner.privatePem,
        FERRYBOT_WATCH_KEY: keys.roles.watch.privatePem,
      },
      vars: { FERRYBOT_SERVER: 'off', FERRYBOT_STATE_DIR: dirname(lab.jobs) },
      env: {
        GITHUB_API_URL: `${world.baseUrl}/api/v3`,
        GITHUB_SERVER_URL: world.baseUrl,
        GITHUB_REPOSITORY: 'lab/ferries',
        GITHUB_WORKFLOW_REF: `lab/ferries/${FOLDER}/${file}@refs/heads/main`,
      },
      standIns: { 'ferrybot/ferrybot': action, 'lab/ferrybot': action },
      commits: [EXAMPLE, findPin(action)],
      programs,
    });
  };
}

/**
 * Jobs, their steps, outputs, and ferrybot's result code of each; the two runners mark a failure differently.
 * `names`: the outputs to compare, by job, because act also returns the outputs of single steps.
 */
export function toComparable(told: ActReport, names: ActReport['outputs'] = told.outputs): Comparable {
  const results = told.lines.flatMap((line) => /ferrybot: ([\w-]+)/.exec(line)?.[1] ?? []);
  const outputs = Object.entries(names).map(([job, wanted]) => [
    job,
    Object.fromEntries(Object.keys(wanted).map((name) => [name, told.outputs[job]?.[name] ?? ''])),
  ]);
  return {
    jobs: told.jobs,
    steps: told.steps,
    outputs: Object.fromEntries(outputs),
    results: [...new Set(results)].sort(),
  };
}

type Comparable = Pick<ActReport, 'jobs' | 'steps' | 'outputs'> & { readonly results: readonly string[] };

/** The action, with called workflows that act can read. */
async function copyForAct(action: string, copy: string): Promise<string> {
  await cp(action, copy, { recursive: true });
  for (const name of await readdir(join(copy, FOLDER))) {
    const path = join(copy, FOLDER, name);
    await writeFile(path, withoutDeployment(await readFile(path, 'utf8')));
  }
  return copy;
}

/** The commit in the called workflows. */
function findPin(action: string): string {
  const pin = /uses: ferrybot\/ferrybot@([0-9a-f]{40})/.exec(
    readFileSync(join(action, FOLDER, 'chat.yml'), 'utf8'),
  )?.[1];
  if (pin === undefined) throw new Error('the chat names no commit');
  return pin;
}
