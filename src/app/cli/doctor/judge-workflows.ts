/** Judges the workflow files of the default branch, except jobs that call a released workflow. */

import { ROLES } from '../../../domain/logbook/role.ts';
import { type LabConfig, lanesOf } from '../../../run/lane-scope.ts';
import { KEY_ENVIRONMENTS, LAUNCH_ENVIRONMENT } from '../../environments.ts';
import { configSecrets } from '../../secret-registry.ts';
import { KEY_VARIABLES } from '../../signers.ts';
import {
  environmentOf,
  eventsOf,
  type Job,
  jobsOf,
  labelsOf,
  WORKFLOWS,
  type WorkflowFiles,
} from './workflow-file.ts';

export const LAUNCH_LABEL = 'ferrybot-launch';

/** Events that run on the default branch. An environment limited to that branch refuses every other ref. */
const DEFAULT_BRANCH_EVENTS: readonly string[] = [
  'issue_comment',
  'issues',
  'schedule',
  'workflow_dispatch',
  'workflow_call',
  'workflow_run',
];

/** Differences from the example: a missing file, a launch job with other steps, an event that fails. */
export function workflowFaults(config: LabConfig, files: WorkflowFiles, owner: string): readonly string[] {
  const { launch, watch, stop, fix } = config.workflows;
  const hasFixer = lanesOf(config).some(({ kind, lane }) => kind.fixes?.(lane).fixer != null);
  const absent = [launch, watch, stop, ...(hasFixer ? [fix] : [])]
    .filter((name) => !files.has(`${WORKFLOWS}/${name}`))
    .map((name) => `there is no ${name}`);
  const unread = [...files].flatMap(([path, file]) => (file === null ? [`${path} cannot be read`] : []));
  return [
    ...absent,
    ...unread,
    ...launchFaults(`${WORKFLOWS}/${launch}`, files, owner),
    ...eventFaults(files),
  ];
}

/** The launch workflow is only dispatched. It has its own environment and label. */
function launchFaults(path: string, files: WorkflowFiles, owner: string): readonly string[] {
  const launch = files.get(path) ?? null;
  if (launch === null) return [];
  const jobs = Object.entries(launch.jobs).filter(([, one]) => isLaunching(one));
  const { permissions } = launch;
  const givesNone =
    typeof permissions === 'object' && permissions !== null && Object.keys(permissions).length === 0;
  return [
    ...(eventsOf(launch).join() === 'workflow_dispatch' ? [] : [`starts on ${eventsOf(launch).join(', ')}`]),
    ...(givesNone ? [] : ['gives permissions to every job']),
    ...(jobs.length === 1 ? [] : [`${jobs.length} jobs launch`]),
    ...jobs.flatMap(([name, one]) => jobFaults(one, owner).map((fault) => `${name} ${fault}`)),
    ...jobsOf(files)
      .filter(([other, , one]) => other !== path && labelsOf(one).includes(LAUNCH_LABEL))
      .map(([other]) => `${other} asks for the label ${LAUNCH_LABEL}`),
  ];
}

function isLaunching(one: Job): boolean {
  if (calledLaunch(one) !== null) return true;
  return labelsOf(one).includes(LAUNCH_LABEL) || one.steps.some((step) => step.with['mode'] === 'launch');
}

function jobFaults(one: Job, owner: string): readonly string[] {
  const called = calledLaunch(one);
  if (called !== null)
    return isOf(owner, called)
      ? []
      : [`is called from ${called}: GitHub gives a workflow of another owner none of your runners`];
  return [
    ...(environmentOf(one) === LAUNCH_ENVIRONMENT ? [] : [`is not in the environment ${LAUNCH_ENVIRONMENT}`]),
    ...(labelsOf(one).includes(LAUNCH_LABEL) ? [] : [`runs without the label ${LAUNCH_LABEL}`]),
    ...(one.steps.length === 1 ? [] : ['runs something beside ferrybot']),
  ];
}

