/** Artifacts and caches: permissions to save, retention, lookup. The clients: test/demo/programs/strangers.test.ts. */

import { expect, it } from 'vitest';
import { answerResults } from '../../actions/results/results-door.ts';
import { mintRuntimeToken } from '../../actions/results/runtime-token.ts';
import type { Job } from '../../actions/state-actions.ts';
import { results as limits } from '../../limits/limits.ts';
import type { Json } from '../../world/json.ts';
import { file, job, type Stage, stage } from './stage.ts';

type Answer = { readonly status: number; readonly body: Record<string, Json> };
type Keeper = {
  readonly job: Job;
  readonly token: string;
  readonly ask: (service: string, method: string, body: object) => Promise<Answer>;
  readonly save: (key: string, text?: string) => Promise<Answer>;
  readonly restore: (key: string, more?: readonly string[]) => Promise<Json>;
  readonly upload: (name: string, text: string, more?: object) => Promise<Answer>;
};

/** A job that keeps running on a branch. */
async function keeperOn(lab: Stage, branch: string): Promise<Keeper> {
  const runId = await lab.dispatch('w.yml', {}, branch);
  const found = lab.jobs(runId)[0];
  if (found === undefined) throw new Error('no job');
  const token = mintRuntimeToken(lab.world, found);
  const ids = { workflow_run_backend_id: `${runId}`, workflow_job_run_backend_id: `${found.id}` };
  const ask: Keeper['ask'] = (service, method, body) => twirp(lab, token, service, method, body);
  return {
    job: found,
    token,
    ask,
    save: async (key, text = key) => {
      const made = await ask('CacheService', 'CreateCacheEntry', { key, version: 'v' });
      if (made.status !== 200) return made;
      await put(lab, made.body['signed_upload_url'], text);
      return ask('CacheService', 'FinalizeCacheEntryUpload', { key, version: 'v', size_bytes: `${text.length}` });
    },
    restore: async (key, restore_keys = []) => {
      const { body } = await ask('CacheService', 'GetCacheEntryDownloadURL', { key, version: 'v', restore_keys });
      return body['matched_key'] ?? null;
    },
    upload: async (name, text, more = {}) => {
      const made = await ask('ArtifactService', 'CreateArtifact', { ...ids, name, version: 7, ...more });
      if (made.status !== 200) return made;
      await put(lab, made.body['signed_upload_url'], text);
      return ask('ArtifactService', 'FinalizeArtifact', { ...ids, name, size: `${text.length}` });
    },
  };
}

