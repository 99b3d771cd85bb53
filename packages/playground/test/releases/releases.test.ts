/**
 * Releases as docs.github.com/rest/releases describes them: a draft with a file becomes the latest release and creates
 * its tag.
 */

import { expect, it } from 'vitest';
import { createAsker, listReceived } from '../world/ask.ts';
import { createTown } from '../world/town.ts';

it('hides a draft from people without write access, accepts a file, and creates the tag on publication', async () => {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  const [ask, heard] = [createAsker(town), listReceived(town)];
  expect(await ask('ravi', 'POST', '/releases', { tag_name: 'v1' })).toMatchObject({ httpStatus: 403 });
  const draft = await ask('ada', 'POST', '/releases', { tag_name: 'v1', draft: true, body: 'First.' });
  expect(draft).toMatchObject({ httpStatus: 201, draft: true, published_at: null });
  expect(await ask('sol', 'GET', '/releases')).toHaveLength(0);
  expect(await ask('ada', 'GET', '/releases')).toHaveLength(1);
  expect(draft.upload_url).toMatch(
    /^http:\/\/github\.test\/api\/uploads\/repos\/lab\/ferries\/releases\/\d+\/assets\{\?name,label\}$/,
  );
  const asset = await ask('ada', 'UPLOAD', `/releases/${draft.id}/assets?name=run.log`, 'a line');
  expect(asset).toMatchObject({ httpStatus: 201, name: 'run.log', size: 6, content_type: 'text/plain' });
  expect(await ask('ada', 'UPLOAD', `/releases/${draft.id}/assets?name=run.log`, 'again')).toMatchObject({
    httpStatus: 422,
    errors: [{ code: 'already_exists' }],
  });
  expect(await ask('sol', 'GET', `/releases/assets/${asset.id}`)).toMatchObject({ httpStatus: 404 });
  expect(await ask('sol', 'GET', '/git/ref/tags/v1')).toMatchObject({ httpStatus: 404 });
  await ask('ada', 'PATCH', `/releases/${draft.id}`, { draft: false });
  expect(await ask('sol', 'GET', '/git/ref/tags/v1')).toMatchObject({ httpStatus: 200 });
  expect(await ask('sol', 'GET', '/releases/latest')).toMatchObject({ tag_name: 'v1', assets: [{ name: 'run.log' }] });
  const file = await town.world.fetch(
    new Request(asset.url, { headers: { accept: 'application/octet-stream', 'user-agent': 'test' } }),
  );
  expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/plain', 'a line']);
  expect(await ask('ada', 'POST', '/releases', { tag_name: 'v1' })).toMatchObject({
    httpStatus: 422,
    errors: [{ resource: 'Release', code: 'already_exists', field: 'tag_name' }],
  });
  expect(heard.filter((one) => one.startsWith('release'))).toEqual([
    'release created',
    'release edited',
    'release published',
    'release released',
  ]);
});

it('finds the latest release that is not a draft, not a prerelease and not excluded', async () => {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  const ask = createAsker(town);
  const wanted = [{ tag_name: 'v1' }, { tag_name: 'v2', prerelease: true }, { tag_name: 'v0.9', make_latest: 'false' }];
  for (const one of wanted) await ask('ada', 'POST', '/releases', one);
  expect(await ask('sol', 'GET', '/releases/latest')).toMatchObject({ tag_name: 'v1' });
  expect(await ask('sol', 'GET', '/releases/tags/v2')).toMatchObject({ prerelease: true });
  expect(await ask('ada', 'DELETE', `/releases/${(await ask('ada', 'GET', '/releases/latest')).id}`)).toEqual({
    httpStatus: 204,
  });
  expect(await ask('sol', 'GET', '/releases/latest')).toMatchObject({ httpStatus: 404 });
  expect(await ask('sol', 'GET', '/git/ref/tags/v1')).toMatchObject({ httpStatus: 200 });
});

it('lists the merged pull requests since the previous release in generated notes', async () => {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  const ask = createAsker(town);
  await ask('ada', 'POST', '/releases', { tag_name: 'v1' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const pull = await ask('ada', 'POST', '/pulls', { title: 'Sail on', head: 'ferry', base: 'main' });
  await ask('ada', 'PUT', `/pulls/${pull.number}/merge`, {});
  const notes = await ask('ada', 'POST', '/releases/generate-notes', { tag_name: 'v2' });
  expect(notes.body).toBe(
    "## What's Changed\n* Sail on by @ada in http://github.test/lab/ferries/pull/1\n\n**Full Changelog**: http://github.test/lab/ferries/compare/v1...v2",
  );
});
