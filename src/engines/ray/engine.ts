/** The `ray` engine: submits through the lab's scripts if the config has any, and uses the Jobs API for everything else. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { spendCapability } from '../../domain/actions/capability.ts';
import { type Engine, type JobSpec, type LeftOut, submitStep } from '../../domain/engine.ts';
import { trimEndCharacters } from '../../domain/values.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { listFilesLeftOut } from '../shared/package-files.ts';
import type { RayCluster } from './definition.ts';
import { TOKEN_FILE } from './private-home.ts';
import { createRestEngine } from './rest/engine.ts';
import { RAY } from './rest/submit.ts';
import type { ScriptSettings, ScriptTemplates } from './scripts/run-script.ts';
import { submitByScript } from './scripts/submit.ts';
import { createTunnel, type Tunnel } from './tunnel.ts';

// Finds files that a lab's script would not ship, by the exclusion rules of Ray's SDK and of the script.

/** What Ray leaves out everywhere (ray-project/ray, ray_constants.py, RAY_RUNTIME_ENV_DEFAULT_EXCLUDES). */
const RAY_VARIABLES = ['.git', '.venv', 'venv', '__pycache__'];

type IgnoreRules = {
  /** Folder of the patterns, with a trailing slash; empty: the root. */
  readonly folder: string;
  readonly name: string;
  readonly matcher: Ignore;
  readonly isAll: boolean;
};

/**
 * Ray walks the folder and leaves out each path that any rule of a parent folder matches. A later rule of another file
 * restores nothing (ray-project/ray, runtime_env/packaging.py, _dir_travel). In doubt a file counts as left out.
 */
export async function listFilesLeftOutByScript(
  { leavesOut, ignoreFiles }: Pick<ScriptTemplates, 'leavesOut' | 'ignoreFiles'>,
  { workingDirectory, files = [] }: Pick<JobSpec, 'workingDirectory' | 'files'>,
): Promise<readonly LeftOut[]> {
  const rules: IgnoreRules[] = [
    parseIgnoreFile('', "Ray's own rules", RAY_VARIABLES.join('\n')),
    parseIgnoreFile('', 'leavesOut of the config', leavesOut.join('\n')),
  ];
  for (const file of files) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    if (!ignoreFiles.includes(name)) continue;
    const text = await readFile(join(workingDirectory, file.path), 'utf8');
    rules.push(parseIgnoreFile(file.path.slice(0, -name.length), file.path, text));
  }
  const leftOut: LeftOut[] = [];
  for (const { path, target } of files) {
    const why = findIgnoreRule(rules, path);
    if (why !== null) leftOut.push({ path, why: `left out by ${why}` });
    // Ray follows links: a link to a file arrives as that file, a link to a folder as a second copy, or as an endless one.
    else if (target !== null && !(await stat(join(workingDirectory, path))).isFile())
      leftOut.push({ path, why: 'a link to a folder, which arrives as no link' });
  }
  return leftOut;
}

function findIgnoreRule(rules: readonly IgnoreRules[], path: string): string | null {
  const rule = rules.find(
    ({ folder, matcher, isAll }) => path.startsWith(folder) && (isAll || matcher.ignores(path.slice(folder.length))),
  );
  return rule?.name ?? null;
}

function parseIgnoreFile(folder: string, name: string, text: string): IgnoreRules {
  const matcher = ignore({ ignorecase: false }).add(text);
  return { folder, name, matcher, isAll: text.split('\n').some(isAnchoredPattern) };
}

/** Ray also matches a file's rules against its own folder, as `.`. A star then excludes the whole folder, despite a later `!`. */
function isAnchoredPattern(line: string): boolean {
  return /^\/?[*?.[\]]+\/?$/.test(line.trim());
}

/** Timeout of one check whether anything answers through the tunnel. */
const TUNNEL_ANSWER_MS = 5_000;

