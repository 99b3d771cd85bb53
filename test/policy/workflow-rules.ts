/** The rules that every workflow file of ours is held to, as functions from a parsed file to what is wrong with it. */

import { parse } from 'yaml';
import { z } from 'zod';
import { untrustedIn } from './untrusted-expressions.ts';

/** Commits that may stand behind `uses:`, read from the repositories' own tags. A release of ours has any commit. */
const PINS: Readonly<Record<string, string | null>> = {
  'actions/checkout': '3d3c42e5aac5ba805825da76410c181273ba90b1',
  'actions/setup-node': '820762786026740c76f36085b0efc47a31fe5020',
  'actions/upload-artifact': 'bbbca2ddaa5d8feaa63e36b76fdaad77386f024f',
  'actions/create-github-app-token': '1b10c78c7865c340bc4f6099eb2f838309f1e8c3',
  'astral-sh/setup-uv': '20cfd1bf945f4377ade1205e4dbc17946fc9a30d',
  'ferrybot/ferrybot': null,
};

const CONTROL = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  'pull-requests': 'write',
  statuses: 'read',
};

/** What each mode of the action may have, and the one secret that it may see (architecture.md, D5 and section 4). */
const MODES: Readonly<
  Record<string, { readonly permissions: Readonly<Record<string, string>>; readonly secret: string }>
> = {
  chat: { permissions: CONTROL, secret: 'FERRYBOT_CONTROL_KEY' },
  propose: { permissions: CONTROL, secret: 'FERRYBOT_CONTROL_KEY' },
  launch: {
    permissions: { contents: 'write', issues: 'read', 'pull-requests': 'read' },
    secret: 'FERRYBOT_RUNNER_KEY',
  },
  watch: {
    permissions: { checks: 'write', contents: 'write', issues: 'write', 'pull-requests': 'write' },
    secret: 'FERRYBOT_WATCH_KEY',
  },
};
const LABEL_OF: Readonly<Record<string, string>> = { launch: 'ferrybot-launch', watch: 'ferrybot-watch' };

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  env: z.record(z.string(), z.unknown()).default({}),
});
const job = z.looseObject({
  if: z.string().optional(),
  'runs-on': z.union([z.string(), z.array(z.string())]).optional(),
  permissions: z.unknown().optional(),
  environment: z.unknown().optional(),
  'timeout-minutes': z.number().optional(),
  steps: z.array(step).default([]),
});
const workflow = z.looseObject({
  on: z.unknown(),
  permissions: z.unknown().optional(),
  env: z.unknown().optional(),
  jobs: z.record(z.string(), job),
});

type Workflow = z.infer<typeof workflow>;
type Job = z.infer<typeof job>;

/** Everything that is wrong with one workflow file, each line beginning with the name of its rule. */
export function workflowProblems(source: string): readonly string[] {
  const file = workflow.parse(parse(source));
  return [
    ...fileProblems(file),
    ...Object.entries(file.jobs).flatMap(([name, one]) =>
      jobProblems(one).map((problem) => `${problem} (${name})`),
    ),
  ];
}

function fileProblems(file: Workflow): readonly string[] {
  const events = typeof file.on === 'object' && file.on !== null ? Object.keys(file.on) : [String(file.on)];
  return [
    ...(isEmptyMap(file.permissions) ? [] : ['top-permissions: not the empty map']),
    ...(file.env === undefined ? [] : ['env: of the whole file, where every job sees it']),
    // The event gives a fork's pull request our secrets and our token.
    ...(events.includes('pull_request_target') ? ['trigger: pull_request_target'] : []),
    ...(JSON.stringify(file).includes('"concurrency"')
      ? ['concurrency: cancels silently, and is no lock']
      : []),
  ];
}

function jobProblems(one: Job): readonly string[] {
  return [
    ...(one['timeout-minutes'] === undefined ? ['timeout: none'] : []),
    ...pinProblems(one),
    ...one.steps.flatMap((s) => untrustedIn(s.run ?? '').map((found) => `injection: ${found} inside run`)),
    ...modeProblems(one),
    ...checkoutProblems(one),
  ];
}

function pinProblems(one: Job): readonly string[] {
  return one.steps.flatMap(({ uses }) => {
    if (uses === undefined) return [];
    const [action = '', commit = ''] = uses.split('@');
    const pin = PINS[action];
    if (!/^[0-9a-f]{40}$/.test(commit)) return [`pin: ${uses} is no commit`];
    if (pin === undefined) return [`pin: ${action} is not on the list`];
    return pin === null || pin === commit ? [] : [`pin: ${uses} is not the commit that was checked`];
  });
}

function modeProblems(one: Job): readonly string[] {
  const modes = one.steps.flatMap((s) => (s.uses?.startsWith('ferrybot/') ? [String(s.with['mode'])] : []));
  const [mode] = modes;
  if (mode === undefined) return otherJobProblems(one);
  const allowed = MODES[mode];
  if (allowed === undefined || modes.length > 1) return [`mode: ${modes.join(', ')}`];
  const label = LABEL_OF[mode];
  const runsOn = [one['runs-on'] ?? []].flat();
  const expected = label === undefined ? ['ubuntu-latest'] : ['self-hosted', label];
  return [
    ...permissionProblems(one, allowed.permissions),
    ...(secretsOf(one).join() === allowed.secret
      ? []
      : [`secrets: ${secretsOf(one).join()} in mode ${mode}`]),
    ...(runsOn.join() === expected.join() ? [] : [`runner: ${runsOn.join()} in mode ${mode}`]),
    ...((mode === 'launch') === (one.environment === 'ferrybot-launch')
      ? []
      : ['environment: launch alone has it']),
    ...(one.steps.length === 1 ? [] : ['steps: something runs beside ferrybot']),
  ];
}

function otherJobProblems(one: Job): readonly string[] {
  return [
    ...permissionProblems(one, { contents: 'read' }),
    ...secretsOf(one).map((name) => `secrets: ${name} where nothing needs it`),
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
    ...(s.with['ref'] === undefined && s.with['repository'] === undefined
      ? []
      : ['checkout: of another commit']),
    ...(secretsOf(one).length === 0 ? [] : ['checkout: in a job that holds a secret']),
  ]);
}

function secretsOf(one: Job): readonly string[] {
  const found = [...JSON.stringify(one).matchAll(/secrets\s*(?:\.\s*(\w+)|\[[^\]]*\]|\s*:\s*inherit)?/g)];
  const names = found.map((match) => match[1] ?? match[0]).filter((name) => name !== 'GITHUB_TOKEN');
  return [...new Set(names)].sort();
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
