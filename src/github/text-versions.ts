/** A text with every earlier version of it: who left which. GitHub keeps the edits of issues and pull requests (docs.github.com/graphql, UserContentEdit). */

import type { Contributor, TextVersion } from '../domain/authorship.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { actorOf, isBot, type Reading } from './thread-comments.ts';
import { readOn } from './thread-pages.ts';
import { type AuthorAnswer, EDITS_CONNECTION, type IssueAnswer } from './thread-schema.ts';

/** A text as GraphQL answers it, of an issue or a pull request. */
export type EditedText = Pick<
  IssueAnswer,
  'id' | 'number' | 'body' | 'author' | 'includesCreatedEdit' | 'userContentEdits'
>;

/** Newest first, the text as it was first written last. Unknown where GitHub does not tell all edits. */
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
  // What stands there now is known without the list.
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

/** GraphQL names an app without `[bot]`. A person whose account is gone has no id any more. */
function contributorOf(author: AuthorAnswer): Contributor {
  if (author?.__typename === 'Bot') return { kind: 'app', login: author.login.replace(/\[bot\]$/, '') };
  const actor = actorOf(author);
  return isBot(author) || actor.id === 0 ? { kind: 'unnamed' } : { kind: 'person', actor };
}
