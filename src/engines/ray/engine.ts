/** The `ray` engine: submits through the lab's scripts where there are any, looks through the Jobs API wherever there is a dashboard. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import type {
  Engine,
  JobDescription,
  JobObservation,
  JobSpec,
  LeftOut,
  StopOutcome,
} from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { unknown } from '../../domain/observed.ts';
import { trimmedEnd } from '../../domain/text.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { guarded, stopAndConfirm, type Unknown, unknownBecause } from '../shared/acts.ts';
import { jsonIn } from '../shared/http.ts';
import { leftOutOfPackage } from '../shared/package-files.ts';
import type { RayCluster } from './definition.ts';
import { type RayJob, readJobDetails } from './job-details.ts';
import { TOKEN_FILE } from './private-home.ts';
import { createRestEngine } from './rest/engine.ts';
import { RAY } from './rest/submit.ts';
import { readLogByScript } from './scripts/read-log.ts';
import { runScript, type ScriptSettings, type ScriptTemplates } from './scripts/run-script.ts';
import { reasonOf, scrubber } from './scripts/said.ts';
import { submitByScript } from './scripts/submit.ts';
import { createTunnel, type Tunnel } from './tunnel.ts';

/** What the scripts ask Ray for (`--limit=10000`, scripts/ray/cluster.py): a list of so many may lack one. */
const RAY_LISTED_JOBS_MAX = 10_000;

/**
 * A job that is missing from a list that can be trusted is absent where it was never seen, and `state-lost` where it
 * was: how it ended nobody knows, and the scripts tell no session by which a restart of the head would show.
 */
async function observeByScript(
  settings: ScriptSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const seen = await describeByScript(settings, jobId, lastSession);
  return seen.kind === 'described' ? seen.job : seen;
}

/** The same, with where the job comes from. */
async function describeByScript(
  settings: ScriptSettings,
  jobId: string,
  lastSession: string | null,
): Promise<Exclude<JobDescription, { readonly kind: 'cannot' }>> {
  const list = await listJobs(settings);
  if (list.kind === 'unknown') return list;
  const job = list.jobs.find(({ submissionId }) => submissionId === jobId);
  if (job !== undefined) return { kind: 'described', job: job.found, origin: job.origin };
  if (!list.isWhole) return unknownBecause('the list of jobs is cut and the job not in it');
  return lastSession === null
    ? { kind: 'absent', session: null }
    : { kind: 'state-lost', session: '', message: 'the cluster lists other jobs and this one no more' };
}

/** Asks the lab's script for all jobs of the cluster. An empty list means *none* and *could not read* alike, so it means nothing. */
type JobList =
  | { readonly kind: 'jobs'; readonly jobs: readonly RayJob[]; readonly isWhole: boolean }
  | { readonly kind: 'unknown'; readonly message: string };

/** `isWhole`: fewer jobs than the script asks Ray for, so that a job that is not among them is not there. */
async function listJobs(settings: ScriptSettings): Promise<JobList> {
  const fill = { texts: {}, lists: {} };
  const end = await runScript(settings, { template: settings.templates.list, fill, cwd: null, env: {} });
  const scrub = scrubber(settings.secrets);
  switch (end.kind) {
    case 'not-started':
      return unknownBecause(`the script for the list could not be started: ${end.code}`);
    case 'cut':
      return unknownBecause(`the script for the list was cut: ${end.why}`);
    case 'exited':
      return end.exitCode === 0
        ? parseJobList(end.stdout, settings.secrets)
        : unknownBecause(`the script for the list failed: ${reasonOf(end, scrub)}`);
  }
}

