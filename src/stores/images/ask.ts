/**
 * Requests to a container registry from inside the lab's network. Challenges and redirects are untrusted and followed only to hosts in the
 * config.
 */

import { z } from 'zod';
import { jsonIn } from '../../domain/json.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { ask as askStore, STORE_ANSWER_BYTES_MAX, type StoreAnswer, type StoreHost } from '../ask.ts';

export type RegistryHost = StoreHost;

/** The config's registry, with this process's key. */
export type RegistryPlace = {
  /** Without a trailing slash. */
  readonly address: string;
  readonly alsoHosts: readonly string[];
  readonly user: string;
  /** Null: anonymous access. */
  readonly key: string | null;
};

/** The text at this path of the repository; null if there is none. */
export type RegistryAsk = (path: string, accept: string) => Promise<Observed<string | null>>;

const tokenSchema = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** For one repository; reuses the granted token. */
export function createRegistryAsk(host: RegistryHost, place: RegistryPlace, repository: string): RegistryAsk {
  let authorization: string | null = null;
  return async (path, accept) => {
    const url = `${place.address}/v2/${repository}/${path}`;
    const first = await get(host, url, { accept, authorization });
    if (first.kind === 'unknown') return first;
    if (first.value.status !== 401) return said(host, place, url, first.value);
    const granted = await permission(host, place, repository, first.value.headers);
    if (granted.kind === 'unknown') return granted;
    authorization = granted.value;
    const again = await get(host, url, { accept, authorization });
    return again.kind === 'unknown' ? again : said(host, place, url, again.value);
  };
}

async function said(
  host: RegistryHost,
  place: RegistryPlace,
  url: string,
  { status, headers, text }: StoreAnswer,
): Promise<Observed<string | null>> {
  if (status === 200) return known(text);
  if (status === 404) return known(null);
  if (status < 300 || status >= 400) return unknown(`${hostOf(url)} answers ${status}`);
  const there = URL.parse(headers.get('location') ?? '', url);
  if (!url.includes('/blobs/') || there === null || !mayAsk(place, there))
    return unknown(`${hostOf(url)} leads to ${there?.host ?? 'nowhere'}, which the config does not name`);
  const blob = await get(host, there.href, { accept: '*/*', authorization: null });
  if (blob.kind === 'unknown') return blob;
  return blob.value.status === 200
    ? known(blob.value.text)
    : unknown(`${there.host} answers ${blob.value.status}`);
}

/** The authorization that the registry requests: a token of its service, or the key. */
async function permission(
  host: RegistryHost,
  place: RegistryPlace,
  repository: string,
  headers: Headers,
): Promise<Observed<string>> {
  const challenge = headers.get('www-authenticate') ?? '';
  const { user, key } = place;
  const basic = key === null ? null : `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;
  if (/^basic\b/i.test(challenge))
    return basic === null ? unknown('it asks for a key, and the config names none') : known(basic);
  const realm = URL.parse(parameterOf(challenge, 'realm') ?? '');
  if (!/^bearer\b/i.test(challenge) || realm === null) return unknown('it asks for what is not known here');
  if (!mayAsk(place, realm))
    return unknown(`it sends for a token to ${realm.host}, which the config does not name`);
  const service = parameterOf(challenge, 'service');
  if (service !== null) realm.searchParams.set('service', service);
  realm.searchParams.set('scope', `repository:${repository}:pull`);
  const answer = await get(host, realm.href, { accept: 'application/json', authorization: basic });
  if (answer.kind === 'unknown') return answer;
  if (answer.value.status !== 200)
    return unknown(`${realm.host} gives no token (${answer.value.status}): a key that may pull is wanted`);
  const token = tokenIn(answer.value.text);
  return token === null
    ? unknown(`${realm.host} gives no token that is known here`)
    : known(`Bearer ${token}`);
}

function tokenIn(text: string): string | null {
  const { token, access_token: access } = tokenSchema.safeParse(jsonIn(text)).data ?? {};
  const given = token ?? access ?? '';
  return /^[\w.~+/=-]{1,16384}$/.test(given) ? given : null;
}

/** The registry's own address, or HTTPS to a host in the config. */
function mayAsk({ address, alsoHosts }: RegistryPlace, url: URL): boolean {
  const hasNoUser = url.username === '' && url.password === '';
  const isNamed = url.protocol === 'https:' && alsoHosts.includes(url.host);
  return hasNoUser && (url.origin === new URL(address).origin || isNamed);
}

function parameterOf(challenge: string, name: 'realm' | 'service'): string | null {
  const quoted = { realm: /\brealm="([^"]{1,500})"/i, service: /\bservice="([^"]{1,500})"/i }[name];
  return quoted.exec(challenge)?.[1] ?? null;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function get(
  host: RegistryHost,
  url: string,
  { accept, authorization }: { readonly accept: string; readonly authorization: string | null },
): Promise<Observed<StoreAnswer>> {
  const headers = new Headers({ accept, ...(authorization === null ? {} : { authorization }) });
  return askStore(host, async () => known({ method: 'GET', url, headers }), STORE_ANSWER_BYTES_MAX);
}
