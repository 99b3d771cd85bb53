/** Reactions: the first click adds the speaker's own, the second removes it. */
import * as z from 'zod';
import { userShape } from '../api/repo-shapes.ts';
import { apiOf, pathOf } from '../place.ts';
import type { ActHandler, Outcome, Visit } from '../visit.ts';
import { outcomeOf } from './outcome.ts';

const reactionShape = z.object({ id: z.number(), content: z.string(), user: userShape.nullish() });

export const reactToThread: ActHandler = (visit, params, form) => {
  const at = `/issues/${params['number'] ?? ''}`;
  return toggle(visit, `${apiOf(params)}${at}/reactions`, form.get('content') ?? '', `${pathOf(params)}${at}`);
};

export const reactToComment: ActHandler = (visit, params, form) => {
  const comment = params['comment'] ?? '';
  const to = `${pathOf(params)}/issues/${params['number'] ?? ''}#issuecomment-${comment}`;
  return toggle(visit, `${apiOf(params)}/issues/comments/${comment}/reactions`, form.get('content') ?? '', to);
};

async function toggle(visit: Visit, at: string, content: string, to: string): Promise<Outcome> {
  const given = await visit.api.list(at, reactionShape);
  if (given.kind === 'refused') return outcomeOf(given, to);
  const own = given.data.find((one) => one.content === content && one.user?.login === visit.speaker.login);
  const answer =
    own === undefined
      ? await visit.api.send('POST', at, { content })
      : await visit.api.send('DELETE', `${at}/${own.id}`);
  return outcomeOf(answer, to);
}
