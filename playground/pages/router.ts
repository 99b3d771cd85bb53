/** Finds the handler of a path among patterns such as `/:owner/:repo/pull/:number`. */
import type { Params } from './visit.ts';

export type Route<Handler> = { readonly pattern: string; readonly handler: Handler };
export type Match<Handler> = { readonly handler: Handler; readonly params: Params };

/** First match wins. `:name` takes one segment, `:name*` at the end takes the rest (at least one segment), `:name#` a number. */
export function findRoute<Handler>(
  routes: readonly Route<Handler>[],
  segments: readonly string[],
): Match<Handler> | null {
  for (const route of routes) {
    const params = matchPattern(
      route.pattern.split('/').filter((part) => part !== ''),
      segments,
    );
    if (params !== null) return { handler: route.handler, params };
  }
  return null;
}

function matchPattern(pattern: readonly string[], segments: readonly string[]): Params | null {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index];
    if (segment === undefined) return null;
    if (part.endsWith('*')) return { ...params, [part.slice(1, -1)]: segments.slice(index).join('/') };
    if (!part.startsWith(':')) {
      if (part !== segment) return null;
    } else if (!part.endsWith('#')) {
      params[part.slice(1)] = segment;
    } else {
      if (!/^\d{1,15}$/.test(segment)) return null;
      params[part.slice(1, -1)] = segment;
    }
  }
  return pattern.length === segments.length ? params : null;
}
