/** GraphQL over the same client: one query reads a whole thread, edit history included, which REST does not tell. */

import type { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/**
 * Runs a query and parses its data. GraphQL answers errors with status 200: any error makes the fact unknown, except one
 * below `optional`: what stands there becomes null as a whole, so that half an answer never looks like all of it.
 */
export async function query<Schema extends z.ZodType>(
  client: GitHubClient,
  text: string,
  variables: Record<string, unknown>,
  schema: Schema,
  optional: readonly string[] | null = null,
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
  const grave = errors.find((error) => optional === null || !isBelow(error, optional));
  if (grave !== undefined) return unknown(`GitHub: ${grave.message ?? 'unnamed error'}`);
  const data = optional === null || errors.length === 0 ? answer.data : without(answer.data, optional);
  const parsed = schema.safeParse(data);
  return parsed.success
    ? known(parsed.data)
    : unknown(`an answer of another shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}

type GraphqlError = { readonly message?: string; readonly path?: readonly (string | number)[] };

function isBelow({ path }: GraphqlError, place: readonly string[]): boolean {
  return path !== undefined && place.every((name, index) => path[index] === name);
}

/** The data with null at the place. */
function without(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof data !== 'object' || data === null) return null;
  // An object of an answer has string keys only.
  const fields = data as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: without(fields[name], rest) };
}
