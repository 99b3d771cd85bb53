/** Parses Ray's JobDetails (Jobs API, `ray list jobs --detail`). Values of variables serve only for scrubbing and stay in this file. */

import { z } from 'zod';
import { type FoundJob, findCommit, type JobMetadata, type JobOrigin, type JobSpec } from '../../domain/engine.ts';
import { checkSpec, cutEntrypoint, type IdentityNames, type Rejected, readIdentity } from '../shared/kit.ts';

/** The end of the year 9999, the last year in RFC 3339. A later time counts as none. */
const RAY_MOMENT_MAX_MS = 253_402_300_799_999;

/** An invalid time becomes null. The job's status stays valid. */
const moment = z
  .number()
  .nullish()
  .transform((ms) => (typeof ms === 'number' && ms >= 0 && ms <= RAY_MOMENT_MAX_MS ? ms : null));

/**
 * Fields of python/ray/dashboard/modules/job/pydantic_models.py in ray-project/ray; later versions have more. Times are
 * Unix milliseconds. `driver_info` is null until the driver has connected.
 */
const jobDetails = z.object({
  type: z.string(),
  entrypoint: z.string().nullish(),
  job_id: z.string().nullish(),
  submission_id: z.string().nullish(),
  status: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED']),
  message: z.string().nullish(),
  error_type: z.string().nullish(),
  start_time: moment,
  end_time: moment,
  metadata: z.unknown().optional(),
  runtime_env: z.object({ env_vars: z.unknown().optional() }).nullish().catch(null),
  driver_info: z.object({ node_ip_address: z.string().nullish(), pid: z.string().nullish() }).nullish().catch(null),
  driver_node_id: z.string().nullish(),
  driver_exit_code: z.number().int().nullish(),
});

/** The line before the log lines in Ray's message, with the number of log characters that Ray keeps. */
const LAST_LINES = /^[^\n]{0,200}\(truncated to ([\d,]{1,12}) chars\):\n/;
/** Shorter lines of a key file (a brace, a header) also occur in ordinary text. */
const SECRET_LINE_CHARACTERS_MIN = 12;

/** A job with its ids. `submissionId`: null for a driver without a submission; `rayJobId`: null before the job has a driver. */
export type RayJob = {
  readonly submissionId: string | null;
  readonly rayJobId: string | null;
  readonly found: FoundJob;
  readonly origin: JobOrigin;
};

/**
 * Null if `value` is not a job of Ray. `scrub` removes secrets from a text, including those of the job: a failed job's
 * message ends with its last log lines, and every variable may be a secret. `session`: the head's `session_name`, if known.
 */
export function readJobDetails(
  value: unknown,
  session: string | null,
  scrub: (text: string, secrets: readonly string[]) => string,
): RayJob | null {
  const parsed = jobDetails.safeParse(value);
  if (!parsed.success) return null;
  const job = parsed.data;
  const variables = job.runtime_env?.env_vars;
  const secrets = listSecrets(variables);
  const clean = (text: string): string => scrub(text, secrets);
  const isFailed = job.status === 'FAILED';
  return {
    submissionId: job.submission_id ?? null,
    rayJobId: job.job_id ?? null,
    origin: {
      submitter: findSubmitter(job.submission_id ?? ''),
      entrypoint: cutEntrypoint(clean(job.entrypoint ?? '')),
      gitCommit: findCommit(readVariable(variables, 'GIT_COMMIT')),
    },
    found: {
      kind: 'found',
      status: job.status,
      message: clean(dropCutLines(job.message ?? '')),
      errorType: isFailed ? (job.error_type ?? null) : null,
      exitCode: isFailed || job.status === 'SUCCEEDED' ? (job.driver_exit_code ?? null) : null,
      startedAtMs: job.start_time,
      endedAtMs: job.end_time,
      metadata: findIdentity(job.metadata, variables),
      session,
      details: cleanDetails(clean, {
        type: job.type,
        driverNode: job.driver_node_id,
        driverIp: job.driver_info?.node_ip_address,
        driverPid: job.driver_info?.pid,
      }),
    },
  };
}

/** Ray records no submitter. ray_run.py writes the user into the id (`ray-run-<user>-<script>-<time>`). */
function findSubmitter(submissionId: string): string | null {
  return /^ray-run-([A-Za-z0-9_.]{1,32})-/.exec(submissionId)?.[1] ?? null;
}

function readVariable(variables: unknown, name: string): unknown {
  return typeof variables === 'object' && variables !== null
    ? new Map<string, unknown>(Object.entries(variables)).get(name)
    : undefined;
}

function cleanDetails(
  clean: (text: string) => string,
  facts: Readonly<Record<string, string | null | undefined>>,
): FoundJob['details'] {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, clean(value)]],
    ),
  );
}

/**
 * A failed job's message ends with the last lines of its log; Ray keeps the last 20,000 characters (ray-project/ray,
 * python/ray/dashboard/modules/job/job_log_storage_client.py). At that length the first line may be cut in the middle of a
 * secret, which scrubbing cannot find. So this function drops the first line.
 */
function dropCutLines(message: string): string {
  const opening = LAST_LINES.exec(message);
  const charactersMax = Number(opening?.[1]?.replaceAll(',', '') ?? Number.POSITIVE_INFINITY);
  const head = opening?.[0] ?? '';
  const lines = message.slice(head.length);
  if (opening === null || lines.length < charactersMax) return message;
  const newline = lines.indexOf('\n');
  return newline === -1 ? head.trimEnd() : head + lines.slice(newline + 1);
}

/** ferrybot's own variables identify the run and are public. A multi-line value is also listed by line, because a log shows it so. */
function listSecrets(variables: unknown): readonly string[] {
  if (typeof variables !== 'object' || variables === null) return [];
  return Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'string' && !name.startsWith('FERRYBOT_')
      ? [value, ...value.split(/\r?\n/).filter((line) => line.length >= SECRET_LINE_CHARACTERS_MIN)]
      : [],
  );
}

/** Identity in the metadata of a Jobs API submission, which accepts only texts. */
export const IN_METADATA: IdentityNames = {
  run: 'ferrybot_run',
  attempt: 'ferrybot_attempt',
  manifest: 'ferrybot_manifest',
  proof: 'ferrybot_proof',
};
/** Identity in variables, for scripts, which cannot pass metadata. Every answer returns `runtime_env.env_vars`. */
export const IN_VARIABLES: IdentityNames = {
  run: 'FERRYBOT_JOB_RUN',
  attempt: 'FERRYBOT_JOB_ATTEMPT',
  manifest: 'FERRYBOT_JOB_MANIFEST',
  proof: 'FERRYBOT_JOB_PROOF',
};

/** The run of a job, from its metadata or otherwise its variables (`runtime_env.env_vars`); null if both are incomplete. */
export function findIdentity(metadata: unknown, variables: unknown): JobMetadata | null {
  return readIdentity(metadata, IN_METADATA) ?? readIdentity(variables, IN_VARIABLES);
}

/**
 * Null if nothing prevents the job. In a value, Ray replaces `$NAME` and `${NAME}` by other variables, and has no escape for
 * them (ray-project/ray, python/ray/_private/utils.py, update_envs).
 */
export function findRaySpecRefusal(spec: JobSpec): Rejected | null {
  return checkSpec(spec, {
    isGiven: (name, value) => /^[^=\0]+$/.test(name) && !/\$[\w{]/.test(value),
    complaint: (names) =>
      `Ray would give no job the variable ${names} as it is: it expands $NAME in a value, and takes no NUL and no other name`,
  });
}
