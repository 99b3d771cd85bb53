/** `/owner/repo/actions/runs/<id>/job/<job>/log`: a job's complete log as plain text. */
import { jobShape } from '../api/run-shapes.ts';
import { repoApiPath } from '../place.ts';
import type { Params, Screen, Visit } from '../visit.ts';

/** Only for people who may see the job: it is requested from the API as the speaker first. */
export async function jobLogScreen(visit: Visit, params: Params): Promise<Screen> {
  const job = await visit.api.get(`${repoApiPath(params)}/actions/jobs/${params['job'] ?? ''}`, jobShape);
  const log = job.kind === 'found' ? visit.jobLog(job.data.id) : null;
  return log === null ? { kind: 'missing', message: 'There is no such log here.' } : { kind: 'text', text: log };
}
