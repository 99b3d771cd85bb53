/** One job as Ray tells it (JobDetails of the Jobs API, and of `ray list jobs --detail`), parsed once; the values of its variables are used for scrubbing and never leave this file. */

import { z } from 'zod';
import {
  commitIn,
  type FoundJob,
  isSameJob,
  type JobMetadata,
  type JobOrigin,
  type JobSpec,
  type SubmitOutcome,
} from '../../domain/engine.ts';
import { isSubmissionId } from '../shared/job-files.ts';
import { shellLineOf, withinLine } from '../shared/shell-line.ts';

/** The end of the year 9999, the last that RFC 3339 can name; a time beyond it is none. */
const RAY_MOMENT_MAX_MS = 253_402_300_799_999;

/** A number that is no time says nothing; the job is what its status says all the same. */
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
  driver_info: z
    .object({ node_ip_address: z.string().nullish(), pid: z.string().nullish() })
    .nullish()
    .catch(null),
  driver_node_id: z.string().nullish(),
  driver_exit_code: z.number().int().nullish(),
});

/** Where Ray's message says that the log's lines begin, and how many characters of them it keeps. */
const LAST_LINES = /^[^\n]{0,200}\(truncated to ([\d,]{1,12}) chars\):\n/;
/** A shorter line of a key file (a brace, a header) stands in ordinary text too. */
const SECRET_LINE_CHARACTERS_MIN = 12;

/** A job with the id under which it was submitted, null for a driver that nobody submitted, and Ray's own, null before it has a driver. */
export type RayJob = {
  readonly submissionId: string | null;
  readonly rayJobId: string | null;
  readonly found: FoundJob;
  readonly origin: JobOrigin;
};

/**
 * Null where it is no job of Ray's. `scrub` takes secrets out of a text, those of the job among them: a failed job's
 * message ends with its last log lines, and every variable of it may be a secret, whatever its name. `session`: the head's `session_name` where it is known.
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
  const secrets = secretsOf(variables);
  const clean = (text: string): string => scrub(text, secrets);
  const isFailed = job.status === 'FAILED';
  return {
    submissionId: job.submission_id ?? null,
    rayJobId: job.job_id ?? null,
    origin: {
      submitter: submitterIn(job.submission_id ?? ''),
      entrypoint: withinLine(clean(job.entrypoint ?? '')),
      gitCommit: commitIn(variableIn(variables, 'GIT_COMMIT')),
    },
    found: {
      kind: 'found',
      status: job.status,
      message: clean(wholeLinesOf(job.message ?? '')),
      errorType: isFailed ? (job.error_type ?? null) : null,
      exitCode: isFailed || job.status === 'SUCCEEDED' ? (job.driver_exit_code ?? null) : null,
      startedAtMs: job.start_time,
      endedAtMs: job.end_time,
      metadata: identityOf(job.metadata, variables),
      session,
      details: detailsOf(clean, {
        type: job.type,
        driverNode: job.driver_node_id,
        driverIp: job.driver_info?.node_ip_address,
        driverPid: job.driver_info?.pid,
      }),
    },
  };
}

/** Ray keeps nobody's name; ray_run.py writes it into the id (`ray-run-<user>-<script>-<time>`). */
function submitterIn(submissionId: string): string | null {
  return /^ray-run-([A-Za-z0-9_.]{1,32})-/.exec(submissionId)?.[1] ?? null;
}

function variableIn(variables: unknown, name: string): unknown {
  return typeof variables === 'object' && variables !== null
    ? new Map<string, unknown>(Object.entries(variables)).get(name)
    : undefined;
}

