/** Every API request gets an answer like GitHub's: no crash, no 500, no guess. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../api/all-routes.ts';
import { answerControl } from '../../http/control.ts';
import { mintUserToken } from '../../identity/tokens.ts';
import type { AnswerMade } from '../../world/channels.ts';
import { judgeAnswer } from '../support/openapi/judge-answer.ts';
import { at, createTown, type Town } from '../world/town.ts';

const RUNS = process.env['CI'] === undefined ? 1_500 : 4_000;

async function ask(
  town: Town,
  method: string,
  path: string,
  init: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { authorization: `Bearer ${town.seeded.tokens.mira}`, ...init.headers };
  const body = init.body === undefined ? {} : { body: init.body };
  const answer = await town.world.fetch(new Request(`http://github.test${path}`, { method, headers, ...body }));
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const issues = '/api/v3/repos/lab/ferries/issues';
const notFound = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' };

describe('a request', () => {
  it.each(['{', '{"title":', 'title=x', '{"title":"a",}', "{'title':'a'}", `${'['.repeat(200_000)}`, '\u0000'])(
    'with the malformed body %.20s gets 400 with GitHub’s message',
    async (body) => {
      expect(await ask(createTown(), 'POST', issues, { body })).toMatchObject({
        status: 400,
        body: { message: 'Problems parsing JSON', documentation_url: 'https://docs.github.com/rest' },
      });
    },
  );

  it.each(['[]', '"title"', '7', 'true'])(
    'with the body %s gets 400, because a body must be an object',
    async (body) => {
      expect(await ask(createTown(), 'POST', issues, { body })).toMatchObject({
        status: 400,
        body: { message: 'Body should be a JSON object' },
      });
    },
  );

  it('with wrong types or missing fields gets 422 with the field’s name; unknown fields are ignored', async () => {
    const town = createTown();
    const post = (body: object) => ask(town, 'POST', issues, { body: JSON.stringify(body) });
    expect(await post({})).toMatchObject({
      status: 422,
      body: { message: `Invalid request.\n\n"title" wasn't supplied.` },
    });
    expect(await post({ title: ['a'] })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("For 'properties/title',") },
    });
    expect(await post({ title: 'a', mood: 'good', __proto__: { admin: true } })).toMatchObject({ status: 201 });
    expect(await post({ title: 'a', body: 'x'.repeat(65_537) })).toMatchObject({
      status: 422,
      body: { message: 'Validation Failed', errors: [{ field: 'body' }] },
    });
  });

  it('that is deeply nested or too large is refused before it creates anything', async () => {
    const town = createTown();
    const deep = `{"title":"a","body":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;
    expect((await ask(town, 'POST', issues, { body: deep })).status).toBe(400);
    const huge = JSON.stringify({ title: 'a', body: 'x'.repeat(33 * 1024 * 1024) });
    expect((await ask(town, 'POST', issues, { body: huge })).status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(town.world.state.issues)).toEqual([]);
  });

  it('for an operation that GitHub lacks gets 404, and for one that only the playground lacks 501', async () => {
    const town = createTown();
    for (const path of [
      '/nowhere',
      '/repos/lab/ferries/nonsense',
      '/repos/lab',
      '/repos//ferries',
      '/repos/lab/ferries/issues/1/x/y',
    ])
      expect([path, await ask(town, 'GET', `/api/v3${path}`)]).toEqual([path, { status: 404, body: notFound }]);
    // GitHub has this path, but not with this method.
    expect((await ask(town, 'DELETE', '/api/v3/rate_limit')).status).toBe(404);
    expect(town.world.state.unserved).toEqual([]);
    expect((await ask(town, 'GET', '/api/v3/gists')).status).toBe(501);
    expect(town.world.state.unserved).toMatchObject([{ method: 'GET', path: '/api/v3/gists' }]);
  });

  it.each([
    'Bearer ',
    'Bearer nobody',
    'Bearer __proto__',
    'Bearer constructor',
    'token toString',
    'Bearer a.b.c',
    'Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOjQyNDJ9.',
    'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln',
    'Basic %%%',
    'Basic bm8tY29sb24=',
    'Digest x',
    `Bearer ${'x'.repeat(8_000)}`,
  ])('with the broken token %.40s gets 401', async (authorization) => {
    const { status, body } = await ask(createTown(), 'GET', issues, { headers: { authorization } });
    expect({ status, message: Object(body)['message'] }).toEqual({
      status: 401,
      message: expect.stringMatching(
        /^(?:Bad credentials|A JSON web token could not be decoded|Integration not found|.*integration.*)$/i,
      ),
    });
  });
});

describe('a path that ends where a name is expected', () => {
  it.each(allRoutes.filter(({ pattern }) => /:\w+\*?$/.test(pattern)).map((route) => [route]))(
    'gets no server error: %o',
    async ({ method, pattern }) => {
      const path = pattern
        .replace(/:\w+\*?$/, '')
        .replace(':owner', 'lab')
        .replace(':repo', 'ferries')
        .replaceAll(/:\w+/g, '1');
      const { status } = await ask(createTown(), method, `/api/v3${path}`, method === 'GET' ? {} : { body: '{}' });
      expect(status).toBeLessThan(500);
    },
  );
});

/** Values that break programs with too much trust in their input. */
const nasty = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '..',
    '.',
    '',
    '0',
    '-1',
    '1',
    '1e9',
    '9007199254740993',
    'NaN',
    'null',
    'main',
    'ferry',
    '%',
    '%00',
    '%2e%2e%2f',
    'a%2Fb',
    'refs/heads/main',
    'heads',
    'a b',
    "'; drop",
    '💣',
    'main...ferry',
    '...',
    ...'APPROVE COMMENT REQUEST_CHANGES squash rebase closed open completed queued success active branch tag tree commit base64 utf-8 100644 refs/heads/x 2026-01-01T00:00:00Z write read'.split(
      ' ',
    ),
    '0'.repeat(40),
  ),
  fc.string({ maxLength: 40 }),
  fc.integer().map(String),
);
/** Values that exist in the furnished town, so that a request gets as far as possible. */
const likely = fc.constantFrom(
  ...'1 2 main ferry heads/main heads refs/heads/ferry ferrybot bug a.txt main...ferry 4242 lab mira 9001'.split(' '),
  '.github/workflows/x.yml',
);
const segment = fc
  .oneof({ weight: 1, arbitrary: likely }, { weight: 2, arbitrary: nasty })
  .map((text) => (text.includes('%') ? text.replaceAll(/[^\w%.]/g, '') || '%' : encodeURIComponent(text)) || 'x');