/** `json.dumps` of Ray's own list, possibly after lines of its command line. */
function parseJobList(output: string, secrets: readonly string[]): JobList {
  const scrub = (text: string, more: readonly string[]): string => scrubber([...secrets, ...more])(text);
  const plain = stripVTControlCharacters(output);
  const start = plain.search(/^\[/m);
  const rows = start < 0 ? undefined : jsonIn(plain.slice(start, plain.lastIndexOf(']') + 1));
  if (!Array.isArray(rows)) return unknownBecause('the list of jobs is no JSON list');
  if (rows.length === 0)
    return unknownBecause('the list of jobs is empty, which it also is when it could not be read');
  const jobs = rows.flatMap((row) => readJobDetails(row, null, scrub) ?? []);
  if (jobs.length < rows.length)
    return unknownBecause(`${rows.length - jobs.length} jobs of the list cannot be read`);
  return { kind: 'jobs', jobs, isWhole: rows.length < RAY_LISTED_JOBS_MAX };
}

/** `observe` looks in the way that the engine prefers; the script's own word is not taken for it. */
function stopByScript(
  settings: ScriptSettings,
  observe: (jobId: string) => Promise<JobObservation>,
  jobId: string,
): Promise<StopOutcome> {
  return stopAndConfirm({
    observe: () => observe(jobId),
    ask: async () => {
      const fill = { texts: { jobId }, lists: {} };
      const end = await runScript(settings, { template: settings.templates.stop, fill, cwd: null, env: {} });
      if (end.kind === 'not-started')
        return unknownBecause(`the script for the stop could not be started: ${end.code}`);
      return end.kind === 'cut' ? end.why : reasonOf(end, scrubber(settings.secrets));
    },
    late: (last, asked) =>
      last.kind === 'found'
        ? { kind: 'stopping' }
        : unknownBecause(`after the stop: ${last.kind === 'unknown' ? last.message : last.kind}; ${asked}`),
    sleep: settings.sleep,
    pollMs: limits.rayStopPollMs,
  });
}

// Which files of a tree a lab's script would not ship: told from the rules by which Ray's SDK and the script leave files out.

/** What Ray leaves out everywhere (ray-project/ray, ray_constants.py, RAY_RUNTIME_ENV_DEFAULT_EXCLUDES). */
const OF_RAY = ['.git', '.venv', 'venv', '__pycache__'];

type Rules = {
  /** Folder that the patterns are relative to, with a slash at its end; empty: the root. */
  readonly folder: string;
  readonly name: string;
  readonly matcher: Ignore;
  readonly isAll: boolean;
};

/**
 * Ray walks the folder and leaves out what any rule of any folder above it names; a later rule of another file takes
 * nothing back (ray-project/ray, runtime_env/packaging.py, _dir_travel). In doubt a file counts as left out.
 */
export async function leftOutByScript(
  { leavesOut, ignoreFiles }: Pick<ScriptTemplates, 'leavesOut' | 'ignoreFiles'>,
  { workingDirectory, files = [] }: Pick<JobSpec, 'workingDirectory' | 'files'>,
): Promise<readonly LeftOut[]> {
  const rules: Rules[] = [
    rulesOf('', "Ray's own rules", OF_RAY.join('\n')),
    rulesOf('', 'leavesOut of the config', leavesOut.join('\n')),
  ];
  for (const file of files) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    if (!ignoreFiles.includes(name)) continue;
    const text = await readFile(join(workingDirectory, file.path), 'utf8');
    rules.push(rulesOf(file.path.slice(0, -name.length), file.path, text));
  }
  const leftOut: LeftOut[] = [];
  for (const { path, target } of files) {
    const why = nameOfRule(rules, path);
    if (why !== null) leftOut.push({ path, why: `left out by ${why}` });
    // Ray follows it: a link to a file arrives as that file, one to a folder as a second copy of it, or for ever.
    else if (target !== null && !(await stat(join(workingDirectory, path))).isFile())
      leftOut.push({ path, why: 'a link to a folder, which arrives as no link' });
  }
  return leftOut;
}

function nameOfRule(rules: readonly Rules[], path: string): string | null {
  const rule = rules.find(
    ({ folder, matcher, isAll }) =>
      path.startsWith(folder) && (isAll || matcher.ignores(path.slice(folder.length))),
  );
  return rule?.name ?? null;
}

