/** Actions on a thread or a run that need permissions: labels, merging, cancelling, re-running. */
import * as z from 'zod';
import { labelShape } from '../api/repo-shapes.ts';
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { refuseAct, toOutcome } from './outcome.ts';

export const toggleLabel: ActHandler = async (visit, params, form) => {
  const at = `${repoApiPath(params)}/issues/${params['number'] ?? ''}/labels`;
  const to = `${repoPath(params)}/issues/${params['number'] ?? ''}`;
  const name = form.get('label') ?? '';
  const present = await visit.api.get(at, z.array(labelShape));
  if (present.kind === 'refused') return toOutcome(present, to);
  const answer = present.data.some((label) => label.name === name)
    ? await visit.api.send('DELETE', `${at}/${encodeURIComponent(name)}`)
    : await visit.api.send('POST', at, { labels: [name] });
  return toOutcome(answer, to);
};

export const mergePull: ActHandler = async (visit, params, form) => {
  const number = params['number'] ?? '';
  const body = { merge_method: form.get('method') ?? 'squash' };
  return toOutcome(
    await visit.api.send('PUT', `${repoApiPath(params)}/pulls/${number}/merge`, body),
    `${repoPath(params)}/pull/${number}`,
  );
};

export const actOnRun: ActHandler = async (visit, params, form) => {
  const what = form.get('what') ?? '';
  if (!['approve', 'cancel', 'rerun'].includes(what)) return refuseAct('There is no such thing to do with a run.');
  const id = params['id'] ?? '';
  return toOutcome(
    await visit.api.send('POST', `${repoApiPath(params)}/actions/runs/${id}/${what}`),
    `${repoPath(params)}/actions/runs/${id}`,
  );
};