/** `uses:` of a job that calls the released launch workflow; null for other jobs. */
function calledLaunch({ uses }: Job): string | null {
  return uses !== undefined && /^[^/]+\/ferrybot\/\.github\/workflows\/launch\.yml@/.test(uses) ? uses : null;
}

function isOf(owner: string, uses: string): boolean {
  return uses.toLowerCase().startsWith(`${owner.toLowerCase()}/`);
}

/** The workflow file to pin a runner group to: the called one, or `own`. */
export function launchLocation({ workflows }: LabConfig, files: WorkflowFiles, own: string): string {
  const launch = files.get(`${WORKFLOWS}/${workflows.launch}`);
  return Object.values(launch?.jobs ?? {}).flatMap((one) => calledLaunch(one) ?? [])[0] ?? own;
}

/** A job fails if its environment refuses its ref, and the pull request shows a red cross. */
function eventFaults(files: WorkflowFiles): readonly string[] {
  const own = Object.values(KEY_ENVIRONMENTS).flat();
  return [...files].flatMap(([path, file]) =>
    file !== null && Object.values(file.jobs).some((one) => own.includes(environmentOf(one)))
      ? eventsOf(file)
          .filter((event) => !DEFAULT_BRANCH_EVENTS.includes(event))
          .map((event) => `${path} starts on ${event}, whose ref its environment refuses`)
      : [],
  );
}

/** The placeholder in the example workflows. */
const EXAMPLE_COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** All uses of ferrybot must name the same commit, because two versions may read an order differently. */
export function pinFaults(files: WorkflowFiles): readonly string[] {
  const used = jobsOf(files)
    .flatMap(([, , one]) => [one.uses, ...one.steps.map((step) => step.uses)])
    .flatMap((uses) => /^[^/]+\/ferrybot(?:\/[^@]*)?@(.*)$/.exec(uses ?? '')?.[1] ?? []);
  const commits = [...new Set(used)];
  if (commits.length === 0) return ['no workflow uses ferrybot'];
  if (commits.includes(EXAMPLE_COMMIT))
    return ["the example's placeholder still stands where a commit belongs"];
  return commits.length === 1 && /^[0-9a-f]{40}$/.test(commits[0] ?? '') ? [] : [commits.join(', ')];
}

/** Checks that only jobs in its environment name a signing key, and that each job gets the secrets it needs. */
export function workflowSecretFaults(
  config: LabConfig,
  files: WorkflowFiles,
  owner: string,
): readonly string[] {
  const needed = configSecrets(config);
  return [
    ...[...files].flatMap(([path, file]) => {
      const { jobs: _, ...rest } = file ?? { jobs: {} };
      return rolesIn(rest).map((role) => `${path} names ${KEY_VARIABLES[role]} for every job`);
    }),
    ...jobsOf(files).flatMap(([path, name, one]) => {
      const text = JSON.stringify(one);
      const faults =
        one.uses === undefined
          ? needed
              .filter(
                ({ secret, modes }) =>
                  modes.some((mode) => text.includes(`"mode":"${mode}"`)) &&
                  !new RegExp(`\\bsecrets\\.${secret}\\b`).test(text),
              )
              .map(({ secret, use }) => `is not given ${secret}, ${use}`)
          : [];
      return [...keyFaults(one, owner), ...faults].map((fault) => `${name} in ${path} ${fault}`);
    }),
  ];
}

function keyFaults(one: Job, owner: string): readonly string[] {
  // The called job of a mirror in the lab's own organization sets the environment itself.
  if (one.uses !== undefined && isOf(owner, one.uses)) return [];
  return rolesIn(one)
    .filter((role) => !KEY_ENVIRONMENTS[role].includes(environmentOf(one)))
    .map((role) => `names ${KEY_VARIABLES[role]} outside of ${KEY_ENVIRONMENTS[role].join(', ')}`);
}

function rolesIn(part: unknown): readonly (typeof ROLES)[number][] {
  const text = JSON.stringify(part);
  return ROLES.filter((role) => text.includes(KEY_VARIABLES[role]));
}
