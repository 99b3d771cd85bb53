/** Submits through the lab's script: checks first, submits once, and after any doubt checks again instead of submitting again. */

import { stripVTControlCharacters } from 'node:util';
import type { Job, JobObservation, JobSpec, SubmitOutcome, SubmitRejection } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { cutText, cutTextFromEnd } from '../../../domain/values.ts';
import type { ProgramResult } from '../../../host/process.ts';
import { redact } from '../../../host/redactor.ts';
import { buildJob, checkFiles, findConflict, identityFields, reject, unknownOutcome } from '../../shared/kit.ts';
import { findRaySpecRefusal, IN_VARIABLES } from '../job-details.ts';
import { fillTemplate, runScript, type ScriptSettings } from './run-script.ts';

/** Characters per output that are searched for a failure's reason: a traceback, and the log before it. */
const SCRIPT_SAID_CHARS_MAX = 64 * 1024;

/** Output of a program that ended or was cut off. */
export type ScriptOutput = Pick<ProgramResult, 'kind' | 'exitCode' | 'stdout' | 'stderr'>;

/** The ids in `Job submitted with ID: X` (ray_run.py, which logs to standard error), each once. A person must handle more than one. */
export function findSubmittedIds({ stdout, stderr }: ScriptOutput): readonly string[] {
  const lines = stripControlSequences(`${stdout}\n${stderr}`).matchAll(/Job submitted with ID: (\S+)[^\S\n]*$/gm);
  return [...new Set([...lines].flatMap(([, id]) => id ?? []))];
}

/** Removes every given value from a text, whole and line by line: a log shows a multi-line value by line. */
export function createScrubber(values: readonly string[]): (text: string) => string {
  const all = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
  return (text) => redact(text, all);
}

/**
 * The lines that explain a failure, without those that echo variables (`env_vars: {…}`, `Terminal command: …`). Includes
 * only lines with a word of failure, which also excludes echoes in another format.
 */
export function describeFailure(output: ScriptOutput, scrub: (text: string) => string): string {
  const clean = scrub(lastOutputLines(output));
  const lines = clean.split('\n').filter((line) => FAILURE.test(line) && !ECHO.test(line));
  const reason = cutTextFromEnd(lines.slice(-SHOWN_LINES).join('\n').trim(), limits.messageCharactersMax);
  return reason.toWellFormed();
}

/** The ends of both outputs, from a whole line on. They contain the error, and a flood of output is not searched further. */
export function lastOutputLines({ stdout, stderr }: ScriptOutput): string {
  return stripControlSequences(`${lastLines(stdout)}\n${lastLines(stderr)}`);
}

function lastLines(text: string): string {
  if (text.length <= SCRIPT_SAID_CHARS_MAX) return text;
  const end = cutTextFromEnd(text, SCRIPT_SAID_CHARS_MAX);
  // Half a line may contain half a secret, which scrubbing cannot find.
  return end.slice(end.indexOf('\n') + 1 || end.length);
}

const FAILURE =
  /\b(\w*(Error|Exception)|failed|refused|denied|forbidden|unauthorized|no such|not found|must start|already exists|does not exist|timed out|unreachable|can't open)\b/i;
const ECHO = /env_vars|runtime.env|Terminal command|Submitting job with entrypoint|^\s*"[^"]*":/i;
const SHOWN_LINES = 6;

function stripControlSequences(text: string): string {
  return stripVTControlCharacters(text);
}

export type ScriptRefusal = {
  readonly code: Extract<SubmitRejection, 'unauthorized' | 'refused'>;
  /** The meaning and the remedy; empty if the script's own message is clear. */
  readonly explanation: string;
};

/** A pattern of the output, its meaning (`$1`: the first group of the pattern), and whether a key was refused. */
type Row = readonly [says: RegExp, words: string, code?: 'unauthorized'];

/** The head has answered with these, so no job can come from that request later. */
const ANSWERED: readonly Row[] = [
  [/AuthenticationError|status code 40[13]\b|Unauthorized: |Forbidden: /, '', 'unauthorized'],
  [
    /No available agent to submit job/,
    'no node of the cluster takes jobs yet, as while its head is starting; nothing was sent to one',
  ],
];

