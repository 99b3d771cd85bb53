/** Routes of repositories, people and small features: repository, collaborators, users, rate limit, Markdown. */

import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import { type Answer, failedAnswer, noContentAnswer, notFoundAnswer, okAnswer, rawAnswer } from '../../api/reply.ts';
import {
  type Call,
  parseBodyAnd,
  plainRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
} from '../../api/route.ts';
import { shapeRoot } from '../../api/shape-root.ts';
import { findActor } from '../../identity/identity.ts';
import { coarsePermission, userRole } from '../../identity/permissions.ts';
import { shapePublicUser, shapeUser } from '../../identity/shape-people.ts';
import type { Role } from '../../identity/state-people.ts';
import { currentRate, type RateResource } from '../../limits/rate.ts';
import type { JsonObject } from '../../world/json.ts';
import { findUser, userById } from '../../world/lookup.ts';
import { shapeFullRepo, shapeRolePermissions } from '../shape-repo.ts';

const metadata = repoAccess('metadata:read', 'public');
/** People need push access to list other collaborators; Apps need only metadata. */
const askWho = repoAccess('metadata:read', 'write', 'Must have push access to view repository collaborators.');
const askRole = repoAccess('metadata:read', 'write', 'Must have push access to view collaborator permission.');
const markdown = z.object({ text: z.string(), mode: z.enum(['markdown', 'gfm']).default('markdown') });

export const repoRoutes: readonly Route[] = [
  readRoute('', metadata, (call) => {
    const actor = findActor(call.world, call.caller);
    const role = actor === null ? null : userRole(call.repo, actor.id);
    return okAnswer(shapeFullRepo(call.world, call.repo, role));
  }),
  readRoute('/collaborators', askWho, listCollaborators),
  readRoute('/collaborators/:login', askWho, (call) => {
    const user = findUser(call.world, call.params['login'] ?? '');
    return user === null || userRole(call.repo, user.id) === null ? notFoundAnswer() : noContentAnswer();
  }),
  readRoute('/collaborators/:login/permission', askRole, getPermission),
  plainRoute('GET', '/user', 'signed-in', (call) => {
    if (call.caller.kind !== 'user') return failedAnswer(403, 'Resource not accessible by integration');
    return okAnswer(shapePublicUser(call.world, userById(call.world, call.caller.userId)));
  }),
  plainRoute('GET', '/users/:login', 'public', (call) => {
    const user = findUser(call.world, call.params['login'] ?? '');
    return user === null ? notFoundAnswer() : okAnswer(shapePublicUser(call.world, user));
  }),
  plainRoute('GET', '/rate_limit', 'public', getRateLimit),
  plainRoute('GET', '/', 'public', (call) => okAnswer(shapeRoot(call.world))),
  plainRoute('GET', '/meta', 'public', () => okAnswer({ verifiable_password_authentication: false })),
  plainRoute('POST', '/markdown', 'public', (call) => {
    return parseBodyAnd(call.body, markdown, (body) => {
      const html = micromark(body.text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
      return rawAnswer(Buffer.from(html), 'text/html; charset=utf-8');
    });
  }),
];

function listCollaborators(call: RepoCall): Promise<Answer> {
  const rows = Object.entries(call.repo.collaborators);
  return answerPage(call, rows, ([id, role]) => ({
    ...shapeUser(call.world, userById(call.world, Number(id))),
    permissions: shapeRolePermissions(role),
    role_name: role,
  }));
}

/**
 * docs.github.com/rest/collaborators: `permission` has four values, `role_name` more. An account without a role has
 * `read` on a public repository; an App's account is 404 "not a user".
 */
function getPermission(call: RepoCall): Answer {
  const login = call.params['login'] ?? '';
  const user = findUser(call.world, login);
  if (user === null || user.type !== 'User') return failedAnswer(404, `${login} is not a user`);
  const role = userRole(call.repo, user.id);
  const permission = coarsePermission(call.repo, role);
  const shown: Role | null = role ?? (permission === 'none' ? null : 'read');
  return okAnswer({
    permission,
    role_name: shown ?? 'none',
    user: { ...shapeUser(call.world, user), permissions: shapeRolePermissions(shown), role_name: shown ?? 'none' },
  });
}

function getRateLimit(call: Call): Answer {
  const of = (resource: RateResource): JsonObject => {
    const rate = currentRate(call.world, call.caller, resource);
    return {
      limit: rate.limit,
      used: rate.used,
      remaining: Math.max(0, rate.limit - rate.used),
      reset: Math.ceil(rate.resetAtMs / 1000),
    };
  };
  const core = of('core');
  return okAnswer({ resources: { core, graphql: of('graphql'), search: core }, rate: core });
}
