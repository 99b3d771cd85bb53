/** A request as the faults look at it. */

import { github } from '../limits/limits.ts';

/** A request with what the faults look at; `request` can still be read. */
export type Asked = {
  readonly request: Request;
  /** `METHOD /path` as GitHub's reference writes it, then as the request did where that is something else. */
  readonly routes: readonly [string, ...string[]];
  /** Token, or nothing. */
  readonly caller: string;
  readonly writes: boolean;
  /** What makes two reads the same. */
  readonly key: string;
};

/** Reads what is to be known; a body is read from a copy. */
export async function looked(request: Request): Promise<Asked> {
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
  return {
    request,
    routes,
    caller,
    writes,
    key: `${caller} ${route} ${text.slice(0, github.bodyCharacters)}`,
  };
}
