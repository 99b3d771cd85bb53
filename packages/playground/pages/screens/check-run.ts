/** `/owner/repo/runs/<id>`: redirects from a check run's own address to the checks of its pull request. */
import * as z from 'zod';
import { repoApiPath, repoPath } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

const shape = z.object({ head_sha: z.string(), pull_requests: z.array(z.object({ number: z.number() })).default([]) });

/** Without a pull request it redirects to the commit. */
export async function checkRunScreen(visit: Visit, params: Params): Promise<Screen> {
  const id = params['id'] ?? '';
  const answer = await visit.api.get(`${repoApiPath(params)}/check-runs/${id}`, shape);
  if (answer.kind === 'refused') return { kind: 'missing', message: 'There is no such check run here.' };
  const pull = answer.data.pull_requests[0];
  const to = pull === undefined ? `commit/${answer.data.head_sha}` : `pull/${pull.number}/checks#check-${id}`;
  return { kind: 'moved', to: `${repoPath(params)}/${to}` };
}
