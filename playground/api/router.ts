/** Finds the route of a method and path among all routes. */

import type { Method, Route } from './route.ts';

export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> };
export type Router = (method: string, path: string) => Match | null;

/** Routes are tried by method and number of segments; literal segments win over parameters. */
export function createRouter(routes: readonly Route[]): Router {
  const byMethod = new Map<Method, readonly Compiled[]>();
  for (const route of routes) {
    const others = byMethod.get(route.method) ?? [];
    byMethod.set(route.method, [...others, compile(route)]);
  }
  for (const [method, list] of byMethod) {
    byMethod.set(
      method,
      list.toSorted((a, b) => rank(a) - rank(b)),
    );
  }
  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const [known, list] of byMethod) {
      if (known !== method) continue;
      for (const one of list) {
        const params = match(one.segments, segments);
        if (params !== null) return { route: one.route, params };
      }
    }
    return null;
  };
}

type Compiled = { readonly route: Route; readonly segments: readonly string[] };

function compile(route: Route): Compiled {
  return { route, segments: route.pattern.split('/').slice(1) };
}

function rank(one: Compiled): number {
  const wild = one.segments.some((segment) => segment.endsWith('*')) ? 100 : 0;
  return wild + one.segments.filter((segment) => segment.startsWith(':')).length;
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [index, want] of pattern.entries()) {
    if (want.endsWith('*')) {
      const rest = segments.slice(index).map(decode).join('/');
      // A path, a ref or a comparison may be empty (the root, all of them); a branch and an object have a name.
      if (rest === '' && (want === ':branch*' || want === ':sha*')) return null;
      params[want.slice(1, -1)] = rest;
      return params;
    }
    const have = segments[index];
    if (have === undefined) return null;
    if (want.startsWith(':')) {
      if (have === '') return null;
      params[want.slice(1)] = decode(have);
    } else if (want !== have) return null;
  }
  return pattern.length === segments.length ? params : null;
}

/** A malformed escape stays as it is written: it then names nothing, and the route answers 404. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}
