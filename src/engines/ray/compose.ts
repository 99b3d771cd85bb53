/** Puts a Ray engine together from its cluster's config and this runner's environment. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { trimmedEnd } from '../../domain/trimmed-end.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { createRayEngine } from './engine.ts';
import { createRestEngine } from './rest/engine.ts';
import type { RayCluster } from './schema.ts';
import type { ScriptSettings } from './scripts/settings.ts';
import { TOKEN_FILE } from './token-file.ts';
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