function rulesOf(folder: string, name: string, text: string): Rules {
  const matcher = ignore({ ignorecase: false }).add(text);
  return { folder, name, matcher, isAll: text.split('\n').some(namesItsFolder) };
}

/** Ray asks each file's rules about its own folder as `.` too: a star takes all of it away, whatever `!` says after it. */
function namesItsFolder(line: string): boolean {
  return /^\/?[*?.[\]]+\/?$/.test(line.trim());
}

/** One look whether anything answers through it. */
const TUNNEL_ANSWER_MS = 5_000;

/** The engine, and how to end what it keeps open. No child of it sees more of the environment than the config names. */
export function compose(host: EngineHost, cluster: RayCluster): ComposedEngine {
  const name = host.cluster;
  const dashboard = cluster.dashboard == null ? null : trimmedEnd(cluster.dashboard, '/');
  const credentials = credentialsOf(cluster, host.environment);
  const tunnel = tunnelOf(name, cluster, host, credentials);
  const rest =
    dashboard === null
      ? null
      : createRestEngine({
          address: dashboard,
          token: credentials.token,
          requestTimeoutMs: cluster.requestTimeoutMs,
          secrets: credentials.secrets,
        });
  const scripts = scriptsOf(name, cluster, host, credentials);
  return {
    engine: createRayEngine({ rest, scripts, tunnel, dashboard }),
    close: async () => tunnel?.close(),
  };
}

type Credentials = {
  readonly token: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly homeFiles: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
};

/** A variable that this runner does not have is left out: what needs it says so itself. */
function credentialsOf(cluster: RayCluster, environment: EngineHost['environment']): Credentials {
  const variableOf = (name: string): string | null => environment[name] || null;
  const named = (pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      pairs.flatMap(([key, name]) => {
        const value = variableOf(name);
        return value === null ? [] : [[key, value]];
      }),
    );
  const token = cluster.tokenFrom === null ? null : variableOf(cluster.tokenFrom);
  const passed = named(cluster.passVariables.map((name) => [name, name]));
  const homeFiles = named(Object.entries(cluster.homeFiles));
  const env = {
    PATH: environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: environment['LANG'] ?? 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(token === null ? {} : { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token }),
    ...(cluster.dashboard === null ? {} : { RAY_ADDRESS: cluster.dashboard }),
    ...passed,
  };
  const secrets = [...Object.values(passed), ...Object.values(homeFiles), ...(token === null ? [] : [token])];
  return { token, env, homeFiles, secrets };
}

function tunnelOf(
  name: string,
  { tunnel, dashboard }: RayCluster,
  host: EngineHost,
  { env, homeFiles }: Credentials,
): Tunnel | null {
  if (tunnel === null || dashboard === null) return null;
  return createTunnel({
    command: tunnel.command.map((part) => part.replaceAll('{cluster}', name)),
    env,
    homeFiles,
    temporaryDirectory: homesIn(host),
    startTimeoutMs: tunnel.startTimeoutMs,
    answers: () => answers(dashboard),
    now: () => performance.now(),
  });
}

/** Any answer is one, a refusal too: whether it is Ray, and who may ask, is for the calls to find out. */
async function answers(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TUNNEL_ANSWER_MS);
    const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', signal });
    await answer.body?.cancel();
    return true;
  } catch (error) {
    // fetch says *nobody there* with a TypeError, and the time-out with its own name.
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError'))
      return false;
    throw error;
  }
}

function scriptsOf(
  cluster: string,
  { scripts }: RayCluster,
  host: EngineHost,
  { token, env, homeFiles, secrets }: Credentials,
): ScriptSettings | null {
  if (scripts === null) return null;
  let checkout: Promise<string> | null = null;
  return {
    cluster,
    templates: scripts,
    checkout: async () => {
      checkout ??= host.checkout(scripts.checkout ?? []);
      try {
        return await checkout;
      } catch (error) {
        // Git that was away for a moment is asked again: a watch holds this engine for a day.
        checkout = null;
        throw error;
      }
    },
    env,
    // What the lab itself puts there stays.
    homeFiles: { ...(token === null ? {} : { [TOKEN_FILE]: token }), ...homeFiles },
    temporaryDirectory: homesIn(host),
    secrets,
    sleep: (durationMs) => sleep(durationMs),
  };
}

