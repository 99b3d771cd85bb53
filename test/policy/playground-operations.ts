/** Each operation of GitHub that `src/` uses, and which checks of the playground reach it. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { allRoutes } from '../../packages/playground/api/all-routes.ts';

const described = z.object({ operations: z.record(z.string(), z.unknown()) });
const empty = '–';

/** One operation; a cell is the test that goes past it, or `–`. */
export type CoverageRow = {
  readonly operation: string;
  readonly served: string;
  readonly schema: string;
  readonly permission: string;
  readonly fault: string;
};

/**
 * The checks go over every route that there is, so that a route is all they need: permissions in
 * packages/playground/test/api/permission-matrix.test.ts, faults in packages/playground/test/faults/every-route.test.ts.
 */
export async function coverageRows(root: string): Promise<readonly CoverageRow[]> {
  const fixture = await readFile(join(root, 'packages/playground/fixtures/openapi/rest.json'), 'utf8');
  const known = described.parse(JSON.parse(fixture)).operations;
  const served = new Map(allRoutes.map((route) => [describePlaces(`${route.method} ${route.pattern}`), route]));
  return (await operationsOfSource(root)).map((operation) => {
    if (operation === graphql) return graphqlRow;
    const route = served.get(describePlaces(operation));
    const isServed = route !== undefined;
    return {
      operation,
      served: isServed ? 'yes' : empty,
      schema: known[operation] === undefined ? empty : 'REST',
      permission: !isServed ? empty : route.scope === 'plain' ? 'kind of token' : 'matrix',
      fault: isServed ? 'six kinds' : empty,
    };
  });
}

/** Operations of which something is not checked. */
export function listGaps(rows: readonly CoverageRow[]): readonly string[] {
  return rows.filter((row) => Object.values(row).includes(empty)).map(({ operation }) => operation);
}

/** Rooms that speak to somebody else's API. */
const otherApis = /^(?:engines|clouds|trackers|checkpoints)\//;
const graphql = 'POST /graphql';
/** Its schema is compared with GitHub's, its fields ask for permissions one by one (packages/playground/test/graphql/). */
const graphqlRow: CoverageRow = {
  operation: graphql,
  served: 'yes',
  schema: 'GraphQL',
  permission: 'by field',
  fault: 'six kinds',
};

/** `METHOD /path` as the source writes it, each once, however GraphQL's address is put together. */
async function operationsOfSource(root: string): Promise<readonly string[]> {
  const files = await readdir(join(root, 'src'), { recursive: true });
  const texts = files
    .filter((file) => file.endsWith('.ts') && !otherApis.test(file))
    .map((file) => readFile(join(root, 'src', file), 'utf8'));
  const found = (await Promise.all(texts)).flatMap((text) =>
    [...text.matchAll(/['`]((?:GET|POST|PUT|PATCH|DELETE) (?:\/[a-z]|\$\{)[^'`\s]*)['`]/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  return [...new Set(found.map((one) => (one.endsWith('/graphql') ? graphql : one)))].toSorted();
}

/** Names of parameters differ between GitHub and us, their places do not. */
function describePlaces(operation: string): string {
  return operation.replaceAll(/\{[^}]*\}|:[A-Za-z]+\*?/g, '{}');
}
