/** The `ray` engine: submits through the lab's scripts where there are any, looks through the Jobs API wherever there is a dashboard. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../domain/engine.ts';
import { unknown } from '../../domain/observed.ts';
import { trimmedEnd } from '../../domain/trimmed-end.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { guarded, type Unknown, unknownBecause } from '../shared/acts.ts';
import { leftOutOfPackage } from '../shared/package-files.ts';
import type { RayCluster } from './definition.ts';
import { TOKEN_FILE } from './private-home.ts';
import { createRestEngine } from './rest/engine.ts';
import { RAY } from './rest/submit.ts';
import { leftOutByScript } from './scripts/left-out.ts';
import { describeByScript, observeByScript, stopByScript } from './scripts/observe.ts';
import { readLogByScript } from './scripts/read-log.ts';
import type { ScriptSettings } from './scripts/run-script.ts';
import { submitByScript } from './scripts/submit.ts';
import { createTunnel, type Tunnel } from './tunnel.ts';

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
