/** All versions of a comment or description, because anyone with write access can edit it and restore the old text. */

import { z } from 'zod';
import type { ShownVersion } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import type { ReadMarker } from '../domain/marker.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import { instantOf } from './thread-comments.ts';
import { readOn } from './thread-pages.ts';
import { EDITS_CONNECTION } from './thread-schema.ts';

/** `editedAt` null: never edited. */
export type StandingText = {
  readonly nodeId: string;
  readonly thread: number;
  readonly body: string;
  readonly createdAt: Instant;
  readonly editedAt: Instant | null;
};

const ISSUE_TEXT_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { id body createdAt lastEditedAt } }
}`;
const written = {
  id: z.string(),
  body: z.string(),
  createdAt: z.string(),
  lastEditedAt: z.string().nullable(),
};
const issueTextSchema = z.object({ repository: z.object({ issue: z.object(written).nullable() }) });

/** An issue's description with its last edit, which REST does not report. Unknown if the issue does not exist or cannot be read. */
export async function readIssueText(client: GitHubClient, number: number): Promise<Observed<StandingText>> {
  const { owner, repo } = client;
  const answer = await query(client, ISSUE_TEXT_QUERY, { owner, repo, number }, issueTextSchema);
  if (answer.kind === 'unknown') return answer;
  const { issue } = answer.value.repository;
  if (issue === null) return unknown('there is no such issue');
  const { id: nodeId, body, createdAt, lastEditedAt } = issue;
  const editedAt = lastEditedAt === null ? null : instantOf(lastEditedAt);
  return known({ nodeId, thread: number, body, createdAt: instantOf(createdAt), editedAt });
}

/**
 * The versions since an instant and the one before, newest first (`diff` is the whole text, docs/decisions/0119-bind-an-approval-to-what-was-shown.md). Free
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
  const all = await readOn(
    client,
    nodeId,
    EDITS_CONNECTION,
    null,
    (edit) => instantOf(edit.editedAt) < since,
  );
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
