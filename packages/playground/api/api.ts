/** The entry point of the API: finds the route, identifies the caller, answers, and counts the request. */

import { createHash } from 'node:crypto';
import { answerGraphql } from '../graphql/answer.ts';
import { createRouter, type Match } from '../http/router.ts';
import { callerName, findSuspension, identify } from '../identity/identity.ts';
import type { Caller } from '../identity/state-people.ts';
import { playground } from '../limits/limits.ts';
import { countUsage, currentRate, type RateResource, rateHeaders, spendRequest } from '../limits/rate.ts';
import { beginRequest, secondaryWaitMs } from '../limits/secondary.ts';
import { type AnswerMade, publishAnswer } from '../world/channels.ts';
import type { Json } from '../world/json.ts';
import { nextId, type World } from '../world/world.ts';
import { allRoutes } from './all-routes.ts';
import { dispatch } from './dispatch.ts';
import { isOperation } from './github-operations.ts';
import { noBody, readJsonBody, readUpload } from './read-body.ts';
import { type Answer, failedAnswer, notFoundAnswer, rateLimitAnswer, secondaryLimitAnswer } from './reply.ts';
import { refuseHeaders, selectedVersion } from './request-headers.ts';
import type { Call, Route } from './route.ts';

const router = createRouter(allRoutes);
const restPrefix = '/api/v3';
/** The path for file uploads, like the host `uploads.github.com`. */
const uploadPrefix = '/api/uploads';

/** Answers any API request. An operation that is not served gets a 501 and is recorded in `state.unserved`. */
export async function answer(world: World, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const identity = identify(world, request.headers.get('authorization'));
  if (!identity.ok) return sendAnswer(world, request, { kind: 'anonymous' }, failedAnswer(401, identity.message));
  const { caller, token } = identity;
  const suspended = findSuspension(world, caller);
  if (suspended !== null) return sendAnswer(world, request, caller, failedAnswer(403, suspended));
  const isQuery = isGraphql(request) && request.method === 'POST';
  const isFree = url.pathname === `${restPrefix}/rate_limit`;
  if (!isQuery && !isFree && isLimitExceeded(world, caller, 'core'))
    return sendAnswer(world, request, caller, rateLimitAnswer(limitSubject(caller)));
  const prefix = [restPrefix, uploadPrefix].find((one) => url.pathname.startsWith(`${one}/`));
  const path = prefix === undefined ? null : url.pathname.slice(prefix.length);
  const match = path === null ? null : router(request.method === 'HEAD' ? 'GET' : request.method, path);
  if (!isQuery && match === null) return sendAnswer(world, request, caller, answerUnserved(world, request, caller));
  const unfit = isQuery
    ? null
    : refuseHeaders(request.headers, match?.route.pattern.endsWith('/assets/:asset') ?? false);
  if (unfit !== null) return sendAnswer(world, request, caller, unfit);
  const upload = prefix === uploadPrefix ? await readUpload(request) : null;
  const body = upload === null ? await readJsonBody(request) : noBody;
  if (!body.ok) return sendAnswer(world, request, caller, failedAnswer(400, body.message));
  if (isQuery || match === null) return graphql(world, request, caller, body.value);
  const call: Call = {
    world,
    caller,
    token,
    params: match.params,
    query: url.searchParams,
    body: body.value,
    accept: request.headers.get('accept') ?? '',
    url,
    ...(upload === null ? {} : { upload }),
  };
  const writes = request.method !== 'GET' && request.method !== 'HEAD';
  const cost = { points: writes ? 5 : 1, content: match.route.content, resource: 'core' } as const;
  const waitMs = secondaryWaitMs(world, caller, cost);
  if (waitMs !== null) return sendAnswer(world, request, caller, secondaryLimitAnswer(waitMs));
  const leave = beginRequest(world, caller, cost);
  const result = addAcceptedPermissions(match.route, await dispatch(call, match).finally(leave));
  if (request.method !== 'GET' && request.method !== 'HEAD' && result.status < 400) await world.save();
  countRequest(world, caller, match, result);
  // A partly served route names the part that it refuses.
  if (result.status === 501) recordUnserved(world, caller, request.method, `${url.pathname}${url.search}`);
  return sendAnswer(world, request, caller, result);
}

async function graphql(world: World, request: Request, caller: Caller, body: Json): Promise<Response> {
  if (caller.kind === 'anonymous' || caller.kind === 'app') {
    return sendAnswer(world, request, caller, failedAnswer(401, 'This endpoint requires you to be authenticated.'));
  }
  // Unlike REST, GraphQL answers a spent budget with status 200 and an error in the body.
  if (isLimitExceeded(world, caller, 'graphql')) {
    const message = `API rate limit exceeded for ${limitSubject(caller)}.`;
    const errors = [{ type: 'RATE_LIMITED', message }];
    return sendAnswer(world, request, caller, { status: 200, body: { errors }, headers: {} }, 'graphql');
  }
  const mutates = isMutation(body);
  const cost = { points: mutates ? 5 : 1, content: mutates, resource: 'graphql' } as const;
  const waitMs = secondaryWaitMs(world, caller, cost);
  if (waitMs !== null) return sendAnswer(world, request, caller, secondaryLimitAnswer(waitMs), 'graphql');
  spendRequest(world, caller, 'graphql');
  countUsage(world, caller, 'graphql');
  const leave = beginRequest(world, caller, cost);
  const result = await answerGraphql(world, caller, body).finally(leave);
  for (const what of result.unserved) recordUnserved(world, caller, 'GRAPHQL', what);
  if (result.mutation) {
    await world.save();
    if (result.content) countUsage(world, caller, 'contentWrites');
  }
  return sendAnswer(world, request, caller, { status: result.status, body: result.body, headers: {} }, 'graphql');
}

