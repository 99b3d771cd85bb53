/**
 * The host name under which the API is served without `/api/v3`, as `api.github.com` is: `gh` with
 * `GH_HOST=github.localhost` asks `http://api.github.localhost/` (cli/cli, internal/ghinstance/host.go), through HTTP_PROXY.
 */

const apiHost = /^(api|uploads)\.github\.localhost(?::\d+)?$/i;

/** The request's address as the rest of the playground reads it; the host stays, so that `Link` leads back to it. */
export function addressOf(target: string | undefined, host: string | undefined, origin: string): URL {
  const url = new URL(target ?? '/', origin);
  const [, door] = apiHost.exec(host ?? '') ?? [];
  if (door === undefined) return url;
  url.host = host ?? url.host;
  const prefix = door.toLowerCase() === 'uploads' ? '/api/uploads' : '/api/v3';
  if (!url.pathname.startsWith('/api/'))
    url.pathname = url.pathname === '/graphql' ? '/api/graphql' : `${prefix}${url.pathname}`;
  return url;
}

/** The answer with its addresses of the API under the name by which it was asked: `gh` shows its token to no other host. */
export async function asAskedBy(
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
