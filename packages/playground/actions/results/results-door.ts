/** The artifact and cache service of a job (`ACTIONS_RESULTS_URL`) and the addresses that it returns. */

import { readJsonBody } from '../../api/read-body.ts';
import { playground } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import { artifactService } from './artifact-service.ts';
import { answerBlob } from './blob-door.ts';
import { cacheService } from './cache-service.ts';
import { findJobOfToken } from './runtime-token.ts';
import { BLOBS } from './signed-address.ts';
import { errorAnswer, type TwirpMethod, toResponse } from './twirp.ts';

const PACKAGE = '/twirp/github.actions.results.api.v1.';
/** The older cache service, which `ACTIONS_CACHE_SERVICE_V2` turns off. */
const OLDER = '/_apis/';
const SERVICES: Readonly<Record<string, Readonly<Record<string, TwirpMethod>>>> = {
  ArtifactService: artifactService,
  CacheService: cacheService,
};

export function isResults(path: string): boolean {
  return path.startsWith('/twirp/') || path.startsWith(`${BLOBS}/`) || path.startsWith(OLDER);
}

/** Answers the requests that `isResults` accepts. */
export async function answerResults(world: World, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith(`${BLOBS}/`)) return answerBlob(world, request);
  const [service = '', name = ''] = pathname.startsWith(PACKAGE) ? pathname.slice(PACKAGE.length).split('/') : [];
  const methods = Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
  const found = methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (found === undefined) {
    remember(world, request.method, pathname);
    return toResponse(errorAnswer('unimplemented', `THE PLAYGROUND HAS NO SERVICE ${pathname}`));
  }
  if (request.method !== 'POST') return toResponse(errorAnswer('bad_route', 'a method of a service is a POST'));
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const by = findJobOfToken(world, token);
  if (by === null) return toResponse(errorAnswer('unauthenticated', 'this is no token of a job that runs'));
  const body = await readJsonBody(request);
  if (!body.ok) return toResponse(errorAnswer('invalid_argument', body.message));
  const answer = found(world, by, body.value);
  await world.save();
  return toResponse(answer);
}

function remember(world: World, method: string, path: string): void {
  if (world.state.unserved.length >= playground.unservedKept) return;
  world.state.unserved.push({ method, path, caller: 'job', atMs: world.clock.now() });
}
