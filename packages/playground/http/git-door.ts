/** Authenticates git requests with the API's tokens and reports pushes to the world. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { repoAccess } from '../api/route.ts';
import { gitWithFaults } from '../faults/git-faults.ts';
import { isPerson } from '../faults/request-faults.ts';
import { drawStrike } from '../faults/strike.ts';
import { recordPush } from '../git/pushes.ts';
import { type GitAuthorization, isGitRequest, serveGit } from '../git/smart-http/http-backend.ts';
import { findActor, findSuspension, identify } from '../identity/identity.ts';
import { judgeAccess } from '../identity/permissions.ts';
import { countUsage } from '../limits/rate.ts';
import { pushPolicy } from '../rules/push-policy.ts';
import { findRepo } from '../world/lookup.ts';
import type { World } from '../world/world.ts';

export type GitDoorOptions = {
  readonly directoryOf: (owner: string, repo: string) => string | null;
  readonly gitProgram?: string;
  readonly onComplaint?: (complaint: string) => void;
};

const fetching = repoAccess('contents:read', 'public');
const pushing = repoAccess('contents:write', 'write');

/** A handler for the server; it returns false when the request is not git's. */
export function createGitDoor(
  world: World,
  options: GitDoorOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (request, response) => {
    if (!isGitRequest(request)) return false;
    const serve = (receiver: ServerResponse): Promise<void> =>
      serveGit(request, receiver, {
        ...options,
        losesAnswer: ({ owner, repo, token }) => {
          const routes = ['push', `POST /${owner}/${repo}.git/git-receive-pack`] as const;
          const byPerson = isPerson(world, token === null ? null : `Bearer ${token}`);
          return drawStrike(world, ['push-answer-lost'], { routes, byPerson }) !== null;
        },
        authorize: async ({ owner, repo, token, service }) => {
          const identity = identify(world, token === null ? null : `Bearer ${token}`);
          if (identity.ok) countUsage(world, identity.caller, 'git');
          return authorize(world, owner, repo, token, service);
        },
        pushPolicy: ({ owner, repo, token }) => {
          const row = findRepo(world, owner, repo);
          const identity = identify(world, token === null ? null : `Bearer ${token}`);
          const actor = identity.ok ? findActor(world, identity.caller) : null;
          return row === null || !identity.ok || actor === null ? [] : pushPolicy(world, row, identity.caller, actor);
        },
        onPush: async ({ owner, repo, token, updates }) => {
          const row = findRepo(world, owner, repo);
          const identity = identify(world, token === null ? null : `Bearer ${token}`);
          const actor = identity.ok ? findActor(world, identity.caller) : null;
          if (row === null || !identity.ok || actor === null) throw new Error(`a push to ${owner}/${repo} by nobody`);
          await recordPush({ world, repo: row, caller: identity.caller, actor }, updates);
          await world.save();
        },
      });
    await gitWithFaults(world, request, response, serve);
    return true;
  };
}

/** 404 for what the caller may not see, as GitHub hides private repositories; 401 makes git ask for a token. */
export function authorize(
  world: World,
  owner: string,
  name: string,
  token: string | null,
  service: 'upload-pack' | 'receive-pack',
): GitAuthorization {
  const identity = identify(world, token === null ? null : `Bearer ${token}`);
  if (!identity.ok) return 'unauthorized';
  if (findSuspension(world, identity.caller) !== null) return 'forbidden';
  const repo = findRepo(world, owner, name);
  const anonymous = identity.caller.kind === 'anonymous';
  if (repo === null) return anonymous ? 'unauthorized' : 'not-found';
  const verdict = judgeAccess(world, identity.caller, repo, service === 'receive-pack' ? pushing : fetching);
  switch (verdict) {
    case 'allowed':
      return 'ok';
    case 'sign-in':
      return 'unauthorized';
    case 'hidden':
      return anonymous ? 'unauthorized' : 'not-found';
    case 'missing-permission':
    case 'missing-role':
      return 'forbidden';
  }
}
