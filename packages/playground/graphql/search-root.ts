/** GraphQL's `search`: issues and pull requests, with the same terms as REST. */

import { findThreads } from '../search/find-threads.ts';
import { readQuery } from '../search/query.ts';
import { repoById } from '../world/lookup.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import type { Context } from './context.ts';
import { graphqlFault } from './fault.ts';
import { threadNode } from './thread-nodes.ts';

type SearchArgs = PageArgs & { readonly query: string; readonly type: string };

export function search(context: Context, args: SearchArgs): object {
  const { terms, unserved } = readQuery(args.query);
  if (args.type !== 'ISSUE' || unserved.length > 0) {
    const what = args.type === 'ISSUE' ? unserved.join(', ') : `type ${args.type}`;
    throw graphqlFault('UNPROCESSABLE', `THE PLAYGROUND DOES NOT SEARCH BY ${what}`);
  }
  const rows = findThreads(context, terms);
  const found = buildConnection(rows, args, (row) => threadNode(context, repoById(context.world, row.repoId), row));
  return Object.defineProperty(found, 'issueCount', { value: rows.length, enumerable: true });
}
