/** All versions of a comment or description, because anyone with write access can edit it and restore the old text. */

import { z } from 'zod';
import type { ShownVersion } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import type { ReadMarker } from '../domain/marker.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import { instantOf } from './thread-comments.ts';
import { type Connection, PAGE_INFO, pageInfoSchema, readOn } from './thread-pages.ts';

/** `editedAt` null: never edited. */
export type StandingText = {
  readonly nodeId: string;
  readonly thread: number;
  readonly body: string;
  readonly createdAt: Instant;
  readonly editedAt: Instant | null;
};

const SELECTION = 'editedAt deletedAt diff editor { login }';
const versionSchema = z.object({
  editedAt: z.string(),
  deletedAt: z.string().nullable(),
  diff: z.string().nullable(),
  editor: z.object({ login: z.string() }).nullable(),
});
const HISTORY: Connection<typeof versionSchema> = {
  types: ['IssueComment', 'Issue', 'PullRequest'],
  field: 'userContentEdits',
  selection: SELECTION,
  node: versionSchema,
  newestFirst: true,
};
const FIRST_PAGE = `page: userContentEdits(first: 100) { nodes { ${SELECTION} } ${PAGE_INFO} }`;
const HISTORY_QUERY = `query($id: ID!) { node(id: $id) { ${HISTORY.types.map((type) => `... on ${type} { ${FIRST_PAGE} }`).join(' ')} } }`;
const historySchema = z.object({
  node: z
    .object({ page: z.object({ nodes: z.array(versionSchema), pageInfo: pageInfoSchema }).nullable() })
    .nullable(),
});

/**
 * The versions since an instant and the one before, newest first (`diff` is the whole text, docs/decisions/0032-what-was-shown.md). Free
 * for a text without edits. Unknown if GitHub's list is incomplete or outdated.
 */
export async function readTextHistory(
  client: GitHubClient,
  text: StandingText,
  since: Instant,
  markerOf: ReadMarker,
): Promise<Observed<readonly ShownVersion[]>> {
  const { nodeId, thread, body, createdAt, editedAt } = text;
  if (editedAt === null)
    return known([{ editedAt: createdAt, isDeleted: false, by: null, body, marker: markerOf(thread, body) }]);
  const first = await query(client, HISTORY_QUERY, { id: nodeId }, historySchema);
  if (first.kind === 'unknown') return first;
  const page = first.value.node?.page ?? null;
  if (page === null) return unknown('the edit history is not told');
  const all = await readOn(client, nodeId, HISTORY, page, (edit) => instantOf(edit.editedAt) < since);
  if (all.kind === 'unknown') return all;
  const newestFirst = all.value.toSorted((a, b) => b.editedAt.localeCompare(a.editedAt));
  const [newest] = newestFirst;
  if (newest === undefined || instantOf(newest.editedAt) < editedAt)
    return unknown('the edit history is not told as a whole');
  return known(
    newestFirst.map(({ editedAt: at, deletedAt, diff, editor }) => ({
      editedAt: instantOf(at),
      isDeleted: deletedAt !== null || diff === null,
      by: editor?.login ?? null,
      body: diff ?? '',
      marker: diff === null ? null : markerOf(thread, diff),
    })),
  );
}
