/** GraphQL over the same client: one query reads a whole thread, edit history included, which REST does not tell. */

import type { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

/** Runs a query and parses its data. GraphQL answers errors with status 200: any error makes the fact unknown. */
export async function query<Schema extends z.ZodType>(
  client: GitHubClient,
  text: string,
  variables: Record<string, unknown>,
  schema: Schema,
): Promise<Observed<z.infer<Schema>>> {
  // On GitHub Enterprise Server REST lies under /api/v3 and GraphQL under /api/graphql.
  const baseUrl = client.baseUrl.replace(/\/v3\/?$/, '');
  const outcome = await call(client, 'POST /graphql', { baseUrl, query: text, variables });
  if (outcome.kind !== 'answered') return unknown(`GitHub did not answer: ${outcome.message}`);
  const answer = outcome.data as {
    readonly data?: unknown;
    readonly errors?: readonly { readonly message?: string }[];
  };
  if (answer.errors !== undefined && answer.errors.length > 0)
    return unknown(`GitHub: ${answer.errors[0]?.message ?? 'unnamed error'}`);
  const parsed = schema.safeParse(answer.data);
  return parsed.success
    ? known(parsed.data)
    : unknown(`an answer of another shape: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}
