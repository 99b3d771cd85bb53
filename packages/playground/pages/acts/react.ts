/** Reactions: the first click adds the speaker's own, the second removes it. */
import * as z from 'zod';
import { userShape } from '../api/repo-shapes.ts';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler, Outcome, Visit } from '../visit.ts';
import { toOutcome } from './outcome.ts';

const reactionShape = z.object({ id: z.number(), content: z.string(), user: userShape.nullish() });

export const reactToThread: ActHandler = (visit, params, form) => {
  const at = `/issues/${params['number'] ?? ''}`;
  return toggleReaction(
    visit,
    `${repoApiPath(params)}${at}/reactions`,
    form.get('content') ?? '',
    `${repoPath(params)}${at}`,
  );
};

export const reactToComment: ActHandler = (visit, params, form) => {
  const comment = params['comment'] ?? '';
  const to = `${repoPath(params)}/issues/${params['number'] ?? ''}#issuecomment-${comment}`;
  return toggleReaction(
    visit,
    `${repoApiPath(params)}/issues/comments/${comment}/reactions`,
    form.get('content') ?? '',
    to,
  );
};

async function toggleReaction(visit: Visit, at: string, content: string, to: string): Promise<Outcome> {
  const given = await visit.api.list(at, reactionShape);
  if (given.kind === 'refused') return toOutcome(given, to);
  const own = given.data.find((one) => one.content === content && one.user?.login === visit.speaker.login);
  const answer =
    own === undefined
      ? await visit.api.send('POST', at, { content })
      : await visit.api.send('DELETE', `${at}/${own.id}`);
  return toOutcome(answer, to);
}