/** Failures before a request is sent. The first match is reported, so the more exact patterns come first. */
const BEFORE: readonly Row[] = [
  [
    /Invalid key provided for environment variable: /,
    "the script takes a variable as two arguments, as Marin's did before February 2026: set `environment: ['-e', '{name}', '{value}']`",
  ],
  [
    /No such file or directory: '([^'\n]*\.yaml)'/,
    'the script found no file of the cluster at $1: name it by {clusterFile}, which is looked for in the default branch',
  ],
  [
    /No cluster config found/,
    'the script found no file of the cluster: name it by {clusterFile}, which is looked for in the default branch',
  ],
  [
    /No such file or directory: '([\w.+-]+)'/,
    "the script starts $1 by name: it has to lie beside the chosen Python, or in a folder of the runner's PATH",
  ],
  [
    /no local token was found|CalledProcessError: Command '\['gcloud', 'secrets'/,
    "the script found no token: the variable that `tokenFrom` names has to be in the launcher's environment",
    'unauthorized',
  ],
  [
    /CalledProcessError: Command '\['gcloud'/,
    'gcloud, which is asked where the cluster is, failed before anything was sent',
  ],
  [
    /CalledProcessError: Command '\['uv', 'export'/,
    '`uv export` failed in the shipped files before anything was sent: pyproject.toml, uv.lock and what they name have to be among `ships`',
  ],
  [/Command must start with/, ''],
  [/can't open file/, ''],
  [/\b(?:ModuleNotFoundError|ImportError|SyntaxError)\b/, ''],
  [/unrecognized arguments|the following arguments are required|expected (?:at least )?(?:one|\d) arguments?/, ''],
];

/**
 * Null if the script may have sent something. A failure before the request counts only if the script has not printed its
 * request; ray_run.py prints it right before sending it (`Terminal command:`).
 */
function findRefusal(end: ScriptOutput, scrub: (text: string) => string): ScriptRefusal | null {
  if (end.kind !== 'exited' || end.exitCode === 0) return null;
  const text = scrub(lastOutputLines(end));
  const rows = /Terminal command:/.test(text) ? ANSWERED : [...ANSWERED, ...BEFORE];
  for (const [says, words, code = 'refused'] of rows) {
    const match = says.exec(text);
    if (match !== null) return { code, explanation: words.replace('$1', () => match[1] ?? '') };
  }
  return null;
}

export type JobLookupPort = {
  /** The job under the id now, over the Jobs API. */
  readonly observe: (jobId: string) => Promise<JobObservation>;
  /** The job's page for people. */
  readonly urlOf: (jobId: string) => string;
};

/**
 * The deterministic id is the guard: Ray refuses it a second time, even after a lost answer, so one script call starts at
 * most one job. The metadata or variables of the job under the id identify its run (job-details.ts); the job gets them with
 * its environment. A job without them is a conflict, never ours.
 */
export async function submitByScript(
  settings: ScriptSettings,
  look: JobLookupPort,
  spec: JobSpec,
): Promise<SubmitOutcome> {
  const refusal = findRaySpecRefusal(spec);
  if (refusal !== null) return refusal;
  const misread = misreadVariables(settings.templates, spec);
  if (misread.length > 0)
    return reject(
      'refused',
      `the script would take the value of ${misread.join(', ')} for an option of its own, such as another cluster: it begins with a dash`,
    );
  const found = await look.observe(spec.submissionId);
  if (found.kind === 'found') return toClaimedOutcome(look, spec, found, 'adopted');
  if (found.kind !== 'absent') return unknownOutcome(`nothing was submitted: ${found.message}`);
  if (spec.adoptOnly === true) return { kind: 'absent' };
  const changed = await checkFiles(spec.workingDirectory, spec);
  if (changed !== null) return changed;
  const end = await runScript(settings, buildScriptCall(settings, spec));
  return end.kind === 'not-started'
    ? reject('refused', `the script for the submission could not be started: ${end.code}`)
    : settleSubmission(settings, look, spec, end);
}

