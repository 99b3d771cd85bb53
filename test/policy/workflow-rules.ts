/**
 * The rules for our workflow files, as functions from a parsed file to its problems. They cover GitHub's
 * hardening advice and our findings about workflow tokens, as far as a file shows them.
 */

import { z } from 'zod';
import { untrustedIn } from './untrusted-expressions.ts';
import { OWN_JOBS, PARTS, type Part, PINS } from './workflow-parts.ts';
import {
  isEmptyMap,
  type Job,
  listEvents,
  listInputs,
  listSecrets,
  readWorkflow,
  type Workflow,
} from './workflow-shape.ts';

/** The token of a self-hosted job lives this long; a hosted job lives at most a quarter of it. */
const TOKEN_LIFE_MINUTES = 24 * 60;
const HOSTED_MINUTES = 6 * 60;

/** All problems of one workflow file; each line starts with the name of its rule. */
export function workflowProblems(source: string): readonly string[] {
  const file = readWorkflow(source);
  return [
    ...fileProblems(file),
    ...Object.entries(file.jobs).flatMap(([name, one]) =>
      [...jobProblems(one, `${file.name}/${name}`), ...machineProblems(file, one)].map(
        (problem) => `${problem} (${name})`,
      ),
    ),
  ];
}

function fileProblems(file: Workflow): readonly string[] {
  const text = JSON.stringify(file);
  return [
    ...(isEmptyMap(file.permissions) ? [] : ['top-permissions: not the empty map']),
    ...(file.env === undefined ? [] : ['env: of the whole file, where every job sees it']),
    // These events would give foreign code or files access to our secrets and token.
    ...listEvents(file)
      .filter(
        (event) =>
          event === 'pull_request_target' ||
          // It runs on the default branch, but the other run may come from a foreign commit.
          (event === 'workflow_run' && /workflow_run\.(?:head_|pull_requests)/.test(text)),
      )
      .map((event) => `trigger: ${event}`),
    ...(text.includes('"environment"') ? refProblems(file) : []),
    ...(text.includes('"concurrency"') ? ['concurrency: cancels silently, and is no lock'] : []),
    ...(text.includes('ACTIONS_ALLOW_UNSECURE_COMMANDS') ? ['commands: the log may set variables'] : []),
    // Accounts can be taken over, and a bot acts under the name of the person who asked it.
    ...(/github\.(?:triggering_)?actor\b/.test(text) ? ['actor: who acted is told by a name'] : []),
    ...listInputs(file)
      .filter(([, type]) => type === undefined)
      .map(([name]) => `inputs: ${name} has no type`),
  ];
}

/**
 * Events that run on the default branch, or only call: an environment for that branch rejects every other
 * ref.
 */
const DEFAULT_BRANCH_EVENTS = [
  'issue_comment',
  'issues',
  'schedule',
  'workflow_dispatch',
  'workflow_call',
  'workflow_run',
];

function refProblems(file: Workflow): readonly string[] {
  return listEvents(file)
    .filter((event) => !DEFAULT_BRANCH_EVENTS.includes(event))
    .map((event) => `ref: ${event} may run on a ref that no environment of a key lets in`);
}

function jobProblems(one: Job, own: string): readonly string[] {
  // A calling job has no environment, and a called workflow of another owner gets none of its secrets, so
  // jobs must be copied.
  if (one.uses !== undefined) return [`call: ${one.uses}`];
  return [
    ...timeoutProblems(one),
    ...one.steps.flatMap(({ uses }) => (uses === undefined ? [] : pinProblems(uses))),
    ...one.steps.flatMap((s) => untrustedIn(s.run ?? '').map((found) => `injection: ${found} inside run`)),
    ...one.steps.flatMap((s) =>
      /GITHUB_(?:ENV|PATH)\b/.test(s.run ?? '') ? ['github-env: a script sets variables of later steps'] : [],
    ),
    ...(JSON.stringify(one).includes('"continue-on-error"') ? ['failure: is hidden'] : []),
    ...modeProblems(one, own),
    ...checkoutProblems(one),
  ];
}

function timeoutProblems(one: Job): readonly string[] {
  const minutes = one['timeout-minutes'];
  if (minutes === undefined) return ['timeout: none'];
  const most = isSelfHosted(one) ? TOKEN_LIFE_MINUTES : HOSTED_MINUTES;
  return minutes < most ? [] : [`timeout: ${minutes} minutes, longer than its token or machine lives`];
}

