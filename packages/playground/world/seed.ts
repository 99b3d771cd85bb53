/** Fills a new world with its cast: an owner, one repository, four people, the App and its installation. */

import type { Permissions, Role, User } from '../identity/state-people.ts';
import { mintUserToken } from '../identity/tokens.ts';
import { actionsApp } from './lookup.ts';
import type { Environment, Repo } from './state.ts';
import { nextId, type World } from './world.ts';

export type SeedOptions = {
  readonly owner?: string;
  readonly repo?: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  /** Name to color (six hexadecimal digits). */
  readonly labels?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly environments?: readonly Environment[];
  readonly actionsMayCreatePulls?: boolean;
  readonly app?: SeedApp;
  /** People with another role than in the example lab. */
  readonly roles?: Readonly<Partial<Record<Person, Role>>>;
  /** Members of the owner's teams, by slug. */
  readonly teams?: Readonly<Record<string, readonly Person[]>>;
};

export type SeedApp = {
  readonly id?: number;
  readonly slug?: string;
  readonly publicKeyPem: string;
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly webhook: { readonly url: string; readonly secret: string } | null;
};

export type Person = 'mira' | 'ada' | 'ravi' | 'sol';

export type Seeded = {
  readonly repo: Repo;
  /** Tokens by login. */
  readonly tokens: Readonly<Record<Person, string>>;
  readonly app: { readonly id: number; readonly installationId: number } | null;
};

/** The people of the example lab; null = no role at all. */
export const people: Readonly<Record<Person, { readonly name: string; readonly role: Role | null }>> = {
  mira: { name: 'Mira Okafor', role: 'maintain' },
  ada: { name: 'Ada Lindqvist', role: 'write' },
  ravi: { name: 'Ravi Menon', role: 'triage' },
  sol: { name: 'Sol Ferreira', role: null },
};

/** Call it once on an empty world. The repository's git starts empty, and the caller fills it. */
export function seedWorld(world: World, options: SeedOptions = {}): Seeded {
  const owner = addUser(world, options.owner ?? 'lab', 'Organization', 'The Lab');
  addActionsApp(world, owner.id);
  const rows = {
    mira: addUser(world, 'mira', 'User', people.mira.name),
    ada: addUser(world, 'ada', 'User', people.ada.name),
    ravi: addUser(world, 'ravi', 'User', people.ravi.name),
    sol: addUser(world, 'sol', 'User', people.sol.name),
  };
  const collaborators: Record<string, Role> = {};
  for (const [login, { role }] of Object.entries(people)) {
    const user = Object.values(rows).find((row) => row.login === login);
    if (user === undefined) continue;
    const given = options.roles?.[user.login as Person] ?? role;
    if (given !== null) collaborators[user.id] = given;
  }
  for (const [slug, members] of Object.entries(options.teams ?? {}))
    world.state.teams[nextId(world, 'teams')] = {
      ownerId: owner.id,
      slug,
      memberIds: members.map((login) => rows[login].id),
    };
  const repo = addRepo(world, owner, collaborators, options);
  const app = options.app === undefined ? null : addApp(world, owner.id, options.app);
  return {
    repo,
    app,
    tokens: {
      mira: mintUserToken(world, rows.mira.id),
      ada: mintUserToken(world, rows.ada.id),
      ravi: mintUserToken(world, rows.ravi.id),
      sol: mintUserToken(world, rows.sol.id),
    },
  };
}

export function addUser(world: World, login: string, type: User['type'], name: string, fixedId?: number): User {
  const email = type === 'User' ? `${login}@lab.example` : null;
  const user: User = {
    id: fixedId ?? 1000 + nextId(world, 'users'),
    login,
    type,
    name: type === 'Bot' ? null : name,
    email,
    createdAtMs: world.clock.now(),
  };
  world.state.users[user.id] = user;
  return user;
}

function addRepo(world: World, owner: User, collaborators: Repo['collaborators'], options: SeedOptions): Repo {
  const now = world.clock.now();
  const repo: Repo = {
    id: 5000 + nextId(world, 'repos'),
    ownerId: owner.id,
    owner: owner.login,
    name: options.repo ?? 'ferries',
    description: options.description ?? 'A small lab that ferries a language model to its next checkpoint every day.',
    private: options.private ?? false,
    defaultBranch: options.defaultBranch ?? 'main',
    createdAtMs: now,
    pushedAtMs: now,
    collaborators,
    labels: Object.entries(options.labels ?? {}).map(([name, color]) => ({
      id: nextId(world, 'labels'),
      name,
      color,
      description: null,
    })),
    secrets: options.secrets ?? {},
    variables: options.variables ?? {},
    environments: options.environments ?? [],
    protections: [],
    actionsMayCreatePulls: options.actionsMayCreatePulls ?? false,
    lastNumber: 0,
  };
  world.state.repos[repo.id] = repo;
  return repo;
}

/** The App, its `[bot]` account, and its installation on all of the owner's repositories. */
export function addApp(world: World, ownerId: number, wanted: SeedApp): NonNullable<Seeded['app']> {
  const slug = wanted.slug ?? 'ferrybot';
  const id = wanted.id ?? 7000 + nextId(world, 'apps');
  const bot = addUser(world, `${slug}[bot]`, 'Bot', slug);
  const { publicKeyPem, permissions, events, webhook } = wanted;
  const createdAtMs = world.clock.now();
  world.state.apps[id] = {
    id,
    slug,
    name: slug,
    ownerId,
    botUserId: bot.id,
    publicKeyPem,
    permissions,
    events,
    webhook,
    createdAtMs,
  };
  const installationId = 9000 + nextId(world, 'installations');
  world.state.installations[installationId] = {
    id: installationId,
    appId: id,
    accountId: ownerId,
    permissions,
    events,
    repoIds: null,
    createdAtMs,
  };
  return { id, installationId };
}

/** GitHub's own Actions App; workflow tokens act for it. */
function addActionsApp(world: World, ownerId: number): void {
  const createdAtMs = world.clock.now();
  addUser(world, `${actionsApp.slug}[bot]`, 'Bot', actionsApp.slug, actionsApp.userId);
  world.state.apps[actionsApp.appId] = {
    id: actionsApp.appId,
    slug: actionsApp.slug,
    name: 'GitHub Actions',
    ownerId,
    botUserId: actionsApp.userId,
    publicKeyPem: null,
    permissions: {},
    events: [],
    webhook: null,
    createdAtMs,
  };
}
