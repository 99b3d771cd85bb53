/** What a registry reports about how an image was built, and which hosts it may redirect to. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createImages } from '../../src/app/images.ts';
import { containersSchema } from '../../src/config/schema.ts';
import { readImageReference } from '../../src/domain/launch/contract.ts';
import { createFakeRegistry, type RegistryShape } from '../support/fake-registry.ts';
import { toSha } from '../support/run-drafts.ts';

const COMMIT = toSha('the commit of the run');
const REVISION = 'org.opencontainers.image.revision';
const SOURCE = 'org.opencontainers.image.source';
const OURS = { [REVISION]: COMMIT, [SOURCE]: 'https://github.com/lab/models' };
const ORIGIN = 'https://ghcr.io';
const sleep = async (): Promise<void> => undefined;

type Settings = Readonly<Record<string, unknown>>;

/** A client for a registry of this shape, with these settings in the config. */
function asking(shape: Partial<RegistryShape> = {}, settings: Settings = {}, environment = {}) {
  const registry = createFakeRegistry({ origin: ORIGIN, ...shape });
  const containers = containersSchema.parse({ registries: { 'ghcr.io': settings } });
  const images = createImages(environment, { fetch: registry.fetch, sleep });
  const look = (said: string) => {
    const image = readImageReference(said);
    if (image === null) throw new Error(`${said} is no image`);
    return images({ containers }, image);
  };
  return { registry, look };
}

const built = (digest: string, ...platforms: readonly object[]) => ({
  kind: 'known',
  value: { kind: 'built', digest, platforms },
});
const TOLD = { revision: COMMIT, source: 'https://github.com/lab/models' };

it('reads the labels of an image by its tag and by its digest', async () => {
  const { registry, look } = asking();
  const digest = registry.push('lab/trainer:v1', OURS);
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual(built(digest, TOLD));
  expect(await look(`ghcr.io/lab/trainer@${digest}`)).toEqual(built(digest, TOLD));
  expect(await look(`docker://ghcr.io/lab/trainer:v1@${digest}`)).toEqual(built(digest, TOLD));
});

it("reads each platform of an index, and ignores the builder's attestations", async () => {
  const { registry, look } = asking();
  const digest = registry.pushIndex('lab/trainer:v1', [OURS, null]);
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual(built(digest, TOLD, { revision: null, source: null }));
});

it("uses the manifest's annotation if the config has no label, and prefers the label", async () => {
  const { registry, look } = asking();
  registry.push('lab/trainer:a', null, OURS);
  registry.push('lab/trainer:b', { [REVISION]: COMMIT }, { [REVISION]: toSha('another') });
  expect(await look('ghcr.io/lab/trainer:a')).toMatchObject({ value: { platforms: [TOLD] } });
  expect(await look('ghcr.io/lab/trainer:b')).toMatchObject({ value: { platforms: [{ revision: COMMIT }] } });
});

it('reports a missing image as absent', async () => {
  const { look } = asking();
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual({ kind: 'known', value: { kind: 'absent' } });
});

it('fetches an anonymous token for the one repository, and uses it', async () => {
  const { registry, look } = asking({ realm: `${ORIGIN}/token` });
  const digest = registry.push('lab/trainer:v1', OURS);
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual(built(digest, TOLD));
  expect(registry.asked.map(({ url, authorization }) => [new URL(url).pathname, authorization])).toEqual([
    ['/v2/lab/trainer/manifests/v1', null],
    ['/token', null],
    ['/v2/lab/trainer/manifests/v1', 'Bearer token-of-lab/trainer'],
    [expect.stringContaining('/v2/lab/trainer/blobs/'), 'Bearer token-of-lab/trainer'],
  ]);
});

it('sends its key only to the token service, and no credentials to the blob host', async () => {
  const shape = {
    realm: 'https://auth.example.org/token',
    credentials: 'robot:k3y',
    blobOrigin: 'https://blobs.example.org',
  };
  const settings = { user: 'robot', keyFrom: 'PULL_KEY', alsoHosts: ['auth.example.org', 'blobs.example.org'] };
  const { registry, look } = asking(shape, settings, { PULL_KEY: 'k3y' });
  const digest = registry.push('lab/trainer:v1', OURS);
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual(built(digest, TOLD));
  const withKey = registry.asked.filter(({ authorization }) => authorization?.startsWith('Basic ') === true);
  expect(withKey.map(({ url }) => new URL(url).host)).toEqual(['auth.example.org']);
  expect(registry.asked.at(-1)).toMatchObject({ authorization: null });
});

it('sends its key to a registry that requires it directly', async () => {
  const { registry, look } = asking(
    { realm: 'basic', credentials: 'robot:k3y' },
    { user: 'robot', keyFrom: 'PULL_KEY' },
    { PULL_KEY: 'k3y' },
  );
  const digest = registry.push('lab/trainer:v1', OURS);
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual(built(digest, TOLD));
});

// threat T87
it('follows no redirect to a host that the config does not name', async () => {
  const cases: readonly [Partial<RegistryShape>, string][] = [
    [{ realm: 'https://auth.example.org/token' }, 'auth.example.org'],
    [{ realm: 'http://169.254.169.254/token' }, '169.254.169.254'],
    [{ blobOrigin: 'https://blobs.example.org' }, 'blobs.example.org'],
    [{ blobOrigin: 'http://169.254.169.254' }, '169.254.169.254'],
  ];
  for (const [shape, host] of cases) {
    const { registry, look } = asking(shape, {}, {});
    registry.push('lab/trainer:v1', OURS);
    expect(await look('ghcr.io/lab/trainer:v1')).toEqual({ kind: 'unknown', why: expect.stringContaining(host) });
    expect(registry.asked.filter(({ url }) => new URL(url).host !== 'ghcr.io')).toEqual([]);
  }
});