/** The script's parser treats a value as an option if it is a separate argument with a leading dash. */
function misreadVariables({ environment }: ScriptSettings['templates'], { env }: JobSpec): readonly string[] {
  if (!environment.includes('{value}')) return [];
  return Object.entries(env).flatMap(([name, value]) => (value.startsWith('-') ? [name] : []));
}

function buildScriptCall({ templates }: ScriptSettings, spec: JobSpec): Parameters<typeof runScript>[1] {
  const variables = Object.entries({ ...spec.env, ...identityFields(spec.metadata, IN_VARIABLES) });
  const isReadable = ([name]: readonly [string, string]): boolean => templates.readsVariables.includes(name);
  const given = variables.filter((entry) => !isReadable(entry));
  return {
    values: {
      texts: { submissionId: spec.submissionId },
      lists: {
        environment: given.flatMap(([name, value]) =>
          fillTemplate(templates.environment, { texts: { name, value }, lists: {} }),
        ),
        command: spec.command,
      },
    },
    cwd: spec.workingDirectory,
    env: Object.fromEntries(variables.filter(isReadable)),
    commit: spec.env['GIT_COMMIT'] ?? null,
  };
}

/** Settles a submission after the script ran. Its output counts only for the id; Ray answers everything else. */
async function settleSubmission(
  settings: ScriptSettings,
  look: JobLookupPort,
  spec: JobSpec,
  end: ProgramResult,
): Promise<SubmitOutcome> {
  const scrub = createScrubber([...settings.secrets, ...Object.values(spec.env)]);
  const ids = findSubmittedIds(end);
  const hasWorked = end.ok;
  const others = ids.filter((id) => id !== spec.submissionId);
  if (others.length > 0)
    return unknownOutcome(
      `the script submitted a job ${cutText(scrub(others.join(' ')), limits.messageCharactersMax)} ${others.length < ids.length ? 'beside' : 'instead of'} ${spec.submissionId}: it does not keep to the id that it is given`,
    );
  const isNamed = ids.length > 0;
  const found = await pollUntilFound(settings, look, spec.submissionId);
  if (found.kind === 'found') {
    // Ray accepts an id once. If the script submitted this id, a job without an identity is ours.
    const isOurs = hasWorked && isNamed && found.metadata === null;
    const named = isOurs ? { ...found, metadata: spec.metadata } : found;
    return toClaimedOutcome(look, spec, named, isNamed ? 'submitted' : 'adopted');
  }
  if (hasWorked && isNamed && found.kind === 'unknown') return { kind: 'submitted', job: toJob(look, spec, null) };
  const refusal = findRefusal(end, scrub);
  const message = `${end.kind === 'exited' ? `exit code ${end.exitCode}` : end.kind}: ${[refusal?.explanation ?? '', describeFailure(end, scrub)].filter((part) => part !== '').join('\n')}`;
  return found.kind === 'absent' && refusal !== null ? reject(refusal.code, message) : unknownOutcome(message);
}

/** A job that was just submitted may appear a moment later. */
async function pollUntilFound({ sleep }: ScriptSettings, look: JobLookupPort, jobId: string): Promise<JobObservation> {
  let found: JobObservation = { kind: 'unknown', message: 'nobody has looked' };
  for (const delayMs of limits.rayLookAgainDelaysMs) {
    await sleep(delayMs);
    found = await look.observe(jobId);
    if (found.kind === 'found') break;
  }
  return found;
}

function toClaimedOutcome(
  look: JobLookupPort,
  spec: JobSpec,
  found: Extract<JobObservation, { kind: 'found' }>,
  kind: 'adopted' | 'submitted',
): SubmitOutcome {
  return findConflict(found.metadata, spec) ?? { kind, job: toJob(look, spec, found.session) };
}

function toJob(look: JobLookupPort, spec: JobSpec, session: string | null): Job {
  return buildJob('ray', spec, session, look.urlOf(spec.submissionId));
}
