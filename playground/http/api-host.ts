/**
 * The host name under which the API is served without `/api/v3`, as `api.github.com` is: `gh` with
 * `GH_HOST=github.localhost` asks `http://api.github.localhost/` (cli/cli, internal/ghinstance/host.go), through HTTP_PROXY.
 */

const apiHost = /^api\.github\.localhost(?::\d+)?$/i;

/** The request's address as the rest of the playground reads it; the host stays, so that `Link` leads back to it. */
export function addressOf(target: string | undefined, host: string | undefined, origin: string): URL {
  const url = new URL(target ?? '/', origin);
  if (!apiHost.test(host ?? '')) return url;
  url.host = host ?? url.host;
  if (!url.pathname.startsWith('/api/'))
    url.pathname = url.pathname === '/graphql' ? '/api/graphql' : `/api/v3${url.pathname}`;
  return url;
}
