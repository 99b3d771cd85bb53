/** Ticks a box in a text, as an edit of the text like on GitHub, for people who may edit it. */
import * as z from 'zod';
import { withTask } from '../markdown/task-marks.ts';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler, Outcome, Visit } from '../visit.ts';
import { refuseAct, toOutcome } from './outcome.ts';

const spoken = z.object({ body: z.string().nullish() });

export const tickInThread: ActHandler = (visit, params, form) => {
  const at = `/issues/${params['number'] ?? ''}`;
  return tickBox(visit, `${repoApiPath(params)}${at}`, `${repoPath(params)}${at}`, form);
};

export const tickInComment: ActHandler = (visit, params, form) => {
  const comment = params['comment'] ?? '';
  const to = `${repoPath(params)}/issues/${params['number'] ?? ''}#issuecomment-${comment}`;
  return tickBox(visit, `${repoApiPath(params)}/issues/comments/${comment}`, to, form);
};

/** Form fields: `task` (which box, from 0), `done`. Edits since the page was loaded are kept. */
async function tickBox(visit: Visit, at: string, to: string, form: URLSearchParams): Promise<Outcome> {
  const present = await visit.api.get(at, spoken);
  if (present.kind === 'refused') return toOutcome(present, to);
  const index = Number(form.get('task') ?? Number.NaN);
  const body = withTask(present.data.body ?? '', index, form.get('done') === 'on');
  if (body === null) return refuseAct('The text was changed meanwhile; look at the box again.');
  return toOutcome(await visit.api.send('PATCH', at, { body }), to);
}