/** Builds the engine and its `close`. Its child processes see only those variables that the config names. */
export function compose(host: EngineHost, cluster: RayCluster): ComposedEngine {
  const name = host.cluster;
  const dashboard = trimEndCharacters(cluster.dashboard, '/');
  const credentials = readCredentials(cluster, host.environment);
  const tunnel = createClusterTunnel(name, cluster, host, credentials);
  const rest = createRestEngine({
    address: dashboard,
    token: credentials.token,
    requestTimeoutMs: cluster.requestTimeoutMs,
    secrets: credentials.secrets,
    // While the tunnel that all calls share is down, every answer is `unknown` with the reason.
    reach: async () => (tunnel === null ? null : tunnel.ensure()),
  });
  const scripts = buildScriptSettings(name, cluster, host, credentials);
  return { engine: createRayEngine({ rest, scripts, dashboard }), close: async () => tunnel?.close() };
}

type Credentials = {
  readonly token: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly homeFiles: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
};

/** Omits a variable that this runner does not have. The program that needs it reports that itself. */
function readCredentials(cluster: RayCluster, environment: EngineHost['environment']): Credentials {
  const readVariable = (name: string): string | null => environment[name] || null;
  const pickNamed = (pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
    Object.fromEntries(
      pairs.flatMap(([key, name]) => {
        const value = readVariable(name);
        return value === null ? [] : [[key, value]];
      }),
    );
  const token = cluster.tokenFrom === null ? null : readVariable(cluster.tokenFrom);
  const passed = pickNamed(cluster.passVariables.map((name) => [name, name]));
  const homeFiles = pickNamed(Object.entries(cluster.homeFiles));
  const env = {
    PATH: environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: environment['LANG'] ?? 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(token === null ? {} : { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token }),
    RAY_ADDRESS: cluster.dashboard,
    ...passed,
  };
  const secrets = [...Object.values(passed), ...Object.values(homeFiles), ...(token === null ? [] : [token])];
  return { token, env, homeFiles, secrets };
}

function createClusterTunnel(
  name: string,
  { tunnel, dashboard }: RayCluster,
  host: EngineHost,
  { env, homeFiles }: Credentials,
): Tunnel | null {
  if (tunnel === null) return null;
  return createTunnel({
    command: tunnel.command.map((part) => part.replaceAll('{cluster}', name)),
    env,
    homeFiles,
    temporaryDirectory: privateHomesFolder(host),
    startTimeoutMs: tunnel.startTimeoutMs,
    answers: () => isAnswering(dashboard),
    now: () => performance.now(),
  });
}

/** Any answer counts, even a refusal. The calls find out whether the server is Ray and whether the token is valid. */
async function isAnswering(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TUNNEL_ANSWER_MS);
    const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', signal });
    await answer.body?.cancel();
    return true;
  } catch (error) {
    // fetch reports a missing server as a TypeError, and a timeout under its own name.
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) return false;
    throw error;
  }
}

function buildScriptSettings(
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
        // Retry after a short failure of Git: a watch keeps this engine for a day.
        checkout = null;
        throw error;
      }
    },
    env,
    // A token file from the lab's own config takes precedence.
    homeFiles: { ...(token === null ? {} : { [TOKEN_FILE]: token }), ...homeFiles },
    temporaryDirectory: privateHomesFolder(host),
    secrets,
    sleep: (durationMs) => sleep(durationMs),
  };
}

function privateHomesFolder({ temporaryDirectory }: EngineHost): string {
  return join(temporaryDirectory, 'ferrybot', 'homes');
}

export type RayEngineOptions = {
  /** The Jobs API, used for everything except a submission through scripts. */
  readonly rest: Engine;
  /** The scripts that submit; null: the Jobs API submits. */
  readonly scripts: ScriptSettings | null;
  /** Dashboard URL for people, without a trailing slash. */
  readonly dashboard: string;
};

/** The Jobs API engine. If there are scripts, they submit instead. */
export function createRayEngine({ rest, scripts, dashboard }: RayEngineOptions): Engine {
  if (scripts === null) return { ...rest, leftOut: (spec) => listFilesLeftOut(spec, RAY) };
  const look = {
    observe: (jobId: string) => rest.observe(jobId, null),
    urlOf: (jobId: string) => `${dashboard}/#/jobs/${jobId}`,
  };
  return {
    ...rest,
    leftOut: (spec) => listFilesLeftOutByScript(scripts.templates, spec),
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      return submitByScript(scripts, look, spec);
    },
  };
}
