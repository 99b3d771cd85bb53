/** A job as the Jobs API tells it, read once at the edge; its environment is used for scrubbing and goes no further. */

import { z } from 'zod';
import type { FoundJob } from '../../../domain/engine.ts';
import { identityOf } from '../job-identity.ts';
import { scrub } from './ask.ts';
import type { RestSettings } from './settings.ts';

const text = z.string().nullish();
const environment = z.object({ env_vars: z.record(z.string(), z.unknown()).nullish() });

/**
 * JobDetails (ray-project/ray, python/ray/dashboard/modules/job/pydantic_models.py), as far as it is needed: more
 * fields may stand there, other words for the status may not.
 */
export const jobAnswer = z.object({
  type: text,
  job_id: text,
  submission_id: text,
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  message: text,
  error_type: text,
  start_time: z.number().nullish(),
  end_time: z.number().nullish(),
  metadata: z.unknown(),
  // Its values are wanted for scrubbing and nothing else; redacted ones (`<redacted>`) do no harm.
  runtime_env: z.unknown(),
  driver_info: z.object({ node_ip_address: text, pid: text }).nullish(),
  driver_node_id: text,
  driver_exit_code: z.int().nullish(),
});
export type JobAnswer = z.infer<typeof jobAnswer>;

/** The job in our words. The message is free of every value of the job's environment; the command line is left out. */
export function foundJob(settings: RestSettings, job: JobAnswer, session: string): FoundJob {
  const variables = variablesOf(job.runtime_env);
  const clean = (said: string | null | undefined): string =>
    scrub(settings, said ?? '', secretsOf(variables));
  const hasEnded = job.status === 'SUCCEEDED' || job.status === 'FAILED' || job.status === 'STOPPED';
  const details = {
    type: job.type,
    rayJobId: job.job_id,
    node: job.driver_node_id,
    nodeAddress: job.driver_info?.node_ip_address,
    pid: job.driver_info?.pid,
  };
  return {
    kind: 'found',
    status: job.status,
    message: clean(job.message),
    errorType: job.status === 'FAILED' ? (job.error_type ?? null) : null,
    exitCode: hasEnded && job.status !== 'STOPPED' ? (job.driver_exit_code ?? null) : null,
    startedAtMs: job.start_time ?? null,
    endedAtMs: hasEnded ? (job.end_time ?? null) : null,
    metadata: identityOf(job.metadata, variables),
    session,
    details: Object.fromEntries(
      Object.entries(details).flatMap(([name, value]) =>
        value === null || value === undefined || value === '' ? [] : [[name, clean(value)]],
      ),
    ),
  };
}

function variablesOf(runtimeEnv: unknown): Readonly<Record<string, unknown>> {
  const parsed = environment.safeParse(runtimeEnv);
  return parsed.success ? (parsed.data.env_vars ?? {}) : {};
}

/** Ours say whose job it is and may be read; every other variable may be a secret, whatever its name. */
function secretsOf(variables: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'string' && !name.startsWith('FERRYBOT_') ? [value] : [],
  );
}
