/** The page over HTTP, without a script in the browser: every screen, every act, and escaped text everywhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screenRoutes } from '../../pages/route-table.ts';
import { findDangers } from './dangers.ts';
import { hostile, sha } from './sample-data.ts';
import { openSampleSite, type SampleSite } from './sample-site.ts';

let site: SampleSite;
beforeAll(async () => {
  site = await openSampleSite();
});
afterAll(() => site.close());

const screens = {
  '/:owner/:repo': '/lab/marin',
  '/:owner/:repo/issues': '/lab/marin/issues',
  '/:owner/:repo/pulls': '/lab/marin/pulls',
  '/:owner/:repo/issues/:number#': '/lab/marin/issues/5',
  '/:owner/:repo/pull/:number#': '/lab/marin/pull/4',
  '/:owner/:repo/pull/:number#/files': '/lab/marin/pull/4/files',
  '/:owner/:repo/pull/:number#/commits': '/lab/marin/pull/4/commits',
  '/:owner/:repo/pull/:number#/checks': '/lab/marin/pull/4/checks',
  '/:owner/:repo/actions': '/lab/marin/actions',
  '/:owner/:repo/actions/runs/:id#': '/lab/marin/actions/runs/501',
  '/:owner/:repo/actions/runs/:id#/job/:job#': '/lab/marin/actions/runs/501/job/601',
  '/:owner/:repo/actions/runs/:id#/attempts/:attempt#': '/lab/marin/actions/runs/501/attempts/1',
  '/:owner/:repo/commits': '/lab/marin/commits',
  '/:owner/:repo/commits/:ref*': '/lab/marin/commits/main',
  '/:owner/:repo/commit/:sha': `/lab/marin/commit/${sha}`,
  '/:owner/:repo/tree/:rest*': '/lab/marin/tree/main',
  '/:owner/:repo/blob/:rest*': '/lab/marin/blob/main/README.md',
};

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${site.baseUrl}${path}`, { headers, redirect: 'manual' });
const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${site.baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
const asAda = { cookie: 'playground_speaker=ada' };

describe('every screen', () => {
  it('has an address in this test or in another one', () => {
    // Other tests cover these: a check run's address redirects, a log is not a page (rough.test.ts), the panel needs a
    // real world (panel.test.ts), and a form needs a repository that has one (issue-form.test.ts).
    const log = '/:owner/:repo/actions/runs/:id#/job/:job#/log';
    const form = '/:owner/:repo/issues/new';
    const testedInOtherFiles = ['/:owner/:repo/runs/:id#', '/_playground/world', log, form];
    const drawn = screenRoutes.filter(({ pattern }) => !testedInOtherFiles.includes(pattern));
    expect(Object.keys(screens).toSorted()).toEqual(drawn.map(({ pattern }) => pattern).toSorted());
  });

  it.each(Object.values(screens))('%s shows hostile text as text', async (path) => {
    const response = await get(path);
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).not.toContain(hostile);
    // The page's own icons are drawings. The only script on the page is its own.
    const dangers = findDangers(page).filter((danger) => danger !== 'svg' && danger !== 'meta');
    expect(dangers).toEqual(['script']);
    expect(page).toContain('<script type="module" src="/_playground/assets/page.js">');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
  });

  it('contains the hostile text, escaped', async () => {
    for (const path of [
      '/lab/marin/issues',
      '/lab/marin/issues/5',
      '/lab/marin/pull/4/files',
      '/lab/marin/actions/runs/501',
    ]) {
      expect(await (await get(path)).text()).toContain('&lt;script&gt;window.pwned=1&lt;/script&gt;');
    }
  });
});

describe('an address', () => {
  it('of the API, git or the playground’s control is left to other handlers', async () => {
    for (const path of ['/api/v3/user', '/api/graphql', '/lab/marin.git/info/refs', '/_playground/people']) {
      expect(await (await get(path)).text()).toBe('not a page');
    }
  });

  it('redirects from / to the lab, and from the wrong kind of thread to the right one', async () => {
    expect((await get('/')).headers.get('location')).toBe('/lab/marin');
    expect((await get('/lab/marin/issues/4')).headers.get('location')).toBe('/lab/marin/pull/4');
    expect((await get('/lab/marin/pull/5')).headers.get('location')).toBe('/lab/marin/issues/5');
  });

  it('of nothing is a 404', async () => {
    for (const path of [
      '/lab/nothing',
      '/lab/marin/issues/99',
      '/lab/marin/what',
      '/%ff/x',
      '/lab/marin/pull/4/%3Cscript%3E',
    ]) {
      expect((await get(path)).status).toBe(404);
    }
  });

  it('of Mermaid’s package serves only the script', async () => {
    expect((await get('/_playground/assets/mermaid.js')).status).toBe(200);
    for (const name of ['mermaid/../package.json', 'mermaid/%2e%2e/package.json', '../pages.ts', 'page.ts']) {
      expect((await get(`/_playground/assets/${name}`)).status).toBe(404);
    }
  });
});

describe('the speaker', () => {
  it('is the maintainer at first and can be changed with a form', async () => {
    expect(await (await get('/lab/marin/pull/4')).text()).toContain('Comment as mira');
    const changed = await post('/_playground/speaker', { speaker: 'ada', back: '/lab/marin/pull/4' });
    expect([changed.status, changed.headers.get('location')]).toEqual([303, '/lab/marin/pull/4']);
    expect(changed.headers.get('set-cookie')).toBe('playground_speaker=ada; Path=/; HttpOnly; SameSite=Strict');
    expect(await (await get('/lab/marin/pull/4', asAda)).text()).toContain('Comment as ada');
  });

  it('must exist, and the form never redirects to another site', async () => {
    expect((await post('/_playground/speaker', { speaker: 'eve' })).status).toBe(422);
    const away = await post('/_playground/speaker', { speaker: 'ada', back: '//evil.org' });
    expect(away.headers.get('location')).toBe('/');
  });

  it('posts a comment with their own token and unchanged line breaks', async () => {
    const done = await post('/lab/marin/issues/4/comments', { body: '/status\r\nplease' }, asAda);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/lab/marin/issues/4']);
    expect(site.api.posted.at(-1)).toEqual({
      path: '/repos/lab/marin/issues/4/comments',
      token: 'token-ada',
      body: { body: '/status\nplease' },
    });
    expect(await (await get('/lab/marin/pull/4')).text()).toContain('/status<br>please');
  });

  it('posts a review, and closes a thread', async () => {
    await post('/lab/marin/issues/4/comments', { body: 'fine', verdict: 'APPROVE' });
    expect(site.api.posted.at(-1)).toMatchObject({
      path: '/repos/lab/marin/pulls/4/reviews',
      token: 'token-mira',
      body: { event: 'APPROVE', body: 'fine' },
    });
    await post('/lab/marin/issues/4/comments', { body: '', state: 'closed' });
    expect(site.api.posted.at(-1)).toMatchObject({ path: '/repos/lab/marin/issues/4', body: { state: 'closed' } });
  });

  it('sees a refusal of the API, escaped, or as JSON for the script', async () => {
    const refused = await post('/lab/marin/issues/4/comments', { body: 'refuse me' });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('Validation Failed &lt;b&gt;');
    const asJson = await post('/lab/marin/issues/4/comments', { body: ' ' }, { accept: 'application/json' });
    expect(await asJson.json()).toEqual({ kind: 'refused', status: 422, message: 'Write something first.' });
  });

  it('gets 413 for more than a comment can hold', async () => {
    expect((await post('/lab/marin/issues/4/comments', { body: 'x'.repeat(1_100_000) })).status).toBe(413);
  });

  it('sees label and merge controls only with the permission', async () => {
    const forMira = await (await get('/lab/marin/pull/4')).text();
    const forSol = await (await get('/lab/marin/pull/4', { cookie: 'playground_speaker=sol' })).text();
    for (const control of ['Change labels', 'Merge pull request', 'Close pull request']) {
      expect(forMira).toContain(control);
      expect(forSol).not.toContain(control);
    }
  });
});

describe('the thread', () => {
  it('shows edits, the checks, and the next action', async () => {
    const page = await (await get('/lab/marin/pull/4')).text();
    expect(page).toContain('edited</summary>');
    expect(page).toContain('8 of 9 gates passed');
    expect(page).toContain('data-insert="/approve-launch"');
    expect(page).toContain('What is wanted, mira?');
  });
});
