/**
 * How an image was built: its manifest (for an index, each platform's) and the labels in its config, over the OCI distribution API. Every
 * part is checked against its digest.
 */

import { z } from 'zod';
import type { ImageLabels, ImageObservation, ImageReference } from '../../domain/launch/contract.ts';
import {
  brandAs,
  cutText,
  type Digest,
  isDigest,
  known,
  type Observed,
  parseJson,
  unknown,
} from '../../domain/values.ts';
import { sha256Hex } from '../../host/keys.ts';
import { requestStore as askStore, STORE_ANSWER_BYTES_MAX, type StoreAnswer, type StoreHost } from '../store.ts';

export type RegistryHost = StoreHost;

/** The config's registry, with this process's key. */
type RegistryPlace = {
  /** Without a trailing slash. */
  readonly address: string;
  readonly alsoHosts: readonly string[];
  readonly user: string;
  /** Null: anonymous access. */
  readonly key: string | null;
};

/** The text at this path of the repository; null if there is none. */
type RegistryAsk = (path: string, accept: string) => Promise<Observed<string | null>>;

const tokenSchema = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** For one repository; reuses the granted token. */
function createRegistryReader(host: RegistryHost, place: RegistryPlace, repository: string): RegistryAsk {
  let authorization: string | null = null;
  return async (path, accept) => {
    const url = `${place.address}/v2/${repository}/${path}`;
    const first = await fetchFromRegistry(host, url, { accept, authorization });
    if (first.kind === 'unknown') return first;
    if (first.value.status !== 401) return readRegistryAnswer(host, place, url, first.value);
    const granted = await requestToken(host, place, repository, first.value.headers);
    if (granted.kind === 'unknown') return granted;
    authorization = granted.value;
    const again = await fetchFromRegistry(host, url, { accept, authorization });
    return again.kind === 'unknown' ? again : readRegistryAnswer(host, place, url, again.value);
  };
}

async function readRegistryAnswer(
  host: RegistryHost,
  place: RegistryPlace,
  url: string,
  { status, headers, text }: StoreAnswer,
): Promise<Observed<string | null>> {
  if (status === 200) return known(text);
  if (status === 404) return known(null);
  if (status < 300 || status >= 400) return unknown(`${urlHost(url)} answers ${status}`);
  const there = URL.parse(headers.get('location') ?? '', url);
  if (!url.includes('/blobs/') || there === null || !isAllowedHost(place, there))
    return unknown(`${urlHost(url)} leads to ${there?.host ?? 'nowhere'}, which the config does not name`);
  const blob = await fetchFromRegistry(host, there.href, { accept: '*/*', authorization: null });
  if (blob.kind === 'unknown') return blob;
  return blob.value.status === 200 ? known(blob.value.text) : unknown(`${there.host} answers ${blob.value.status}`);
}

/** The authorization that the registry requests: a token of its service, or the key. */
async function requestToken(
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
  const realm = URL.parse(challengeParameter(challenge, 'realm') ?? '');
  if (!/^bearer\b/i.test(challenge) || realm === null) return unknown('it asks for what is not known here');
  if (!isAllowedHost(place, realm))
    return unknown(`it sends for a token to ${realm.host}, which the config does not name`);
  const service = challengeParameter(challenge, 'service');
  if (service !== null) realm.searchParams.set('service', service);
  realm.searchParams.set('scope', `repository:${repository}:pull`);
  const answer = await fetchFromRegistry(host, realm.href, { accept: 'application/json', authorization: basic });
  if (answer.kind === 'unknown') return answer;
  if (answer.value.status !== 200)
    return unknown(`${realm.host} gives no token (${answer.value.status}): a key that may pull is wanted`);
  const token = readToken(answer.value.text);
  return token === null ? unknown(`${realm.host} gives no token that is known here`) : known(`Bearer ${token}`);
}

function readToken(text: string): string | null {
  const { token, access_token: access } = tokenSchema.safeParse(parseJson(text)).data ?? {};
  const given = token ?? access ?? '';
  return /^[\w.~+/=-]{1,16384}$/.test(given) ? given : null;
}

/** The registry's own address, or HTTPS to a host in the config. */
function isAllowedHost({ address, alsoHosts }: RegistryPlace, url: URL): boolean {
  const hasNoUser = url.username === '' && url.password === '';
  const isNamed = url.protocol === 'https:' && alsoHosts.includes(url.host);
  return hasNoUser && (url.origin === new URL(address).origin || isNamed);
}

function challengeParameter(challenge: string, name: 'realm' | 'service'): string | null {
  const quoted = { realm: /\brealm="([^"]{1,500})"/i, service: /\bservice="([^"]{1,500})"/i }[name];
  return quoted.exec(challenge)?.[1] ?? null;
}

function urlHost(url: string): string {
  return new URL(url).host;
}

