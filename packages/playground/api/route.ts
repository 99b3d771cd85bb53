/** A route of the API as data: method, path, who may use it, and the function that answers. */

import type * as z from 'zod';
import type { PermissionNeed, RepoAccess } from '../identity/permissions.ts';
import type { Caller, Role, User } from '../identity/state-people.ts';
import type { Json } from '../world/json.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { type Answer, failedAnswer, unprocessableAnswer } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may use a route that belongs to no repository. */
export type PlainAccess = 'public' | 'app' | 'installation' | 'signed-in';

export type Call = {
  readonly world: World;
  readonly caller: Caller;
  /** The caller's token, for routes that revoke it. */
  readonly token: string | null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON of the request; null without one. */
  readonly body: Json;
  readonly accept: string;
  /** The bytes of a request to `/api/uploads`, the upload path. */
  readonly upload?: { readonly bytes: Uint8Array; readonly contentType: string };
  readonly url: URL;
};

/** A call under `/repos/:owner/:repo` by a caller who has the permission. */
export type RepoCall = Call & { readonly repo: Repo };

/** A call that changes something in a repository; `actor` is the account that the change is attributed to. */
export type ActorCall = RepoCall & { readonly actor: User };

export type Reply = Answer | Promise<Answer>;

export type Route = {
  readonly method: Method;
  /** `/repos/:owner/:repo/issues/:number`; a last segment `:path*` matches the rest, including slashes. */
  readonly pattern: string;
  /** Counts as content (an issue, comment, review or reaction) against GitHub's secondary limit. */
  readonly content: boolean;
} & (
  | { readonly scope: 'plain'; readonly access: PlainAccess; readonly handle: (call: Call) => Reply }
  | { readonly scope: 'repo'; readonly access: RepoAccess; readonly handle: (call: RepoCall) => Reply }
  | { readonly scope: 'actor'; readonly access: RepoAccess; readonly handle: (call: ActorCall) => Reply }
);

/**
 * The permissions (any one suffices) for Apps and workflows, the role for people, and GitHub's message when the role is
 * missing.
 */
export function repoAccess(
  permissions: PermissionNeed | readonly PermissionNeed[],
  role: Role | 'anyone' | 'public',
  refusal?: string,
): RepoAccess {
  return {
    permissions: typeof permissions === 'string' ? [permissions] : permissions,
    role,
    ...(refusal === undefined ? {} : { refusal }),
  };
}

export function plainRoute(method: Method, pattern: string, access: PlainAccess, handle: (call: Call) => Reply): Route {
  return { method, pattern, content: false, scope: 'plain', access, handle };
}

/** A route that reads a repository. */
export function readRoute(path: string, access: RepoAccess, handle: (call: RepoCall) => Reply): Route {
  return { method: 'GET', pattern: `/repos/:owner/:repo${path}`, content: false, scope: 'repo', access, handle };
}

/** A route that changes a repository and takes no body. */
export function actRoute(method: Method, path: string, access: RepoAccess, handle: (call: ActorCall) => Reply): Route {
  return { method, pattern: `/repos/:owner/:repo${path}`, content: false, scope: 'actor', access, handle };
}

/** A route that changes a repository. A body that the schema rejects gets a 422 with the field's name. */
export function writeRoute<Body>(
  method: Method,
  path: string,
  access: RepoAccess,
  schema: z.ZodType<Body>,
  handle: (call: ActorCall, body: Body) => Reply,
): Route {
  return actRoute(method, path, access, (call) => parseBodyAnd(call.body, schema, (body) => handle(call, body)));
}

/** The same route, counted as content. */
export function contentRoute(route: Route): Route {
  return { ...route, content: true };
}

export function parseBodyAnd<Body>(body: Json, schema: z.ZodType<Body>, handle: (body: Body) => Reply): Reply {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return handle(parsed.data);
  if (body !== null && (typeof body !== 'object' || Array.isArray(body)))
    return failedAnswer(400, 'Body should be a JSON object');
  return unprocessableAnswer(
    `Invalid request.\n\n${parsed.error.issues.map((issue) => describeIssue(issue, body)).join(' ')}`,
  );
}

/** GitHub's message for a body that does not match the documentation. */
function describeIssue(issue: z.core.$ZodIssue, body: Json): string {
  const given = issue.path.reduce(
    (at: unknown, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    body,
  );
  const isMissing = ['invalid_type', 'invalid_union'].includes(issue.code) && given === undefined;
  const field = issue.path.map(String).join('/');
  return isMissing ? `"${field}" wasn't supplied.` : `For 'properties/${field}', ${issue.message}.`;
}
