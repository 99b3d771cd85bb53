/** Actions on a thread or a run that need permissions: labels, merging, cancelling, re-running. */
import * as z from 'zod';
import { labelShape } from '../api/repo-shapes.ts';
import { apiOf, pathOf } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { outcomeOf, refuse } from './outcome.ts';

export const toggleLabel: ActHandler = async (visit, params, form) => {
  const at = `${apiOf(params)}/issues/${params['number'] ?? ''}/labels`;
  const to = `${pathOf(params)}/issues/${params['number'] ?? ''}`;
  const name = form.get('label') ?? '';
  const present = await visit.api.get(at, z.array(labelShape));
  if (present.kind === 'refused') return outcomeOf(present, to);
  const answer = present.data.some((label) => label.name === name)
    ? await visit.api.send('DELETE', `${at}/${encodeURIComponent(name)}`)
    : await visit.api.send('POST', at, { labels: [name] });
  return outcomeOf(answer, to);
};

export const mergePull: ActHandler = async (visit, params, form) => {
  const number = params['number'] ?? '';
  const body = { merge_method: form.get('method') ?? 'squash' };
  return outcomeOf(
    await visit.api.send('PUT', `${apiOf(params)}/pulls/${number}/merge`, body),
    `${pathOf(params)}/pull/${number}`,
  );
};

export const actOnRun: ActHandler = async (visit, params, form) => {
  const what = form.get('what') ?? '';
  if (!['approve', 'cancel', 'rerun'].includes(what)) return refuse('There is no such thing to do with a run.');
  const id = params['id'] ?? '';
  return outcomeOf(
    await visit.api.send('POST', `${apiOf(params)}/actions/runs/${id}/${what}`),
    `${pathOf(params)}/actions/runs/${id}`,
  );
};
