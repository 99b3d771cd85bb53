/** Versions of descriptions. */

import { z } from 'zod';
import type { Contributor, TextVersion } from '../domain/actor.ts';
import type { ShownVersion } from '../domain/facts.ts';
import type { ReadMarker } from '../domain/marker.ts';
import { type Instant, known, type Observed, unknown } from '../domain/values.ts';
import { type GitHubClient, query } from './call.ts';
import { actorOf, instantOf, isBot, type Reading } from './thread-comments.ts';
import { type AuthorAnswer, EDITS_CONNECTION, type IssueAnswer, readOn } from './thread-schema.ts';

export type EditedText = Pick<
  IssueAnswer,
  'id' | 'number' | 'body' | 'author' | 'includesCreatedEdit' | 'userContentEdits'
>;

/**
 * All versions of an issue or pull request text with their editors, newest first (docs.github.com/graphql, UserContentEdit). Unknown if
 * incomplete.
 */
export async function versionsOf(
  client: GitHubClient,
  { id, number, body, author, includesCreatedEdit, userContentEdits }: EditedText,
  { issueMarkerOf }: Pick<Reading, 'issueMarkerOf'>,
): Promise<Observed<readonly TextVersion[]>> {
  const first = userContentEdits ?? { nodes: [], pageInfo: NO_PAGES };
  const edits = await readOn(client, id, EDITS_CONNECTION, first, null);
  if (edits.kind === 'unknown') return edits;
  const newestFirst = edits.value.toSorted((a, b) => b.editedAt.localeCompare(a.editedAt));
  const told = newestFirst.map(({ editor, diff }) => ({ by: contributorOf(editor), text: diff }));
  const all = includesCreatedEdit ? told : [...told, { by: contributorOf(author), text: null }];
  // The current text is known even if the list lags behind.
  const versions = all.map((version, index) => (index === 0 ? { ...version, text: body } : version));
  return known(
    versions.map((version) => {
      const marker = version.text === null ? null : issueMarkerOf(number, version.text);
      return marker?.isIntact === true && marker.role === 'control'
        ? { ...version, sealedFor: marker.run }
        : version;
    }),
  );
}

const NO_PAGES = { hasPreviousPage: false, startCursor: null, hasNextPage: false, endCursor: null };

/** GraphQL names an app without `[bot]`. A deleted account has no id. */
function contributorOf(author: AuthorAnswer): Contributor {
  if (author?.__typename === 'Bot') return { kind: 'app', login: author.login.replace(/\[bot\]$/, '') };
  const actor = actorOf(author);
  return isBot(author) || actor.id === 0 ? { kind: 'unnamed' } : { kind: 'person', actor };
}

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
