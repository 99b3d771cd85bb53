/** Reads what a job said: its log through the API, its summary from where the runner keeps it. */
import type { Answer } from '../api/api.ts';
import type { ApiJob } from '../api/run-shapes.ts';
import type { Place } from '../place.ts';
import type { Visit } from '../visit.ts';

/** The log so far. GitHub gives a log only after the job ended; where the playground does too, its refusal is what is shown. */
export function readJobLog(visit: Visit, place: Place, job: ApiJob): Promise<Answer<string>> {
  return visit.api.text(`${place.api}/actions/jobs/${job.id}/logs`);
}