function detailsOf(
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
 * A failed job's message ends with the last lines of its log, of which Ray keeps the last 20,000 characters
 * (ray-project/ray, python/ray/dashboard/modules/job/job_log_storage_client.py). Where so many are there, the first line
 * may be half of one, and with it half of a secret, which no scrubbing finds: it is left out.
 */
function wholeLinesOf(message: string): string {
  const opening = LAST_LINES.exec(message);
  const charactersMax = Number(opening?.[1]?.replaceAll(',', '') ?? Number.POSITIVE_INFINITY);
  const head = opening?.[0] ?? '';
  const lines = message.slice(head.length);
  if (opening === null || lines.length < charactersMax) return message;
  const newline = lines.indexOf('\n');
  return newline === -1 ? head.trimEnd() : head + lines.slice(newline + 1);
}

/** Ours say whose job it is and may be read. A value of several lines is also known by each, because a log shows them so. */
function secretsOf(variables: unknown): readonly string[] {
  if (typeof variables !== 'object' || variables === null) return [];
  return Object.entries(variables).flatMap(([name, value]) =>
    typeof value === 'string' && !name.startsWith('FERRYBOT_')
      ? [value, ...value.split(/\r?\n/).filter((line) => line.length >= SECRET_LINE_CHARACTERS_MIN)]
      : [],
  );
}

type Texts = Readonly<Record<string, string>>;

/** The metadata of a submission over the Jobs API, which takes texts alone. */
export function metadataTexts(metadata: JobMetadata): Texts {
  return {
    ferrybot_run: metadata.run,
    ferrybot_attempt: String(metadata.attempt),
    ferrybot_manifest: metadata.manifest,
    ...(metadata.proof === undefined ? {} : { ferrybot_proof: metadata.proof }),
  };
}

/** The same as variables of the job: `runtime_env.env_vars` come back in every answer about it. */
export function metadataVariables(metadata: JobMetadata): Texts {
  return {
    FERRYBOT_JOB_RUN: metadata.run,
    FERRYBOT_JOB_ATTEMPT: String(metadata.attempt),
    FERRYBOT_JOB_MANIFEST: metadata.manifest,
    ...(metadata.proof === undefined ? {} : { FERRYBOT_JOB_PROOF: metadata.proof }),
  };
}

const identity = z.object({
  run: z.string().min(1),
  attempt: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
  manifest: z.string().min(1),
  proof: z.string().min(1).optional(),
});

/**
 * Whose job it is, by its metadata or else by its variables (`runtime_env.env_vars`); null where neither says it whole.
 * A job of which both speak and contradict each other is nobody's.
 */
export function identityOf(metadata: unknown, variables: unknown): JobMetadata | null {
  const byMetadata = identity.safeParse(
    named(metadata, ['ferrybot_run', 'ferrybot_attempt', 'ferrybot_manifest', 'ferrybot_proof']),
  );
  const byVariables = identity.safeParse(
    named(variables, [
      'FERRYBOT_JOB_RUN',
      'FERRYBOT_JOB_ATTEMPT',
      'FERRYBOT_JOB_MANIFEST',
      'FERRYBOT_JOB_PROOF',
    ]),
  );
  if (!byMetadata.success) return byVariables.success ? byVariables.data : null;
  return byVariables.success && !isSameJob(byMetadata.data, byVariables.data) ? null : byMetadata.data;
}

/** Names of run, attempt, manifest and proof, in this order. */
type Names = readonly [run: string, attempt: string, manifest: string, proof: string];

function named(source: unknown, [run, attempt, manifest, proof]: Names): object {
  if (typeof source !== 'object' || source === null) return {};
  const texts = new Map(Object.entries(source));
  return {
    run: texts.get(run),
    attempt: texts.get(attempt),
    manifest: texts.get(manifest),
    proof: texts.get(proof),
  };
}

/** Null where nothing is in the way. */
export function specRefusal(spec: JobSpec): Extract<SubmitOutcome, { kind: 'rejected' }> | null {
  if (!isSubmissionId(spec.submissionId))
    return {
      kind: 'rejected',
      code: 'bad-submission-id',
      message: '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front',
    };
  if ((spec.command[0] ?? '') === '' || shellLineOf(spec.command) === null)
    return {
      kind: 'rejected',
      code: 'empty-command',
      message: 'there is no program that a shell could start',
    };
  const impossible = Object.entries(spec.env).flatMap(([name, value]) =>
    /^[^=\0]+$/.test(name) && !value.includes('\0') ? [] : [JSON.stringify(name)],
  );
  if (impossible.length > 0)
    return {
      kind: 'rejected',
      code: 'refused',
      message: `no process can be given the variable ${impossible.join(', ')}: there is a NUL in it, or no name`,
    };
  const changed = expandedOf(spec.env);
  return changed.length === 0
    ? null
    : {
        kind: 'rejected',
        code: 'refused',
        message: `Ray would expand the $ in the value of ${changed.join(', ')}: no job gets another environment`,
      };
}

/**
 * Variables whose value the job would not get as it is: Ray puts others in the place of `$NAME` and `${NAME}`, and knows
 * no way to write them otherwise (ray-project/ray, python/ray/_private/utils.py, update_envs).
 */
function expandedOf(env: JobSpec['env']): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (/\$[\w{]/.test(value) ? [name] : []));
}
