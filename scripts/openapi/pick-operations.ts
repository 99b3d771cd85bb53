/** Picks from GitHub's description of its REST API the operations that the playground serves. */

import type { Route } from '../../packages/playground/api/route.ts';
import { asObject, bareSchema, mapValues, resolveReference } from './bare-schema.ts';

export type PickedOperations = {
  /** `GET /repos/{owner}/{repo}` to status to media type to schema. */
  readonly operations: Readonly<Record<string, unknown>>;
  /** Routes of ours that GitHub does not have. */
  readonly unknown: readonly string[];
};

/**
 * Where the description contradicts itself: in this list alone an installation's account is said to be a user and an
 * enterprise at once; read one by one, the same installations have one or the other.
 */
const errata: Readonly<Record<string, unknown>> = {
  'GET /app/installations': {
    '200': { 'application/json': { type: 'array', items: { $ref: '#/components/schemas/installation' } } },
  },
};

/** The names of parameters differ between GitHub and us, their places do not. */
export function pickOperations(
  description: unknown,
  routes: readonly Pick<Route, 'method' | 'pattern'>[],
): PickedOperations {
  const paths = asObject(asObject(description)['paths']);
  const byPlaces = new Map(Object.keys(paths).map((path) => [path.replaceAll(/\{[^}]*\}/g, '{}'), path]));
  const operations: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const { method, pattern } of routes) {
    const places = pattern.replaceAll(/:[A-Za-z]+\*?/g, '{}');
    // `GET …/contents` is `…/contents/{path}` without the path: the documentation says so, the description does not.
    const path = byPlaces.get(places) ?? byPlaces.get(places.replace(/\/contents$/, '/contents/{}')) ?? '';
    const operation = paths[path] === undefined ? undefined : asObject(paths[path])[method.toLowerCase()];
    if (operation === undefined) unknown.push(`${method} ${pattern}`);
    else
      operations[`${method} ${path}`] = errata[`${method} ${path}`] ?? readResponses(description, asObject(operation));
  }
  return { operations, unknown };
}

function readResponses(description: unknown, operation: Readonly<Record<string, unknown>>): unknown {
  return mapValues(asObject(operation['responses']), (entry) => {
    const { $ref: reference } = asObject(entry);
    const response = typeof reference === 'string' ? resolveReference(description, reference) : entry;
    const content = asObject(asObject(response)['content'] ?? {});
    return mapValues(content, (media) => bareSchema(asObject(media)['schema'] ?? {}));
  });
}
