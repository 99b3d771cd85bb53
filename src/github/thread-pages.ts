/** Reads the older pages of a GraphQL connection. */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';

/** Eight times GitHub's own limit of comments per thread, so that a flood does not make a thread unknown. */
export const THREAD_COMMENTS_MAX = 20_000;

export const PAGE_INFO = 'pageInfo { hasPreviousPage startCursor hasNextPage endCursor }';

export const pageInfoSchema = z.object({
  hasPreviousPage: z.boolean(),
  startCursor: z.string().nullable(),
  hasNextPage: z.boolean(),
  endCursor: z.string().nullable(),
});

type Page<Node> = { readonly nodes: readonly Node[]; readonly pageInfo: z.infer<typeof pageInfoSchema> };

/** `field` of a node with one of `types`. */
export type Connection<Node extends z.ZodType> = {
  readonly types: readonly string[];
  readonly field: string;
  readonly selection: string;
  readonly node: Node;
  /** Threads list oldest first and are read backwards; edits list newest first. */
  readonly newestFirst?: true;
};

/**
 * All nodes in the connection's order, back to the first old one (`isOld`; null: all). `first`: the page that was read already. Unknown if a page is unreadable, or beyond
 * `THREAD_COMMENTS_MAX` nodes.
 */
export async function readOn<Schema extends z.ZodType>(
  client: GitHubClient,
  id: string,
  connection: Connection<Schema>,
  first: Page<z.infer<Schema>> | null,
  isOld: ((node: z.infer<Schema>) => boolean) | null,
): Promise<Observed<readonly z.infer<Schema>[]>> {
  let nodes = first?.nodes ?? [];
  let cursor = first === null ? null : olderThan(connection, first);
  for (let isUnread = first === null; isUnread || cursor !== null; isUnread = false) {
    const oldest = connection.newestFirst ? nodes.at(-1) : nodes[0];
    if (isOld !== null && oldest !== undefined && isOld(oldest)) return known(nodes);
    if (nodes.length >= THREAD_COMMENTS_MAX)
      return unknown(`${connection.field} holds more than ${THREAD_COMMENTS_MAX} entries`);
    const read = await query(client, queryOf(connection), { id, cursor }, answerOf(connection.node));
    if (read.kind === 'unknown') return read;
    const page = read.value.node?.page;
    if (page === undefined) return unknown(`${connection.field} is not there any more`);
    nodes = connection.newestFirst ? [...nodes, ...page.nodes] : [...page.nodes, ...nodes];
    cursor = olderThan(connection, page);
  }
  return known(nodes);
}

/** Cursor of the next older page, or null. */
function olderThan(
  { newestFirst }: Pick<Connection<z.ZodType>, 'newestFirst'>,
  { pageInfo }: Page<unknown>,
): string | null {
  if (newestFirst) return pageInfo.hasNextPage ? pageInfo.endCursor : null;
  return pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
}

function queryOf({ types, field, selection, newestFirst }: Connection<z.ZodType>): string {
  const range = newestFirst ? 'first: 100, after: $cursor' : 'last: 100, before: $cursor';
  const page = `page: ${field}(${range}) { nodes { ${selection} } ${PAGE_INFO} }`;
  const parts = types.map((type) => `... on ${type} { ${page} }`).join(' ');
  return `query($id: ID!, $cursor: String) { node(id: $id) { ${parts} } }`;
}

function answerOf<Node extends z.ZodType>(node: Node) {
  return z.object({
    node: z.object({ page: z.object({ nodes: z.array(node), pageInfo: pageInfoSchema }) }).nullable(),
  });
}
