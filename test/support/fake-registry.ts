// A container registry according to the OCI distribution specification: manifests and blobs by digest, tags,
// a token service, and blobs on another host.

import { hash } from 'node:crypto';

export type Labels = Readonly<Record<string, string>>;

export type RegistryShape = {
  /** Host and address of the registry itself. */
  readonly origin: string;
  /** The token service; null: pulls need no token. `basic`: the registry takes the key itself. */
  readonly realm?: string | 'basic' | null;
  /** `user:key` for the token service; null: it gives a token to everyone. */
  readonly credentials?: string | null;
  /** Where blobs are stored; null: in the registry itself. */
  readonly blobOrigin?: string | null;
};

export type RegistryRequest = { readonly url: string; readonly authorization: string | null };

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const REPOSITORY = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/;

/** A registry with everything that was pushed, and the requests it got. */
export function createFakeRegistry({ origin, realm = null, credentials = null, blobOrigin = null }: RegistryShape) {
  const parts = new Map<string, { readonly text: string; readonly type: string }>();
  const tags = new Map<string, string>();
  const asked: RegistryRequest[] = [];
  const keep = (content: object, type: string): string => {
    const text = JSON.stringify(content);
    const digest = `sha256:${hash('sha256', text, 'hex')}`;
    parts.set(digest, { text, type });
    return digest;
  };
  const image = (labels: Labels | null, annotations: Labels = {}): string => {
    const config = keep(
      { architecture: 'amd64', os: 'linux', config: labels === null ? {} : { Labels: labels } },
      'application/vnd.oci.image.config.v1+json',
    );
    return keep(
      { schemaVersion: 2, mediaType: MANIFEST, config: { digest: config }, layers: [], annotations },
      MANIFEST,
    );
  };
  const refusal = (): Response => {
    const challenge =
      realm === 'basic'
        ? 'Basic realm="a registry"'
        : `Bearer realm="${realm}",service="registry",scope="repository:lab/trainer:pull"`;
    return new Response('{}', { status: 401, headers: { 'www-authenticate': challenge } });
  };
  const basic = credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const pull = (url: URL, authorization: string | null): Response => {
    const [, repository = '', what = '', name = ''] = REPOSITORY.exec(url.pathname) ?? [];
    const wanted = realm === 'basic' ? basic : `Bearer token-of-${repository}`;
    if (realm !== null && authorization !== wanted) return refusal();
    const part = parts.get(name.startsWith('sha256:') ? name : (tags.get(`${repository}:${name}`) ?? ''));
    if (part === undefined) return new Response('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}', { status: 404 });
    if (what === 'blobs' && blobOrigin !== null)
      return new Response(null, { status: 307, headers: { location: `${blobOrigin}/kept/${name}` } });
    return new Response(part.text, { headers: { 'content-type': part.type } });
  };
  return {
    asked,
    parts,
    /** An image for one platform. */
    push: (tag: string, labels: Labels | null, annotations: Labels = {}): string => {
      const digest = image(labels, annotations);
      tags.set(tag, digest);
      return digest;
    },
    /** An index of several images, with a builder's attestations. */
    pushIndex: (tag: string, all: readonly (Labels | null)[]): string => {
      const manifests = all.map((labels, at) => ({
        digest: image(labels, { platform: String(at) }),
        platform: { os: 'linux', architecture: at === 0 ? 'amd64' : 'arm64' },
      }));
      const attested = { digest: `sha256:${'0'.repeat(64)}`, platform: { os: 'unknown', architecture: 'unknown' } };
      const digest = keep({ schemaVersion: 2, mediaType: INDEX, manifests: [...manifests, attested] }, INDEX);
      tags.set(tag, digest);
      return digest;
    },
    fetch: async (address: string, init: RequestInit): Promise<Response> => {
      const url = new URL(address);
      const authorization = new Headers(init.headers).get('authorization');
      asked.push({ url: address, authorization });
      if (blobOrigin !== null && url.origin === blobOrigin)
        return new Response(parts.get(url.pathname.split('/').at(-1) ?? '')?.text ?? '', {
          status: authorization === null ? 200 : 400,
        });
      if (realm !== null && address.startsWith(realm)) {
        if (basic !== null && authorization !== basic) return new Response('{}', { status: 401 });
        const scope = /^repository:(.+):pull$/.exec(url.searchParams.get('scope') ?? '')?.[1] ?? '';
        return Response.json({ token: `token-of-${scope}` });
      }
      if (url.origin === origin) return pull(url, authorization);
      throw new TypeError(`nothing answers at ${url.origin}`);
    },
  };
}
