/** GraphQL requests. */

import type { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** A part that may be missing: for any error, or only if GitHub does not find it. */
export type OptionalPart = {
  readonly path: readonly string[];
  readonly only: 'NOT_FOUND' | null;
};

/**
 * GraphQL reports errors with status 200. An error makes the result unknown; an error in an optional part makes the whole part null, so
 * that a partial answer never looks complete.
 */
export async function query<Schema extends z.ZodType>(
  client: GitHubClient,
  text: string,
  variables: Record<string, unknown>,
  schema: Schema,
  optional: readonly OptionalPart[] = [],
): Promise<Observed<z.infer<Schema>>> {
  // GitHub Enterprise Server has REST at /api/v3 and GraphQL at /api/graphql.
  const baseUrl = client.baseUrl.replace(/\/v3\/?$/, '');
  const outcome = await call(client, 'POST /graphql', { baseUrl, query: text, variables });
  if (outcome.kind !== 'answered') return unknown(`GitHub did not answer: ${outcome.message}`);
  const answer = outcome.data as {
    readonly data?: unknown;
    readonly errors?: readonly GraphqlError[];
  };
  const errors = answer.errors ?? [];
  const grave = errors.find((error) => !optional.some((part) => isOf(error, part)));
  if (grave !== undefined) return unknown(`GitHub: ${grave.message ?? 'unnamed error'}`);
  const missing = optional.filter((part) => errors.some((error) => isOf(error, part)));
  const data = missing.reduce((left: unknown, { path }) => without(left, path), answer.data);
  const parsed = schema.safeParse(data);
  return parsed.success
    ? known(parsed.data)
    : unknown(`an answer of another shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}

type GraphqlError = {
  readonly message?: string;
  readonly type?: string;
  readonly path?: readonly (string | number)[];
};

/** NOT_FOUND must concern the part itself, other errors anything below it. */
function isOf({ path, type }: GraphqlError, part: OptionalPart): boolean {
  if (path === undefined || !part.path.every((name, index) => path[index] === name)) return false;
  return part.only === null || (type === part.only && path.length === part.path.length);
}

function without(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof data !== 'object' || data === null) return null;
  // Objects in an answer have string keys.
  const fields = data as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: without(fields[name], rest) };
}
