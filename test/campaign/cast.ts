// The people of a campaign lab, their tokens, and the rulesets.

import { mintUserToken, mintWorkflowToken } from '../../packages/playground/identity/tokens.ts';
import { addUser } from '../../packages/playground/world/seed.ts';
import type { World } from '../../packages/playground/world/world.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

/**
 * mira and noor may approve, and noor cheats; ada may write; sol has only an account. `workflow` is a
 * workflow of ada's or noor's branch.
 */
export type Who = 'mira' | 'noor' | 'ada' | 'sol' | 'workflow';

export type Answer = { readonly status: number; readonly json: unknown };

/** One request as this user; the status, and the JSON response if there is one. */
export type Ask = (who: Who, method: string, path: string, body?: object) => Promise<Answer>;

type Person = Exclude<Who, 'workflow'>;
export type Cast = { readonly ids: Readonly<Record<Who, number>>; readonly tokens: Readonly<Record<Person, string>> };

/** Adds noor to a lab, and gives everyone a token. */
export function createCast(world: World): Cast {
  const noor = addUser(world, 'noor', 'User', 'Noor Haddad');
  for (const [id, repo] of Object.entries(world.state.repos))
    world.state.repos[id] = { ...repo, collaborators: { ...repo.collaborators, [noor.id]: 'maintain' } };
  const idOf = (login: string): number =>
    Object.values(world.state.users).find((user) => user.login === login)?.id ?? 0;
  const tokenFor = (login: string): string => mintUserToken(world, idOf(login));
  return {
    ids: {
      mira: idOf('mira'),
      noor: noor.id,
      ada: idOf('ada'),
      sol: idOf('sol'),
      workflow: idOf('github-actions[bot]'),
    },
    tokens: { mira: tokenFor('mira'), noor: tokenFor('noor'), ada: tokenFor('ada'), sol: tokenFor('sol') },
  };
}

function actorToken(world: World, cast: Cast, who: Who): string {
  if (who !== 'workflow') return cast.tokens[who];
  const repoId = Object.values(world.state.repos)[0]?.id ?? 0;
  // A workflow on a branch, which any writer can push: with every permission that a job's token can have.
  const run = { id: 999_999, repoId } as Parameters<typeof mintWorkflowToken>[1];
  const all = { contents: 'write', issues: 'write', 'pull-requests': 'write', actions: 'write' } as const;
  return mintWorkflowToken(world, run, workflowPermissions(all)).token;
}

/** The playground writes permissions with underscores, like the API. */
function workflowPermissions(all: Readonly<Record<string, 'write'>>): Parameters<typeof mintWorkflowToken>[2] {
  return Object.fromEntries(Object.entries(all).map(([name, level]) => [name.replaceAll('-', '_'), level]));
}

/**
 * The rulesets of the README: the logbook is append-only, tags below `ferry/` are fixed, main is protected.
 */
export function protect(world: World): void {
  const repoId = Object.values(world.state.repos)[0]?.id ?? 0;
  const base = { repoId, enforcement: 'active', exclude: [], bypass: [], createdAtMs: 0, updatedAtMs: 0 } as const;
  world.state.rulesets[901] = {
    ...base,
    id: 901,
    name: 'logbook',
    target: 'branch',
    include: ['refs/heads/ferrybot/logbook'],
    rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }],
  };
  world.state.rulesets[902] = {
    ...base,
    id: 902,
    name: 'seals and marks',
    target: 'tag',
    include: ['refs/tags/ferry/**/*'],
    rules: [{ type: 'deletion' }, { type: 'update' }],
  };
}

/** Sends requests to GitHub as these people. */
export function createAsker(lab: VirtualLab, cast: Cast): Ask {
  return async (who, method, path, body) => {
    const response = await lab.world.fetch(
      new Request(`${lab.world.baseUrl}/api/v3/repos/lab/ferries${path}`, {
        method,
        headers: { authorization: `Bearer ${actorToken(lab.world, cast, who)}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    // A failing server returns a page.
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const json: unknown = isJson ? await response.json() : null;
    await lab.clock.settle();
    return { status: response.status, json };
  };
}