function pinProblems(uses: string): readonly string[] {
  const [action = '', commit = ''] = uses.split('@');
  const pin = PINS[action];
  if (!/^[0-9a-f]{40}$/.test(commit)) return [`pin: ${uses} is no commit`];
  if (pin === undefined) return [`pin: ${action} is not on the list`];
  return pin === null || pin === commit ? [] : [`pin: ${uses} is not the commit that was checked`];
}

function modeProblems(one: Job, own: string): readonly string[] {
  const modes = one.steps.flatMap((s) => (s.uses?.startsWith('ferrybot/') ? [String(s.with['mode'])] : []));
  const [mode] = modes;
  if (mode === undefined) return otherJobProblems(one, OWN_JOBS[own]);
  const part = PARTS[mode];
  if (part === undefined || modes.length > 1) return [`mode: ${modes.join(', ')}`];
  const runsOn = [one['runs-on'] ?? []].flat();
  const expected = part.label === null ? ['ubuntu-latest'] : ['self-hosted', part.label];
  return [
    ...permissionProblems(one, part.permissions),
    ...secretProblems(one, part),
    ...(runsOn.join() === expected.join() ? [] : [`runner: ${runsOn.join()} in mode ${mode}`]),
    ...environmentProblems(one, part, mode),
    ...(one.steps.every(({ uses }) => isOfPart(uses, part)) ? [] : ['steps: something runs beside ferrybot']),
    ...('container' in one || 'services' in one ? ['container: beside a key'] : []),
  ];
}

/** Each job in an environment would otherwise be a deployment in the lab's list. */
function environmentProblems({ environment = null }: Job, part: Part, mode: string): readonly string[] {
  const expected = part.environment === null ? null : { name: part.environment, deployment: false };
  const found = JSON.stringify(environment);
  return found === JSON.stringify(expected) ? [] : [`environment: ${found} in mode ${mode}`];
}

function isOfPart(uses: string | undefined, { beside = [] }: Part): boolean {
  return ['ferrybot/ferrybot', ...beside].includes(uses?.split('@')[0] ?? '');
}

function secretProblems(one: Job, part: Part): readonly string[] {
  const found = listSecrets(one);
  const strange = found.filter((name) => name !== part.key && !part.others.includes(name));
  return [
    ...strange.map((name) => `secrets: ${name} is none of this job's`),
    ...(part.key === null || found.includes(part.key) ? [] : [`secrets: ${part.key} is missing`]),
  ];
}

/** Commands that install packages and thereby run their code. */
const RUNS_PACKAGES = /\b(?:npm(?! publish --ignore-scripts )|npx|uvx?|pip|yarn|pnpm)\b|\.ci\/run/;

function otherJobProblems(one: Job, allowed: Part['permissions'] | undefined): readonly string[] {
  return [
    ...permissionProblems(one, allowed ?? { contents: 'read' }),
    ...(allowed !== undefined && one.steps.some((s) => RUNS_PACKAGES.test(s.run ?? ''))
      ? ['steps: code of packages runs beside a right of its own']
      : []),
    ...listSecrets(one).map((name) => `secrets: ${name} where nothing needs it`),
  ];
}

function permissionProblems(one: Job, allowed: Readonly<Record<string, string>>): readonly string[] {
  const read = z.record(z.string(), z.enum(['read', 'write'])).safeParse(one.permissions);
  if (!read.success) return ['permissions: not a map of the job'];
  return Object.entries(read.data).flatMap(([name, level]) =>
    allowed[name] === level || allowed[name] === 'write' ? [] : [`permissions: ${name}: ${level}`],
  );
}

function checkoutProblems(one: Job): readonly string[] {
  const checkouts = one.steps.filter((s) => s.uses?.startsWith('actions/checkout@'));
  return checkouts.flatMap((s) => [
    ...(s.with['persist-credentials'] === false ? [] : ['checkout: leaves the token in the checkout']),
    ...(s.with['ref'] === undefined && s.with['repository'] === undefined ? [] : ['checkout: of another commit']),
    ...(listSecrets(one).length === 0 ? [] : ['checkout: in a job that holds a secret']),
  ]);
}

/** Events of untrusted people or pushes must never reach a lab's own machine. */
const QUIET_EVENTS = ['workflow_dispatch', 'workflow_call', 'schedule'];

function machineProblems(file: Workflow, one: Job): readonly string[] {
  if (!isSelfHosted(one)) return [];
  return listEvents(file)
    .filter((event) => !QUIET_EVENTS.includes(event))
    .map((event) => `machine: ${event} reaches a machine of the lab's own`);
}

function isSelfHosted(one: Job): boolean {
  return [one['runs-on'] ?? []].flat().includes('self-hosted');
}
