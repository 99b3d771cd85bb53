/** Judges the workflow files of the default branch by what an approval needs of them. */

import { type LabConfig, lanesOf } from '../../../run/lane-scope.ts';
import { LAUNCH_ENVIRONMENT } from '../../environments.ts';
import { type Finding, fine, missing } from './finding.ts';
import { LAUNCH_LABEL } from './judge-settings.ts';
import { judgeWorkflowKeys } from './judge-workflow-keys.ts';
import {
  COPY,
  environmentOf,
  eventsOf,
  type Job,
  labelsOf,
  readWorkflow,
  type Workflow,
} from './workflow-file.ts';

/** Path → text of every workflow file on the default branch. */
export type WorkflowTexts = ReadonlyMap<string, string>;

/**
 * Findings about the workflows that the config names, and about every file that asks for the launching runner. What a
 * job calls of a release of ours is judged there. `owner`: whose repository this is.
 */
export function judgeWorkflows(config: LabConfig, texts: WorkflowTexts, owner: string): readonly Finding[] {
  const files = new Map([...texts].map(([path, text]) => [path, readWorkflow(text)]));
  const launch = files.get(`.github/workflows/${config.workflows.launch}`) ?? null;
  return [
    presence(config, files),
    launch === null
      ? missing('workflow-launch-safe', 'there is no launch workflow that can be read', COPY)
      : launchSafety(config, launch, files, owner),
    pins(files),
    ...judgeWorkflowKeys(config, texts, files, owner),
  ];
}

/** What a runner group has to be pinned to: the file in which the launching job stands, called or `own`. */
export function launchLocation(config: LabConfig, texts: WorkflowTexts, own: string): string {
  const launch = readWorkflow(texts.get(`.github/workflows/${config.workflows.launch}`) ?? '');
  return Object.values(launch?.jobs ?? {}).flatMap((one) => calledLaunch(one) ?? [])[0] ?? own;
}

/** `uses:` of a job that calls our launch; null for every other one. */
function calledLaunch({ uses }: Job): string | null {
  return uses !== undefined && /^[^/]+\/ferrybot\/\.github\/workflows\/launch\.yml@/.test(uses) ? uses : null;
}

function presence(config: LabConfig, files: ReadonlyMap<string, Workflow | null>): Finding {
  const { launch, watch, stop, fix } = config.workflows;
  const hasFixer = lanesOf(config).some(({ kind, lane }) => kind.fixes?.(lane).fixer != null);
  const needed = [launch, watch, stop, ...(hasFixer ? [fix] : [])];
  const absent = needed.filter((name) => (files.get(`.github/workflows/${name}`) ?? null) === null);
  return absent.length === 0
    ? fine('workflows-present', needed.join(', '))
    : missing('workflows-present', `not there or not readable: ${absent.join(', ')}`, COPY);
}

/** The launch is dispatched and nothing else, in its environment, on its label, which nobody else asks for. */
function launchSafety(
  config: LabConfig,
  launch: Workflow,
  files: ReadonlyMap<string, Workflow | null>,
  owner: string,
): Finding {
  const path = `.github/workflows/${config.workflows.launch}`;
  const jobs = Object.entries(launch.jobs).filter(([, one]) => isLaunching(one));
  const faults = [
    ...(eventsOf(launch).join() === 'workflow_dispatch' ? [] : [`starts on ${eventsOf(launch).join(', ')}`]),
    ...(isEmptyMap(launch.permissions) ? [] : ['gives permissions to every job']),
    ...(jobs.length === 1 ? [] : [`${jobs.length} jobs launch`]),
    ...jobs.flatMap(([name, one]) => jobFaults(name, one, owner)),
    ...[...files].flatMap(([other, file]) =>
      other !== path && Object.values(file?.jobs ?? {}).some((one) => labelsOf(one).includes(LAUNCH_LABEL))
        ? [`${other} asks for the label ${LAUNCH_LABEL}`]
        : [],
    ),
  ];
  return faults.length === 0
    ? fine('workflow-launch-safe', config.workflows.launch)
    : missing('workflow-launch-safe', faults.join('; '), COPY);
}

function isLaunching(one: Job): boolean {
  if (calledLaunch(one) !== null) return true;
  return labelsOf(one).includes(LAUNCH_LABEL) || one.steps.some((step) => step.with['mode'] === 'launch');
}

function jobFaults(name: string, one: Job, owner: string): readonly string[] {
  const called = calledLaunch(one);
  if (called !== null)
    return called.toLowerCase().startsWith(`${owner.toLowerCase()}/`)
      ? []
      : [`${name} is called from ${called}: GitHub gives a workflow of another owner none of your runners`];
  return [
    ...(environmentOf(one) === LAUNCH_ENVIRONMENT
      ? []
      : [`${name} is not in the environment ${LAUNCH_ENVIRONMENT}`]),
    ...(labelsOf(one).includes(LAUNCH_LABEL) ? [] : [`${name} runs without the label ${LAUNCH_LABEL}`]),
    ...(one.steps.length === 1 ? [] : [`${name} runs something beside ferrybot`]),
  ];
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** What the example workflows have in the place of a release: no commit of anybody. */
const EXAMPLE_COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Every use of ferrybot names one commit, and all of them the same: two versions may read one order differently. */
function pins(files: ReadonlyMap<string, Workflow | null>): Finding {
  const used = [...files.values()]
    .flatMap((file) => Object.values(file?.jobs ?? {}))
    .flatMap((one) => [one.uses, ...one.steps.map((step) => step.uses)])
    .flatMap((uses) => /^[^/]+\/ferrybot(?:\/[^@]*)?@(.*)$/.exec(uses ?? '')?.[1] ?? []);
  const commits = [...new Set(used)];
  const todo = 'Put the full commit of one release behind every use of ferrybot.';
  if (used.length === 0) return missing('workflows-pinned', 'no workflow uses ferrybot', todo);
  if (commits.includes(EXAMPLE_COMMIT))
    return missing('workflows-pinned', "the example's placeholder still stands where a commit belongs", todo);
  if (commits.length === 1 && /^[0-9a-f]{40}$/.test(commits[0] ?? ''))
    return fine('workflows-pinned', commits[0] ?? '');
  return missing('workflows-pinned', commits.join(', '), todo);
}
