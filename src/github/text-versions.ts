/** Versions of descriptions. */

import type { Contributor, TextVersion } from '../domain/authorship.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { actorOf, isBot, type Reading } from './thread-comments.ts';
import { readOn } from './thread-pages.ts';
import { type AuthorAnswer, EDITS_CONNECTION, type IssueAnswer } from './thread-schema.ts';

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
