/** GraphQL over the same client: one query reads a whole thread, edit history included, which REST does not tell. */

import type { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** A part of an answer that may be missing: for any reason, or only because GitHub says that there is no such thing. */
export type OptionalPart = {
  readonly path: readonly string[];
  readonly only: 'NOT_FOUND' | null;
};

/**
 * Runs a query and parses its data. GraphQL answers errors with status 200: any error makes the fact unknown, except one
 * of an optional part: what stands there becomes null as a whole, so that half an answer never looks like all of it.
 */
export async function query<Schema extends z.ZodType>(
  client: GitHubClient,
  text: string,
  variables: Record<string, unknown>,
  schema: Schema,
  optional: readonly OptionalPart[] = [],
): Promise<Observed<z.infer<Schema>>> {
  // On GitHub Enterprise Server REST lies under /api/v3 and GraphQL under /api/graphql.
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

/** What is not there is said of the part itself; what cannot be told, of anything below it. */
function isOf({ path, type }: GraphqlError, part: OptionalPart): boolean {
  if (path === undefined || !part.path.every((name, index) => path[index] === name)) return false;
  return part.only === null || (type === part.only && path.length === part.path.length);
}

/** The data with null at the place. */
function without(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof data !== 'object' || data === null) return null;
  // An object of an answer has string keys only.
  const fields = data as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: without(fields[name], rest) };
}