function fetchFromRegistry(
  host: RegistryHost,
  url: string,
  { accept, authorization }: { readonly accept: string; readonly authorization: string | null },
): Promise<Observed<StoreAnswer>> {
  const headers = new Headers({ accept, ...(authorization === null ? {} : { authorization }) });
  return askStore(host, async () => known({ method: 'GET', url, headers }), STORE_ANSWER_BYTES_MAX);
}

/** Builders create two or three; each costs two requests. */
const IMAGE_PLATFORMS_MAX = 12;
/** Enough for a commit and a repository URL. */
const IMAGE_LABEL_CHARS_MAX = 200;

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const REVISION = 'org.opencontainers.image.revision';
const SOURCE = 'org.opencontainers.image.source';

const digest = z.string().refine(isDigest, 'a digest of SHA-256');
const words = z.record(z.string(), z.string()).nullish();
const manifestSchema = z.object({ config: z.object({ digest }), annotations: words });
const indexSchema = z.object({
  manifests: z.array(z.object({ digest, platform: z.object({ os: z.string() }).nullish(), annotations: words })),
  annotations: words,
});
const configSchema = z.object({ config: z.object({ Labels: words }).nullish() });

type ImageLabelsJson = z.infer<typeof words>;
type Part = { readonly text: string; readonly digest: Digest };

/** Expected failures are values. */
export async function inspectImage(
  host: RegistryHost,
  place: RegistryPlace,
  reference: ImageReference,
): Promise<Observed<ImageObservation>> {
  const ask = createRegistryReader(host, place, reference.repository);
  const top = await readPart(ask, `manifests/${reference.digest ?? reference.tag}`, reference.digest);
  if (top.kind === 'unknown') return top;
  if (top.value === null) return known({ kind: 'absent' });
  const platforms = await readPlatforms(ask, top.value);
  return platforms.kind === 'unknown'
    ? platforms
    : known({ kind: 'built', digest: top.value.digest, platforms: platforms.value });
}

/** A single-platform image is treated as an index of one. */
async function readPlatforms(ask: RegistryAsk, top: Part): Promise<Observed<readonly ImageLabels[]>> {
  const json = parseJson(top.text);
  const index = indexSchema.safeParse(json);
  if (!index.success) {
    const one = await readLabels(ask, json, null);
    return one.kind === 'unknown' ? one : known([one.value]);
  }
  // Attestations are stored as images without a platform.
  const images = index.data.manifests.filter(({ platform }) => platform?.os !== 'unknown');
  if (images.length === 0) return unknown('its index names no image');
  if (images.length > IMAGE_PLATFORMS_MAX) return unknown(`its index names more than ${IMAGE_PLATFORMS_MAX} images`);
  const all: ImageLabels[] = [];
  for (const { digest, annotations } of images) {
    const part = await readPart(ask, `manifests/${digest}`, digest);
    if (part.kind === 'unknown') return part;
    if (part.value === null) return unknown(`its index names ${digest}, which is not there`);
    const labels = await readLabels(ask, parseJson(part.value.text), { ...index.data.annotations, ...annotations });
    if (labels.kind === 'unknown') return labels;
    all.push(labels.value);
  }
  return known(all);
}

/** The image's own labels take precedence, because they survive copying. */
async function readLabels(ask: RegistryAsk, json: unknown, around: ImageLabelsJson): Promise<Observed<ImageLabels>> {
  const manifest = manifestSchema.safeParse(json);
  if (!manifest.success) return unknown('what stands there is no image that is known here');
  const { config, annotations } = manifest.data;
  const blob = await readPart(ask, `blobs/${config.digest}`, config.digest);
  if (blob.kind === 'unknown') return blob;
  if (blob.value === null) return unknown(`its config ${config.digest} is not there`);
  const image = configSchema.safeParse(parseJson(blob.value.text));
  if (!image.success) return unknown('its config is none that is known here');
  const said: ImageLabelsJson = { ...around, ...annotations, ...image.data.config?.Labels };
  return known({ revision: normalizeLabel(said[REVISION]), source: normalizeLabel(said[SOURCE]) });
}

/** Null if missing; unknown if the digest differs. */
async function readPart(ask: RegistryAsk, path: string, wanted: Digest | null): Promise<Observed<Part | null>> {
  const answer = await ask(path, MANIFESTS);
  if (answer.kind === 'unknown') return answer;
  if (answer.value === null) return known(null);
  const text = answer.value;
  const digest = brandAs(`sha256:${sha256Hex(text)}`, isDigest);
  return wanted !== null && wanted !== digest
    ? unknown(`what it gave for ${wanted} is ${digest}`)
    : known({ text, digest });
}

/** Empty labels are null; long ones are cut. */
function normalizeLabel(said: string | undefined): string | null {
  const word = cutText((said ?? '').trim(), IMAGE_LABEL_CHARS_MAX);
  return word === '' ? null : word;
}
