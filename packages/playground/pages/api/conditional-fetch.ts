/** Requests only what changed: a page that reloads at every change would otherwise use up a person's request budget. */
import type { Fetch } from './api.ts';

type CachedAnswer = { readonly etag: string; readonly body: Uint8Array<ArrayBuffer>; readonly headers: Headers };

/**
 * Sends `If-None-Match` with the cached answer's ETag. A 304, which does not count against the hourly limit, as on
 * GitHub (docs.github.com/rest/using-the-rest-api/best-practices), returns the cached answer. At most `keptMax` answers
 * are cached; the oldest are dropped.
 */
export function conditionalFetch(fetch: Fetch, keptMax: number): Fetch {
  const answers = new Map<string, CachedAnswer>();
  return async (request) => {
    if (request.method !== 'GET') return fetch(request);
    const key = [request.url, request.headers.get('authorization'), request.headers.get('accept')].join('\n');
    const kept = answers.get(key);
    if (kept !== undefined) request.headers.set('if-none-match', kept.etag);
    const response = await fetch(request);
    if (response.status === 304 && kept !== undefined) {
      // The headers of a 304 update the cached ones (RFC 9111, 4.3.4): the same list page may have a next page by now.
      const headers = new Headers(kept.headers);
      for (const [name, value] of response.headers) headers.set(name, value);
      return new Response(kept.body, { headers });
    }
    const etag = response.headers.get('etag');
    if (response.status !== 200 || etag === null) return response;
    const body = new Uint8Array(await response.arrayBuffer());
    answers.delete(key);
    answers.set(key, { etag, body, headers: response.headers });
    for (const oldest of answers.keys()) {
      if (answers.size <= keptMax) break;
      answers.delete(oldest);
    }
    return new Response(body, { headers: response.headers });
  };
}