it('follows a named host only by HTTPS', async () => {
  const { registry, look } = asking({ blobOrigin: 'http://blobs.example.org' }, { alsoHosts: ['blobs.example.org'] });
  registry.push('lab/trainer:v1', OURS);
  expect((await look('ghcr.io/lab/trainer:v1')).kind).toBe('unknown');
  expect(registry.asked.filter(({ url }) => url.startsWith('http://'))).toEqual([]);
});

it('contacts no registry outside the config, and none without its configured key', async () => {
  const { registry, look } = asking({}, { keyFrom: 'PULL_KEY' });
  expect(await look('quay.io/lab/trainer:v1')).toMatchObject({ kind: 'unknown' });
  expect(await look('trainer:v1')).toMatchObject({ kind: 'unknown' });
  expect(await look('ghcr.io/lab/trainer:v1')).toEqual({ kind: 'unknown', why: 'this process was not given PULL_KEY' });
  expect(registry.asked).toEqual([]);
});

it('rejects content with another digest than requested', async () => {
  const { registry, look } = asking();
  const digest = registry.push('lab/trainer:v1', OURS);
  const other = registry.push('lab/trainer:v2', { [REVISION]: toSha('another') });
  const swapped = registry.parts.get(other);
  if (swapped !== undefined) registry.parts.set(digest, swapped);
  expect(await look(`ghcr.io/lab/trainer@${digest}`)).toEqual({ kind: 'unknown', why: expect.stringContaining(other) });
});

it('rejects a config with another digest than its manifest names', async () => {
  const { registry, look } = asking();
  registry.push('lab/trainer:v1', OURS);
  const [config = ''] = [...registry.parts].find(([, { type }]) => type.includes('config')) ?? [];
  registry.parts.set(config, { text: JSON.stringify({ config: { Labels: OURS } }), type: 'a/b' });
  expect((await look('ghcr.io/lab/trainer:v1')).kind).toBe('unknown');
});

it('is unknown if the content is no image or is too large', async () => {
  const { registry, look } = asking();
  const digest = registry.push('lab/trainer:v1', OURS);
  for (const text of ['no json', '{}', '{"manifests":[]}', ' '.repeat(9_000_000)]) {
    registry.parts.set(digest, { text, type: 'a/b' });
    expect((await look('ghcr.io/lab/trainer:v1')).kind).toBe('unknown');
  }
});

it('is unknown if an index names too many images', async () => {
  const { registry, look } = asking();
  registry.pushIndex('lab/trainer:v1', Array(13).fill(OURS));
  expect(await look('ghcr.io/lab/trainer:v1')).toMatchObject({ kind: 'unknown' });
  expect(registry.asked).toHaveLength(1);
});

it('works with a registry on this machine over a real connection, and does not follow its redirects', async () => {
  const registry = createFakeRegistry({ origin: 'http://registry', blobOrigin: 'https://blobs.example.org' });
  const served = createServer((request, response) => {
    void registry.fetch(`http://registry${request.url}`, {}).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    });
  });
  served.listen(0, '127.0.0.1');
  await once(served, 'listening');
  onTestFinished(() => {
    served.close();
  });
  const place = served.address();
  const port = typeof place === 'object' && place !== null ? place.port : 0;
  const containers = containersSchema.parse({
    registries: { [`localhost:${port}`]: { address: `http://127.0.0.1:${port}` } },
  });
  registry.push('lab/trainer:v1', OURS);
  const image = readImageReference(`localhost:${port}/lab/trainer:v1`);
  if (image === null) throw new Error('it is an image');
  expect(await createImages({}, { fetch, sleep })({ containers }, image)).toEqual({
    kind: 'unknown',
    why: `127.0.0.1:${port} leads to blobs.example.org, which the config does not name`,
  });
});

it('parses image names as Docker does, and rejects names that lead to another host', () => {
  const named = (said: string) => {
    const image = readImageReference(said);
    return image === null ? null : `${image.registry} ${image.repository} ${image.digest ?? image.tag}`;
  };
  const digest = `sha256:${'a'.repeat(64)}`;
  expect(
    [
      'ghcr.io/lab/trainer',
      'pytorch/pytorch:2.9',
      'ubuntu:24.04',
      `us-docker.pkg.dev/lab/images/trainer@${digest}`,
      'localhost:5000/trainer:v1',
    ].map(named),
  ).toEqual([
    'ghcr.io lab/trainer latest',
    'docker.io pytorch/pytorch 2.9',
    'docker.io library/ubuntu 24.04',
    `us-docker.pkg.dev lab/images/trainer ${digest}`,
    'localhost:5000 trainer v1',
  ]);
  for (const said of [
    'wheel',
    'the wheel of Monday',
    'ghcr.io/lab/../other/trainer:v1',
    'ghcr.io/lab//trainer:v1',
    'ghcr.io/lab/trainer?a=b',
    'ghcr.io/lab/trainer:v1#x',
    'user@ghcr.io/lab/trainer:v1',
    'ghcr.io/lab/trainer@sha256:5f70bf18',
    'https://ghcr.io/lab/trainer:v1',
  ])
    expect(named(said)).toBeNull();
});

it.each([
  ['https://registry.example.org', true],
  ['http://localhost:5000', true],
  ['http://registry.example.org', false],
  ['https://registry.example.org/path', false],
  ['https://user@registry.example.org', false],
])('accepts %s as the address of a registry: %s', (address, isTaken) => {
  const read = containersSchema.safeParse({ registries: { 'registry.example.org': { address } } });
  expect(read.success).toBe(isTaken);
});