const fieldNames = fc.constantFrom(
  ...'title body state labels assignees head base sha ref message content branch path line side event comments name color description head_sha status conclusion output actions external_id inputs merge_method commit_title force encoding tree base_tree parents object tag type state_reason lock_reason context target_url username permission rules conditions enforcement bypass_actors target required_status_checks enforce_admins required_pull_request_reviews restrictions deployment_branch_policy repositories permissions query variables text mode organization started_at annotations'.split(
    ' ',
  ),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  nasty,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(nasty, { maxLength: 3 }),
  fc.dictionary(fieldNames, nasty, { maxKeys: 3 }),
  fc.array(fc.dictionary(fieldNames, nasty, { maxKeys: 4 }), { maxLength: 2 }),
);
const body = fc.oneof(
  fc.dictionary(fieldNames, value, { maxKeys: 8 }).map((one) => JSON.stringify(one)),
  fc.json(),
  fc.string(),
);
const mixed = fc.record({
  route: fc.constantFrom(...allRoutes),
  segments: fc.array(segment, { minLength: 6, maxLength: 6 }),
  isAtHome: fc.boolean(),
  who: fc.constantFrom('mira', 'olga', 'bot', 'app', 'guest'),
  body,
  query: fc.dictionary(
    fc.constantFrom(
      'page',
      'per_page',
      'state',
      'since',
      'sha',
      'path',
      'ref',
      'labels',
      'sort',
      'direction',
      'recursive',
      'cursor',
      'filter',
      'head',
      'base',
    ),
    nasty,
    { maxKeys: 3 },
  ),
  accept: fc.constantFrom(
    'application/json',
    'application/vnd.github.diff',
    'application/vnd.github.patch',
    'application/vnd.github.raw',
    'application/vnd.github.sha',
    '*/*',
    '',
  ),
});

