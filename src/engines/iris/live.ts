/** `ListJobs`: what waits or runs on the cluster now, whoever launched it. */

import type { LiveJob } from '../../domain/engine.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { listAnswer } from './answers.ts';
import { ask } from './ask.ts';
import { irisLimits } from './limits.ts';
import { type IrisSettings, irisIdOf } from './settings.ts';

/** Iris filters by one state at a time, and by its own word for it: of another it lists nothing, without an error. */
const STATES = [
  ['pending', 'PENDING'],
  ['building', 'PENDING'],
  ['running', 'RUNNING'],
] as const;

/**
 * Jobs that people launched; what a job has launched itself is a part of it. A list shows no variables, so that whose a job
 * is its name alone says. A list that is not read to its end may lack the one that is looked for.
 */
export async function liveOnIris(settings: IrisSettings): Promise<Observed<readonly LiveJob[]>> {
  // By id: a job that moves on between two answers stands in both.
  const jobs = new Map<string, LiveJob>();
  for (const [stateFilter, status] of STATES) {
    for (let offset = 0, isMore = true; isMore; offset += irisLimits.jobsPerList) {
      if (offset >= irisLimits.jobsListedMax)
        return unknown(`more than ${irisLimits.jobsListedMax} jobs are ${stateFilter}`);
      const query = { stateFilter, limit: irisLimits.jobsPerList, offset };
      const answer = await ask(settings, 'list', { query }, listAnswer);
      if (answer.kind !== 'said') return unknown(answer.message);
      for (const { jobId, startedAt } of answer.value.jobs) {
        const [, , ...names] = jobId.split('/');
        const id = ourNameOf(settings, jobId);
        if (names.length === 1)
          jobs.set(id, { jobId: id, status, startedAtMs: startedAt ?? null, metadata: null, about: jobId });
      }
      isMore = answer.value.hasMore;
    }
  }
  return known([...jobs.values()]);
}

/** As it was submitted, where it is of the user who submits for us. */
function ourNameOf(settings: IrisSettings, jobId: string): string {
  const own = irisIdOf(settings, '');
  return jobId.startsWith(own) ? jobId.slice(own.length) : jobId;
}
