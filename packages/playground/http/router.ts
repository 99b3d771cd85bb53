/** Finds the route of a method and path, for the API and for the pages. */

import { TrieRouter } from 'hono/router/trie-router';

type Routed = { readonly method: string; readonly pattern: string };

export type Match<Route> = { readonly route: Route; readonly params: Readonly<Record<string, string>> };
export type Router<Route> = (method: string, path: string) => Match<Route> | null;

/**
 * `:name` matches one segment, `:name#` a number, a last `:name*` the rest, including slashes. Literal segments win
 * over parameters, and both over a rest.
 */
export function createRouter<Route extends Routed>(routes: readonly Route[]): Router<Route> {
  const router = new TrieRouter<Route>();
  for (const route of routes.toSorted((a, b) => patternRank(a.pattern) - patternRank(b.pattern)))
    router.add(
      route.method,
      route.pattern
        .replace(/:(\w+)\*$/, (_, name: string) => `:${name}{${neverEmpty.has(name) ? '.+' : '.*'}}`)
        .replace(/:(\w+)#/g, String.raw`:$1{\d{1,15}}`),
      route,
    );
  return (method, path) => {
    const [found] = router.match(method, path)[0];
    if (found === undefined) return null;
    const [route, params] = found;
    const decoded = Object.entries(params).map(([name, value]) => [name, decode(String(value))]);
    return { route, params: Object.fromEntries(decoded) };
  };
}

/** A path, a ref or a comparison may be empty (the root, all of them); these parameters may not. */
const neverEmpty: ReadonlySet<string> = new Set(['branch', 'sha', 'rest']);

function patternRank(pattern: string): number {
  return (pattern.endsWith('*') ? 100 : 0) + pattern.split(':').length;
}

/** A malformed escape is kept as written: it then matches nothing, and the route answers 404. */
function decode(text: string): string {
  const segments = text.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch (error) {
      if (error instanceof URIError) return segment;
      throw error;
    }
  });
  return segments.join('/');
}