describe('any random request', () => {
  it('to any route gets an answer that fits GitHub’s description, and never a 500', { timeout: 120_000 }, async () => {
    let town = await furnished();
    let count = 0;
    // Judged here too, not only after every test, so that a failure is reported with its request and seed.
    const verdicts: string[] = [];
    const judge = (made: unknown): void => {
      const verdict = judgeAnswer(made as AnswerMade); // the only type on this channel
      if (verdict !== null) verdicts.push(verdict);
    };
    subscribe('playground.answer', judge);
    await fc.assert(
      fc.asyncProperty(mixed, async ({ route, segments, isAtHome, who, body: text, query, accept }) => {
        // Changes to the town make later requests harsher; other tests cover limits.
        count += 1;
        if (count % 100 === 0) town = await furnished();
        town.town.advance(60_000);
        const rest = [...segments];
        const path = route.pattern.replaceAll(/:(\w+)\*?/g, (_, name: string) =>
          isAtHome && name === 'owner' ? 'lab' : isAtHome && name === 'repo' ? 'ferries' : (rest.pop() ?? '1'),
        );
        const token = town.tokens[who] ?? null;
        const url = `/api/v3${path}?${new URLSearchParams(query).toString()}`;
        const headers = { accept, ...(token === null ? { authorization: '' } : { authorization: `Bearer ${token}` }) };
        const { status } = await ask(town.town, route.method, url, {
          headers,
          ...(route.method === 'GET' ? {} : { body: text }),
        });
        // Dots in a path can make it another path, one that only GitHub has.
        expect({ url, isSane: status < 500 || status === 501 }).toEqual({ url, isSane: true });
        expect({ url, verdicts: verdicts.splice(0) }).toEqual({ url, verdicts: [] });
      }),
      // A slow machine sends fewer requests, so that it does not time out.
      { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
    );
    unsubscribe('playground.answer', judge);
  });

  it('to GraphQL and to control never gets a 500', async () => {
    const { town } = await furnished();
    const id = fc
      .tuple(fc.constantFrom('I', 'PR', 'IC', 'R', 'U', 'REF', 'C', 'T', 'B', 'PRR', 'PRRC', 'X'), nasty)
      .map(([prefix, key]) => `${prefix}_${Buffer.from(key).toString('base64url')}`);
    const queries = fc.oneof(
      id.map((one) => `{ node(id: ${JSON.stringify(one)}) { id __typename } }`),
      id.map(
        (one) => `mutation { addComment(input: {subjectId: ${JSON.stringify(one)}, body: "x"}) { clientMutationId } }`,
      ),
      id.map(
        (one) =>
          `mutation { minimizeComment(input: {subjectId: ${JSON.stringify(one)}, classifier: SPAM}) { clientMutationId } }`,
      ),
      fc
        .tuple(id, nasty)
        .map(
          ([one, name]) =>
            `mutation { updateRefs(input: {repositoryId: ${JSON.stringify(one)}, refUpdates: [{name: ${JSON.stringify(name)}, afterOid: ${JSON.stringify(name)}}]}) { clientMutationId } }`,
        ),
      nasty.map(
        (name) =>
          `{ repository(owner: "lab", name: "ferries") { ref(qualifiedName: ${JSON.stringify(name)}) { id } object(expression: ${JSON.stringify(name)}) { id } label(name: ${JSON.stringify(name)}) { id } } }`,
      ),
      fc
        .integer({ min: -5, max: 2 ** 31 - 1 })
        .map(
          (number) =>
            `{ repository(owner: "lab", name: "ferries") { issueOrPullRequest(number: ${number}) { __typename } issues(first: ${number}) { totalCount nodes { id } } } }`,
        ),
      fc.string(),
      fc.constant('{'.repeat(2_000)),
      fc.constant(`{ ${'viewer { login } '.repeat(3_000)} }`),
    );
    await fc.assert(
      fc.asyncProperty(queries, body, async (query, text) => {
        town.advance(60_000);
        const answer = await ask(town, 'POST', '/api/graphql', { body: JSON.stringify({ query }) });
        expect({ query, isSane: answer.status < 500 }).toEqual({ query, isSane: true });
        expect((await ask(town, 'POST', '/api/graphql', { body: text })).status).toBeLessThan(500);
        for (const path of ['faults', 'clock', 'installation', 'webhook']) {
          const request = new Request(`http://github.test/_playground/${path}`, { method: 'PUT', body: text });
          const controlAnswer = await answerControl(town.world, null, request);
          expect(controlAnswer?.status ?? 404).toBeLessThan(500);
          town.world.state.settings.faults = [];
        }
      }),
      { numRuns: RUNS / 5 },
    );
  });
});

async function furnished(): Promise<{ readonly town: Town; readonly tokens: Readonly<Record<string, string>> }> {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n', '.github/workflows/x.yml': 'on: [push\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const { tokens } = town.seeded;
  const { repo } = town.seeded;
  const row = town.world.state.repos[repo.id] ?? repo;
  const ravi = Object.values(town.world.state.users).find(({ login }) => login === 'ravi')?.id ?? 0;
  town.world.state.repos[repo.id] = { ...row, collaborators: { ...row.collaborators, [ravi]: 'admin' } };
  await town
    .as(tokens.ada)
    .request('POST /repos/{owner}/{repo}/pulls', { ...at, title: 'T', head: 'ferry', base: 'main' });
  await town
    .as(tokens.mira)
    .request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...at, issue_number: 1, body: 'c' });
  const { data } = await town
    .asApp()
    .request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: town.seeded.app?.installationId ?? 0,
    });
  return { town, tokens: { mira: tokens.mira, olga: mintUserToken(town.world, ravi), bot: data.token } };
}
