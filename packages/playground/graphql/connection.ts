/** GraphQL's pages: `first`/`after` from the front, `last`/`before` from the back. */

import { github } from '../limits/limits.ts';
import { graphqlFault } from './fault.ts';

export type PageArgs = {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
};

export type Connection<Node> = {
  readonly totalCount: number;
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
};

/**
 * As on GitHub, `first` or `last` (1 to 100) is required unless the query only requests the count. Cursors are
 * positions in the whole list.
 */
export function buildConnection<Row, Node>(
  rows: readonly Row[],
  args: PageArgs,
  toNode: (row: Row) => Node,
): Connection<Node> {
  const size = args.first ?? args.last ?? null;
  if (size === null) return countOnly(rows.length);
  if (size < 0 || size > github.pageSizeMax) {
    throw graphqlFault(
      'UNPROCESSABLE',
      `Requesting ${size} records exceeds the limit of ${github.pageSizeMax} records.`,
    );
  }
  const from = args.after === undefined || args.after === null ? 0 : decodeCursor(args.after) + 1;
  const to = args.before === undefined || args.before === null ? rows.length : decodeCursor(args.before);
  const forwards = args.first !== undefined && args.first !== null;
  const start = forwards ? from : Math.max(from, to - size);
  const end = forwards ? Math.min(to, start + size) : to;
  const edges = rows
    .slice(start, end)
    .map((row, index) => ({ cursor: encodeCursor(start + index), node: toNode(row) }));
  return {
    totalCount: rows.length,
    nodes: edges.map((edge) => edge.node),
    edges,
    pageInfo: {
      hasNextPage: end < rows.length,
      hasPreviousPage: start > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** A connection that has a count but refuses to list its nodes. */
function countOnly<Node>(totalCount: number): Connection<Node> {
  const refuse = (): never => {
    throw graphqlFault(
      'MISSING_PAGINATION_BOUNDARIES',
      'You must provide a `first` or `last` value to properly paginate the connection.',
    );
  };
  return {
    totalCount,
    get nodes() {
      return refuse();
    },
    get edges() {
      return refuse();
    },
    get pageInfo() {
      return refuse();
    },
  };
}

function encodeCursor(position: number): string {
  return Buffer.from(`cursor:${position}`).toString('base64');
}

function decodeCursor(cursor: string): number {
  const [, digits] = /^cursor:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8')) ?? [];
  if (digits === undefined) throw graphqlFault('UNPROCESSABLE', `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(digits);
}