function isLimitExceeded(world: World, caller: Caller, resource: RateResource): boolean {
  const { used, limit } = currentRate(world, caller, resource);
  return used >= limit;
}

/** The name in GitHub's rate limit message. */
function limitSubject(caller: Caller): string {
  switch (caller.kind) {
    case 'anonymous':
      return '127.0.0.1';
    case 'user':
      return `user ID ${caller.userId}`;
    case 'installation':
      return `installation ID ${caller.installationId}`;
    case 'workflow':
      return 'installation';
    case 'app':
      return `app ID ${caller.appId}`;
  }
}

/** What the limits need to know before the query is parsed; any mutation may create content. */
function isMutation(body: Json): boolean {
  if (typeof body !== 'object' || body === null || !('query' in body)) return false;
  return typeof body['query'] === 'string' && /^\s*mutation\b/.test(body['query']);
}

/**
 * GitHub lists in every answer which permissions an App needs (docs.github.com/rest: troubleshooting, "Resource not
 * accessible").
 */
function addAcceptedPermissions(route: Route, answered: Answer): Answer {
  if (route.scope === 'plain') return answered;
  const needs = route.access.permissions.map((need) => need.replace(':', '=')).join('; ');
  return { ...answered, headers: { ...answered.headers, 'x-accepted-github-permissions': needs } };
}

function countRequest(world: World, caller: Caller, match: Match<Route>, result: Answer): void {
  const { route } = match;
  if (route.pattern === '/app/installations/:id/access_tokens') {
    countUsage(world, caller, 'mints');
    return;
  }
  if (route.content && result.status < 400) countUsage(world, caller, 'contentWrites');
}

function recordUnserved(world: World, caller: Caller, method: string, path: string): void {
  const row = { method, path, caller: callerName(world, caller), atMs: world.clock.now() };
  if (world.state.unserved.length < playground.unservedKept) world.state.unserved.push(row);
}

/** 404 for operations that GitHub does not have, 501 for operations that only the playground lacks. */
function answerUnserved(world: World, request: Request, caller: Caller): Answer {
  const { pathname } = new URL(request.url);
  if (!isOperation(request.method, pathname.replace(restPrefix, ''))) return notFoundAnswer();
  recordUnserved(world, caller, request.method, pathname);
  return failedAnswer(
    501,
    `THE PLAYGROUND HAS NO ROUTE ${request.method} ${pathname}: add it to the routes/ of its room`,
  );
}

/**
 * Adds GitHub's headers. A GET whose ETag the caller already has becomes a 304, which is not counted against the limit.
 */
function sendAnswer(
  world: World,
  request: Request,
  caller: Caller,
  answered: Answer,
  resource: RateResource = 'core',
): Response {
  const headers = new Headers({
    'x-github-request-id': requestId(world),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-enterprise-version': '3.20.0',
    'x-github-api-version-selected': selectedVersion(request.headers),
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP',
    date: new Date(world.clock.now()).toUTCString(),
    'access-control-expose-headers': 'ETag, Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  });
  const bytes = toBytes(answered.body);
  if (!(answered.body instanceof Uint8Array) && answered.body !== null) {
    headers.set('content-type', 'application/json; charset=utf-8');
  }
  for (const [name, value] of Object.entries(answered.headers)) headers.set(name, value);
  const reading = request.method === 'GET' && answered.status === 200;
  let known = false;
  if (reading) {
    const etag = `W/"${createHash('sha256').update(bytes).digest('hex')}"`;
    headers.set('etag', etag);
    headers.set('cache-control', 'private, max-age=60, s-maxage=60');
    known = (request.headers.get('if-none-match') ?? '').split(/,\s*/).includes(etag);
  }
  const free = new URL(request.url).pathname === `${restPrefix}/rate_limit`;
  if (known) countUsage(world, caller, 'notModified');
  // A 304 is free only for authenticated callers (docs: best practices, conditional requests).
  const isForNothing = known && caller.kind !== 'anonymous';
  if (!isForNothing && resource === 'core' && !free && !isTokenRequest(request)) {
    spendRequest(world, caller);
    countUsage(world, caller, 'rest');
  }
  for (const [name, value] of Object.entries(rateHeaders(currentRate(world, caller, resource), resource)))
    headers.set(name, value);
  if (known) return new Response(null, { status: 304, headers });
  if (!isGraphql(request)) publishAnswer(() => toAnswerMade(request, answered));
  const empty = answered.body === null || request.method === 'HEAD';
  return new Response(empty ? null : new Uint8Array(bytes), { status: answered.status, headers });
}

function toAnswerMade(request: Request, { status, body }: Answer): AnswerMade {
  const path = new URL(request.url).pathname.replace(/^\/api\/(?:v3|uploads)/, '');
  const text = body instanceof Uint8Array || body === null ? null : JSON.stringify(body);
  return { method: request.method, path, status, text };
}

function isGraphql(request: Request): boolean {
  return new URL(request.url).pathname === '/api/graphql';
}

function isTokenRequest(request: Request): boolean {
  return request.method === 'POST' && /\/app\/installations\/\d+\/access_tokens$/.test(new URL(request.url).pathname);
}

function toBytes(body: Answer['body']): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return body === null ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body));
}

function requestId(world: World): string {
  const number = nextId(world, 'requests').toString(16).toUpperCase().padStart(8, '0');
  return `PLAY:${number.slice(0, 4)}:${number.slice(4)}:0000:${Math.floor(world.clock.now() / 1000)
    .toString(16)
    .toUpperCase()}`;
}
