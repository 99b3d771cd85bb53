/** Reads comments in other threads that may name the run, lane, day or repository that a runner is about to act on. */

import type { CommentFacts } from '../domain/facts.ts';
import { type Instant, known, type Observed, unknown } from '../domain/values.ts';
import { type ListedComment, listNewComments } from '../github/thread-comments.ts';
import type { OpenLab } from './open-lab.ts';

/** Maximum pages of 100 comments since an approval. If there are more, the launch is refused. */
const BRAKE_PAGES_MAX = 100;

/** Excludes reviews, because GitHub cannot list the reviews of a whole repository. `own`: comments that were already read. */
export async function listBrakesInOtherThreads(
  { client, digestOf }: Pick<OpenLab['lab'], 'client' | 'digestOf'>,
  since: Instant,
  own: readonly CommentFacts[],
): Promise<Observed<readonly CommentFacts[]>> {
  const here = new Set(own.map(({ thread }) => thread));
  const found: ListedComment[] = [];
  for (const surface of ['comment', 'review-comment'] as const) {
    const page = await listNewComments(client, surface, since, BRAKE_PAGES_MAX);
    if (page.kind === 'unknown') return page;
    if (!page.value.isWhole) return unknown('more was written since the approval than is read');
    found.push(...page.value.found);
  }
  const mayContainBrake = (one: ListedComment): boolean =>
    !one.isBot && !here.has(one.thread) && /\/hold|run=/.test(one.body);
  return known(found.filter(mayContainBrake).map((one) => toCommentFacts(one, digestOf)));
}

function toCommentFacts(
  { surface, id, thread, body, isEdited, author, createdAt, at }: ListedComment,
  digestOf: OpenLab['lab']['digestOf'],
): CommentFacts {
  return {
    surface,
    id,
    nodeId: '',
    thread,
    author: { id: author.id, login: author.login },
    authorIsBot: false,
    isByOwnLogin: false,
    byOwnApp: false,
    marker: null,
    body,
    bodyDigest: digestOf(body),
    createdAt,
    updatedAt: at,
    editedAt: isEdited ? at : null,
    minimized: false,
    commit: null,
  };
}
