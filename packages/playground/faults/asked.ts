/** A request with the facts that fault rules match. */

import { github } from '../limits/limits.ts';

/** A request with its facts; `request` can still be read. */
export type DescribedRequest = {
  readonly request: Request;
  /** `METHOD /path` as in GitHub's reference, then as requested if that is different. */
  readonly routes: readonly [string, ...string[]];
  /** The token, or an empty text. */
  readonly caller: string;
  readonly writes: boolean;
  /** Identifies equal reads. */
  readonly key: string;
};

/** Collects the facts; a body is read from a copy. */
export async function describeRequest(request: Request): Promise<DescribedRequest> {
  const url = new URL(request.url);
  const caller = request.headers.get('authorization') ?? '';
  const route = `${request.method} ${url.pathname.replace(/^\/api(?:\/v3|(?=\/graphql$))/, '')}`;
  const routes = [route, `${request.method} ${url.pathname}`] as const;
  if (!url.pathname.endsWith('/graphql')) {
    const writes = request.method !== 'GET' && request.method !== 'HEAD';
    return { request, routes, caller, writes, key: `${caller} ${route}${url.search}` };
  }
  const text = await request.clone().text();
  const writes = /"query"\s*:\s*"\s*mutation\b/.test(text.replaceAll('\\n', ' '));
  return { request, routes, caller, writes, key: `${caller} ${route} ${text.slice(0, github.bodyCharacters)}` };
}
