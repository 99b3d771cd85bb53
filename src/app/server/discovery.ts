/** Lists the App's installations and their repositories. */

import { z } from 'zod';
import type { Log } from '../lab.ts';

/** The minimal permissions of the App, each with its reason. */
export const APP_PERMISSIONS = {
  actions: { level: 'write', why: 'dispatch the launch and the watch, find their runs' },
  checks: { level: 'write', why: 'the check run on the head of a proposal' },
  contents: { level: 'write', why: 'logbook, proposal branch and seal tag' },
  issues: { level: 'write', why: 'commands, answers, the card, labels, the ferry issue' },
  metadata: { level: 'read', why: 'comes with every App; the permission of a commenter' },
  pull_requests: { level: 'write', why: 'proposal, outcome boxes, closure PR' },
  statuses: { level: 'read', why: "the lab's commit statuses, which a launch waits for" },
} as const satisfies Readonly<Record<string, { readonly level: 'read' | 'write'; readonly why: string }>>;

export const APP_EVENTS = [
  'check_run',
  'issue_comment',
  'issues',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'workflow_run',
] as const;

/** Events that every App receives. GitHub rejects a manifest that lists them. */
export const UNSUBSCRIBED_EVENTS = ['installation', 'installation_repositories'] as const;

/** How often to list installations. New repositories are announced by webhooks immediately. */
export const DISCOVERY_PERIOD_MS = 6 * 60 * 60 * 1_000;

export type InstalledRepository = {
  readonly repository: string;
  readonly branch: string;
  /** The last push to any branch; null if GitHub does not report it. */
  readonly pushedAtMs: number | null;
  readonly installation: number;
};

type DiscoveryPorts = {
  /** All rows of GitHub's lists. Throws if a list cannot be read. */
  readonly installations: () => Promise<readonly unknown[]>;
  readonly repositories: (installation: number) => Promise<readonly unknown[]>;
  readonly now: () => number;
  readonly log: Log;
};

const installationSchema = z.object({
  id: z.number().int(),
  suspended_at: z.string().nullish(),
  permissions: z.record(z.string(), z.string()).default({}),
  account: z.looseObject({ login: z.string().optional() }).nullish(),
});

/** A repository in lists and webhooks. `pushed_at` is in seconds in the payload of a push, and a date elsewhere. */
export const repositorySchema = z.object({
  full_name: z.string(),
  default_branch: z.string(),
  pushed_at: z.union([z.string(), z.number()]).nullish(),
});
type Installation = z.infer<typeof installationSchema>;

/** `isWhole`: every row could be parsed. */
type Installations = { readonly found: readonly Installation[]; readonly isWhole: boolean };

/** Lists the repositories. `anew`: an installation changed, so the cache is stale. */
export type Discovery = (anew?: boolean) => Promise<readonly InstalledRepository[]>;

/**
 * Lists the repositories and caches them, because each list costs requests. Unreadable parts keep their last value and are retried. Never
 * rejects.
 */
export function createDiscovery(ports: DiscoveryPorts): Discovery {
  const known = new Map<number, readonly InstalledRepository[]>();
  const say = createTopicLogger(ports.log);
  let freshAtMs: number | null = null;
  return async (anew = false) => {
    const isFresh = !anew && freshAtMs !== null && ports.now() - freshAtMs < DISCOVERY_PERIOD_MS;
    if (!isFresh || known.size === 0) freshAtMs = (await refreshInstallations(ports, known, say)) ? ports.now() : null;
    return [...known.values()].flat();
  };
}

/** Logs the state of an installation once per change. */
type TopicLogger = (installation: number, topic: string, line: string | null) => void;

function createTopicLogger(log: Log): TopicLogger {
  const said = new Map<string, string>();
  return (installation, topic, line) => {
    const key = `${installation} ${topic}`;
    if (line === null) said.delete(key);
    else if (said.get(key) !== line) {
      said.set(key, line);
      log(`installation ${installation}: ${line}`);
    }
  };
}

/** Updates `known`. False if a part could not be read. */
async function refreshInstallations(
  ports: DiscoveryPorts,
  known: Map<number, readonly InstalledRepository[]>,
  say: TopicLogger,
): Promise<boolean> {
  let listed: Installations;
  try {
    listed = await readInstallations(ports);
  } catch (error) {
    ports.log(`the installations could not be listed: ${errorMessage(error)}`);
    return false;
  }
  // An unparsable row may belong to a known installation, so delete nothing.
  if (listed.isWhole) for (const id of known.keys()) if (!listed.found.some((one) => one.id === id)) known.delete(id);
  let { isWhole } = listed;
  for (const installation of listed.found) {
    const { id } = installation;
    const isSuspended = installation.suspended_at !== null && installation.suspended_at !== undefined;
    say(id, 'suspended', isSuspended ? `suspended${ofAccount(installation)}: it is left alone until it is not` : null);
    if (isSuspended) {
      known.delete(id);
      continue;
    }
    say(id, 'permissions', findMissingPermissions(installation));
    try {
      known.set(id, await readRepositories(ports, id));
      say(id, 'unreadable', null);
    } catch (error) {
      say(id, 'unreadable', `its repositories could not be listed: ${errorMessage(error)}`);
      isWhole = false;
    }
  }
  return isWhole;
}

async function readInstallations({ installations, log }: DiscoveryPorts): Promise<Installations> {
  const parsed = (await installations()).map((row) => installationSchema.safeParse(row));
  for (const { error } of parsed)
    if (error !== undefined) log(`an installation could not be understood: ${error.message}`);
  return { found: parsed.flatMap(({ data }) => data ?? []), isWhole: parsed.every(({ success }) => success) };
}

async function readRepositories(ports: DiscoveryPorts, installation: number): Promise<readonly InstalledRepository[]> {
  const rows = z.array(repositorySchema).parse(await ports.repositories(installation));
  return rows.map((row) => installedOf(row, installation));
}

/** The repository as lists and webhooks describe it. */
export function installedOf(
  { full_name, default_branch, pushed_at: pushed }: z.infer<typeof repositorySchema>,
  installation: number,
): InstalledRepository {
  const pushedAtMs = typeof pushed === 'number' ? pushed * 1_000 : Date.parse(pushed ?? '');
  return {
    repository: full_name,
    branch: default_branch,
    pushedAtMs: Number.isNaN(pushedAtMs) ? null : pushedAtMs,
    installation,
  };
}

const LEVELS = ['read', 'write', 'admin'];

/** Missing permissions, and what fails without them; null if none is missing. */
function findMissingPermissions({ permissions, ...installation }: Installation): string | null {
  const lacking = Object.entries(APP_PERMISSIONS).flatMap(([name, { level, why }]) =>
    LEVELS.indexOf(permissions[name] ?? '') >= LEVELS.indexOf(level) ? [] : [`${name}: ${level} (${why})`],
  );
  return lacking.length === 0
    ? null
    : `the App lacks permissions${ofAccount(installation)}, which its owner can grant: ${lacking.join('; ')}`;
}

function ofAccount({ account }: Pick<Installation, 'account'>): string {
  return account?.login === undefined ? '' : ` for ${account.login}`;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