function homesIn({ temporaryDirectory }: EngineHost): string {
  return join(temporaryDirectory, 'ferrybot', 'homes');
}

export type RayEngineOptions = {
  /** The Jobs API; null where no dashboard is known. */
  readonly rest: Engine | null;
  /** The scripts; null where the Jobs API submits. */
  readonly scripts: ScriptSettings | null;
  readonly tunnel: Tunnel | null;
  /** Address of the dashboard for people, without a slash at its end; null where there is none. */
  readonly dashboard: string | null;
};

/**
 * `rest` is preferred for looking, because the scripts print nothing with exit code 0 for *tunnel down*, *job unknown*
 * and *no line* alike. Every call waits for the one tunnel; while that is down, every answer is `unknown` with the reason.
 */
export function createRayEngine({ rest, scripts, tunnel, dashboard }: RayEngineOptions): Engine {
  const submitting = scripts === null ? rest : scriptEngine(scripts, rest, dashboard);
  if (submitting === null) throw new Error('a Ray cluster has neither a dashboard nor scripts');
  const looking = rest ?? submitting;
  const { observeMany, live, forgetsWithSession } = looking;
  const behind = async <Answer>(call: () => Promise<Answer>): Promise<Answer | Unknown> => {
    const down = tunnel === null ? null : await tunnel.ensure();
    return down === null ? call() : unknownBecause(down);
  };
  return {
    name: 'ray',
    ...(forgetsWithSession === undefined ? {} : { forgetsWithSession }),
    session: () => behind(() => looking.session()),
    leftOut: (spec) =>
      scripts === null ? leftOutOfPackage(spec, RAY) : leftOutByScript(scripts.templates, spec),
    submit: (spec, permit) => behind(() => submitting.submit(spec, permit)),
    observe: (jobId, lastSession) => behind(() => looking.observe(jobId, lastSession)),
    describe: (jobId) => behind(() => looking.describe(jobId)),
    readLog: (jobId, offset) => behind(() => looking.readLog(jobId, offset)),
    stop: (jobId, permit) => behind(() => looking.stop(jobId, permit)),
    ...(live === undefined
      ? {}
      : {
          live: async () => {
            const seen = await behind(live);
            return 'message' in seen ? unknown(seen.message) : seen;
          },
        }),
    ...(observeMany === undefined
      ? {}
      : {
          observeMany: async (asked) => {
            const seen = await behind(() => observeMany(asked));
            return 'kind' in seen ? asked.map(() => seen) : seen;
          },
        }),
  };
}

/** The lab's scripts alone; what stands under an id before and after a submit is looked for over `rest` where it is known. */
function scriptEngine(scripts: ScriptSettings, rest: Engine | null, dashboard: string | null): Engine {
  const observe = (jobId: string): ReturnType<Engine['observe']> =>
    rest === null ? observeByScript(scripts, jobId, null) : rest.observe(jobId, null);
  const look = {
    observe,
    mayBeEmpty: rest === null,
    urlOf: (jobId: string) => (dashboard === null ? '' : `${dashboard}/#/jobs/${jobId}`),
  };
  return guarded({
    name: 'ray',
    session: async () => unknownBecause('the scripts tell no session of the head'),
    submit: (spec) => submitByScript(scripts, look, spec),
    observe: (jobId, lastSession) => observeByScript(scripts, jobId, lastSession),
    describe: (jobId) => describeByScript(scripts, jobId, null),
    readLog: (jobId, offset) => readLogByScript(scripts, jobId, offset),
    stop: (jobId) => stopByScript(scripts, observe, jobId),
  });
}
