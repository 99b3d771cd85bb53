/** Reads again what an approval rests on, before a runner acts: the comments by id, and what their authors may do now. */

import type { ApprovalReading } from '../actions/verify-approval.ts';
import type { Permission } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { citationKey, type OrderApproval } from '../domain/launch/order.ts';
import type { Observed } from '../domain/observed.ts';
import { type Citation, readAgain } from '../github/cited-comment.ts';
import { readPermission } from '../github/permission.ts';
import type { OpenLab } from './open-lab.ts';
import { readingOf } from './reading.ts';

/** `comments`: those of the threads that were read just now. Accounts can be renamed, so permissions go by id. */
export async function readApprovals(
  { lab, config }: Pick<OpenLab, 'lab' | 'config'>,
  citations: readonly (Citation & Pick<OrderApproval, 'surface'>)[],
  comments: readonly CommentFacts[],
): Promise<ApprovalReading> {
  const cited = new Map<string, Observed<CommentFacts | null>>();
  const permissions = new Map<number, Observed<Permission>>();
  for (const citation of citations) {
    const { surface, comment } = citation;
    const shown = comments.find((one) => one.surface === surface && one.id === comment);
    const found = await readAgain(lab.client, citation, shown, readingOf(lab, config));
    cited.set(citationKey(citation), found);
    if (found.kind === 'unknown' || found.value === null) continue;
    const { author } = found.value;
    if (!permissions.has(author.id)) permissions.set(author.id, await readPermission(lab.client, author));
  }
  return { cited, permissions };
}
