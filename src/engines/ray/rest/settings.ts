/** What the `rest` transport needs from its surroundings. */

import { setTimeout } from 'node:timers/promises';
import { callOverHttp, type Http } from '../../http.ts';
import { openTailSocket, type TailOpener } from './tail-socket.ts';

/** One request to a Ray dashboard: a busy head lists a thousand jobs in two or three seconds. */
const RAY_REQUEST_TIMEOUT_MS = 30_000;
/** The head looks for the job for a second before it sends the first frame. */
const RAY_TAIL_FIRST_MS = 3_000;
/** Frames that follow each other at once come within this; at the end of the log the head pauses for two seconds. */
const RAY_TAIL_QUIET_MS = 500;

export type RestOptions = {
  /** The dashboard: scheme, host and port, perhaps with a path in front of `/api`. */
  readonly address: string;
  /** Ray's authentication token; null where the head asks for none. */
  readonly token: string | null;
  /** For each request; a body that is read piece by piece may be silent for so long. */
  readonly requestTimeoutMs?: number;
  /** Values that must not stand in any text that leaves the adapter, such as those of the secrets of the job. */
  readonly secrets?: readonly string[];
  /** How long a socket that follows a log may be silent, at its beginning and after that, until it counts as *nothing new*. */
  readonly tailFirstMs?: number;
  readonly tailQuietMs?: number;
  readonly http?: Http;
  readonly openTail?: TailOpener;
  readonly sleep?: (durationMs: number) => Promise<unknown>;
  /** Milliseconds that never go back. */
  readonly elapsed?: () => number;
};

/** The options with their defaults filled in; `address` ends with a slash. */
export type RestSettings = Required<RestOptions>;

/** Fills in the defaults. Throws where the address is no URL of the web, which the config's schema has excluded. */
export function restSettings(options: RestOptions): RestSettings {
  const url = new URL(options.address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`${url.protocol} is no address of a dashboard`);
  return {
    requestTimeoutMs: RAY_REQUEST_TIMEOUT_MS,
    secrets: [],
    tailFirstMs: RAY_TAIL_FIRST_MS,
    tailQuietMs: RAY_TAIL_QUIET_MS,
    http: callOverHttp,
    openTail: openTailSocket,
    sleep: (durationMs) => setTimeout(durationMs),
    elapsed: () => performance.now(),
    ...options,
    address: url.href.endsWith('/') ? url.href : `${url.href}/`,
  };
}

/**
 * The headers that say who asks: the usual one, and Ray's own for dashboards behind a proxy that keeps the first for
 * itself (ray-project/ray, python/ray/_private/authentication). Nothing here may look like a browser: Ray refuses every
 * write of one (docs/decisions/0015-ray-over-rest.md).
 */
export function authorization(settings: RestSettings): Readonly<Record<string, string>> {
  if (settings.token === null) return {};
  const bearer = `Bearer ${settings.token}`;
  return { authorization: bearer, 'x-ray-authorization': bearer };
}