async function twirp(lab: Stage, token: string, service: string, method: string, body: object): Promise<Answer> {
  const answer = await answerResults(
    lab.world,
    new Request(`${lab.world.baseUrl}/twirp/github.actions.results.api.v1.${service}/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return { status: answer.status, body: (await answer.json()) as Record<string, Json> };
}

const put = (lab: Stage, address: Json | undefined, body: string, more = ''): Promise<Response> =>
  answerResults(lab.world, new Request(`${String(address)}${more}`, { method: 'PUT', body }));
const get = (lab: Stage, address: Json | undefined, headers: Record<string, string> = {}): Promise<Response> =>
  answerResults(lab.world, new Request(String(address), { headers }));

async function opened(...branches: readonly string[]): Promise<Stage> {
  const lab = stage({ runners: [{ name: 'more', labels: ['ubuntu-latest'] }] });
  await lab.push(file('w', `{on: workflow_dispatch, jobs: {a: {${job('{run: sleep 3600}')}}}}`));
  for (const branch of branches) await lab.push({ 'a.txt': branch }, { branch });
  await lab.actions.tick();
  return lab;
}

it('finds a cache by key, then by prefix with the newest first, on its own branch before the default branch', async () => {
  const lab = await opened('ferry');
  const [main, ferry] = [await keeperOn(lab, 'main'), await keeperOn(lab, 'ferry')];
  for (const key of ['deps-1', 'deps-12', 'other-1']) {
    expect(await main.save(key)).toMatchObject({ status: 200, body: { ok: true } });
    await lab.clock.advance(1_000);
  }
  expect(await main.restore('deps-1')).toBe('deps-1');
  expect(await main.restore('deps')).toBe('deps-12');
  expect(await main.restore('none', ['nor-this', 'other-', 'deps-'])).toBe('other-1');
  expect(await main.restore('none')).toBeNull();
  await ferry.save('deps-0');
  expect(await ferry.restore('deps-')).toBe('deps-0');
  expect(await ferry.restore('deps-1')).toBe('deps-1');
});

it('shares the default branch’s caches with other branches, and no branch’s caches with another branch', async () => {
  const lab = await opened('one', 'other');
  const [main, one, other] = [await keeperOn(lab, 'main'), await keeperOn(lab, 'one'), await keeperOn(lab, 'other')];
  await main.save('of-main');
  await one.save('of-one');
  expect(await one.restore('of-main')).toBe('of-main');
  expect(await one.restore('of-one')).toBe('of-one');
  expect(await other.restore('of-one', ['of-o'])).toBeNull();
  expect(await main.restore('of-one', ['of-o'])).toBeNull();
  // A key is unique per branch: a second save is refused, but on another branch it is another cache.
  expect(await one.save('of-one')).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect(await other.save('of-one')).toMatchObject({ status: 200 });
  const { body } = await lab.api('GET', '/actions/caches?ref=one');
  expect(body).toMatchObject({ total_count: 1, actions_caches: [{ key: 'of-one', ref: 'refs/heads/one' }] });
  expect(await lab.api('DELETE', '/actions/caches?key=of-one')).toMatchObject({
    status: 200,
    body: { total_count: 2 },
  });
  expect(await one.restore('of-one')).toBeNull();
});

it('accepts a runtime token only for its own job, and only while the job runs', async () => {
  const lab = await opened('ferry');
  const [one, other] = [await keeperOn(lab, 'main'), await keeperOn(lab, 'ferry')];
  const foreign = { workflow_run_backend_id: `${one.job.runId}`, workflow_job_run_backend_id: `${one.job.id}` };
  const list = (token: string): Promise<Answer> => twirp(lab, token, 'ArtifactService', 'ListArtifacts', foreign);
  expect(await list(one.token)).toMatchObject({ status: 200 });
  expect(await list(other.token)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  const [head = '', , signature = ''] = one.token.split('.');
  const claims = { exp: 9e9, scp: `Actions.Results:${other.job.runId}:${other.job.id}` };
  const forged = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  for (const token of [forged, '', 'a.b.c', `${one.token}x`, one.token.slice(0, -2)])
    expect(await list(token)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  // Another world signs with another key.
  const otherWorld = await keeperOn(await opened(), 'main');
  expect(await list(otherWorld.token)).toMatchObject({ status: 401 });
  await lab.api('POST', `/actions/runs/${one.job.runId}/force-cancel`);
  await lab.actions.tick();
  lab.world.state.jobs[one.job.id] = { ...one.job, status: 'completed', conclusion: 'cancelled' };
  expect(await list(one.token)).toMatchObject({ status: 401 });
});

it('lists an artifact once it is finished, and serves its bytes until it expires', async () => {
  const lab = await opened();
  const one = await keeperOn(lab, 'main');
  const ids = { workflow_run_backend_id: `${one.job.runId}`, workflow_job_run_backend_id: `${one.job.id}` };
  const created = await one.ask('ArtifactService', 'CreateArtifact', { ...ids, name: 'begun', version: 7 });
  expect(created.status).toBe(200);
  const day = new Date(lab.world.clock.now() + 86_400_000).toISOString();
  expect(await one.upload('report', 'PK bytes', { expires_at: day })).toMatchObject({ status: 200 });
  expect(await one.upload('report', 'again')).toMatchObject({ status: 409 });
  expect(await one.upload('a/b', 'x')).toMatchObject({ status: 400 });
  const path = `/actions/runs/${one.job.runId}/artifacts?name=report`;
  const { body } = await lab.api('GET', path);
  expect(body).toMatchObject({ total_count: 1, artifacts: [{ name: 'report', expired: false, size_in_bytes: 8 }] });
  expect((await lab.api('GET', '/actions/artifacts')).body).toMatchObject({ total_count: 1 });
  const id = Object.values(lab.world.state.artifacts).find(({ name }) => name === 'report')?.id ?? 0;
  const zip = await archive(lab, id);
  expect(zip.status).toBe(302);
  const download = await get(lab, zip.location);
  expect([download.headers.get('content-type'), await download.text()]).toEqual(['application/zip', 'PK bytes']);
  const part = await get(lab, zip.location, { range: 'bytes=3-4' });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 3-4/8', 'by']);
  expect((await get(lab, zip.location, { range: 'bytes=8-' })).status).toBe(416);
  expect((await get(lab, zip.location.replace('/artifacts/', '/caches/'))).status).toBe(403);
  expect((await get(lab, zip.location.replace(/se=\d/, 'se=9'))).status).toBe(403);
  expect((await put(lab, zip.location, 'mine')).status).toBe(403);
  await lab.clock.advance(limits.downloadAddressLifeMs);
  expect((await get(lab, zip.location)).status).toBe(403);
  await lab.clock.advance(86_400_000);
  expect((await archive(lab, id)).status).toBe(410);
  expect((await lab.api('GET', `/actions/artifacts/${id}`)).body).toMatchObject({ expired: true });
  expect((await lab.api('DELETE', `/actions/artifacts/${id}`)).status).toBe(204);
  expect((await lab.api('GET', `/actions/artifacts/${id}`)).status).toBe(404);
});

async function archive(lab: Stage, id: number): Promise<{ readonly status: number; readonly location: string }> {
  const answer = await lab.world.fetch(
    new Request(`${lab.world.baseUrl}/api/v3/repos/lab/model/actions/artifacts/${id}/zip`),
  );
  return { status: answer.status, location: answer.headers.get('location') ?? '' };
}

it('joins blocks in the order of their list, and refuses a missing block or a finished blob', async () => {
  const lab = await opened();
  const one = await keeperOn(lab, 'main');
  const { body } = await one.ask('CacheService', 'CreateCacheEntry', { key: 'k', version: 'v' });
  const address = body['signed_upload_url'];
  const block = (name: string, text: string): Promise<Response> =>
    put(lab, address, text, `&comp=block&blockid=${name}`);
  const list = (...names: readonly string[]): Promise<Response> =>
    put(
      lab,
      address,
      `<BlockList>${names.map((name) => `<Latest>${name}</Latest>`).join('')}</BlockList>`,
      '&comp=blocklist',
    );
  await block('Yg==', 'second');
  await block('YQ==', 'first ');
  expect((await list('YQ==', 'Yw==')).headers.get('x-ms-error-code')).toBe('InvalidBlockList');
  expect((await list('YQ==', 'Yg==')).status).toBe(201);
  const finalize = (size: number): Promise<Answer> =>
    one.ask('CacheService', 'FinalizeCacheEntryUpload', { key: 'k', version: 'v', size_bytes: `${size}` });
  expect(await finalize(5)).toMatchObject({ status: 400 });
  expect(await finalize(12)).toMatchObject({ status: 200 });
  expect((await put(lab, address, 'other')).status).toBe(409);
  expect((await get(lab, address)).status).toBe(403);
  const found = await one.ask('CacheService', 'GetCacheEntryDownloadURL', { key: 'k', version: 'v' });
  expect(await (await get(lab, found.body['signed_download_url'])).text()).toBe('first second');
  expect(await one.ask('CacheService', 'GetCacheEntryDownloadURL', { key: 'k', version: 'w' })).toMatchObject({
    body: { ok: false },
  });
});

it('evicts the least recently used cache over the limit, and refuses an artifact over it', async () => {
  const lab = await opened();
  const one = await keeperOn(lab, 'main');
  await one.save('old');
  await lab.clock.advance(1_000);
  await one.save('new');
  await lab.clock.advance(1_000);
  expect(await one.restore('old')).toBe('old');
  for (const row of Object.values(lab.world.state.caches))
    if (row.blob !== null)
      lab.world.state.caches[row.id] = { ...row, blob: { ...row.blob, bytes: limits.cacheBytes / 2 } };
  await one.save('newest');
  expect([await one.restore('newest'), await one.restore('old'), await one.restore('new')]).toEqual([
    'newest',
    'old',
    'newest',
  ]);
  await lab.clock.advance(limits.cacheUnusedMs + 1);
  const later = await keeperOn(lab, 'main');
  expect(await later.restore('old')).toBeNull();
  await later.upload('first', 'text');
  const [row] = Object.values(lab.world.state.artifacts);
  if (row?.blob == null) throw new Error('no artifact');
  lab.world.state.artifacts[row.id] = { ...row, blob: { ...row.blob, bytes: limits.artifactBytes } };
  expect(await later.upload('second', 'text')).toMatchObject({ status: 403 });
  for (let index = 2; index <= limits.artifactsPerJob; index += 1)
    lab.world.state.artifacts[1_000 + index] = { ...row, id: 1_000 + index, name: `a${index}` };
  expect(await later.upload('one more', 'x')).toMatchObject({ status: 412 });
});

it('answers 501 to another service and to the older cache service, and records both', async () => {
  const lab = await opened();
  const { token } = await keeperOn(lab, 'main');
  expect(await twirp(lab, token, 'ArtifactService', 'MigrateArtifact', {})).toMatchObject({ status: 501 });
  const older = new Request(`${lab.world.baseUrl}/_apis/artifactcache/cache?keys=k`);
  expect((await answerResults(lab.world, older)).status).toBe(501);
  expect(lab.world.state.unserved.map(({ path }) => path.split('/').at(-1))).toEqual(['MigrateArtifact', 'cache']);
});

it('refuses more bytes than a blob may have, in one request or in blocks', async () => {
  const lab = await opened();
  const one = await keeperOn(lab, 'main');
  const { body } = await one.ask('CacheService', 'CreateCacheEntry', { key: 'k', version: 'v' });
  const address = body['signed_upload_url'];
  const half = 'x'.repeat(limits.blobBytes / 2);
  const block = (name: string, text: string): Promise<Response> =>
    put(lab, address, text, `&comp=block&blockid=${name}`);
  expect((await put(lab, address, `${half}${half}x`)).status).toBe(413);
  expect([(await block('YQ==', half)).status, (await block('Yg==', half)).status]).toEqual([201, 201]);
  expect((await block('Yw==', 'x')).status).toBe(413);
  const twice = '<BlockList><Latest>YQ==</Latest><Latest>Yg==</Latest><Latest>YQ==</Latest></BlockList>';
  expect((await put(lab, address, twice, '&comp=blocklist')).status).toBe(413);
});
