/**
 * The host name that serves the API without `/api/v3`, like `api.github.com`: `gh` with `GH_HOST=github.localhost`
 * requests `http://api.github.localhost/` (cli/cli, internal/ghinstance/host.go), through HTTP_PROXY.
 */

const apiHost = /^(api|uploads)\.github\.localhost(?::\d+)?$/i;

/** The request's address in the playground's usual form. The host stays, so that `Link` headers point back to it. */
export function requestAddress(target: string | undefined, host: string | undefined, origin: string): URL {
  const url = new URL(target ?? '/', origin);
  const [, door] = apiHost.exec(host ?? '') ?? [];
  if (door === undefined) return url;
  url.host = host ?? url.host;
  const prefix = door.toLowerCase() === 'uploads' ? '/api/uploads' : '/api/v3';
  if (!url.pathname.startsWith('/api/'))
    url.pathname = url.pathname === '/graphql' ? '/api/graphql' : `${prefix}${url.pathname}`;
  return url;
}

/** The answer with its API addresses under the requested host name, because `gh` sends its token to no other host. */
export async function withRequestedHost(
  host: string | undefined,
  origin: string,
  response: Response,
): Promise<Response> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (!apiHost.test(host ?? '') || !isJson) return response;
  const text = (await response.text())
    .replaceAll(`${origin}/api/v3/`, 'http://api.github.localhost/')
    .replaceAll(`${origin}/api/uploads/`, 'http://uploads.github.localhost/');
  return new Response(text, { status: response.status, headers: response.headers });
}
