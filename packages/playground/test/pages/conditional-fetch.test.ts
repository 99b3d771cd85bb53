/** Unchanged answers do not count against the limit twice, and are never shown to another person. */
import { expect, it } from 'vitest';
import { conditionalFetch } from '../../pages/api/conditional-fetch.ts';

it('returns the cached answer on 304, separately for each person, and drops the oldest', async () => {
  const sentEtags: (string | null)[] = [];
  let version = 1;
  const fetch = conditionalFetch(async (request) => {
    const known = request.headers.get('if-none-match');
    sentEtags.push(known);
    const etag = `"${request.headers.get('authorization')}-${version}"`;
    if (known === etag) return new Response(null, { status: 304 });
    return new Response(`${request.headers.get('authorization')} ${version}`, { headers: { etag, link: 'x' } });
  }, 2);
  const ask = async (who: string): Promise<string> => {
    const response = await fetch(new Request('http://x.test/a', { headers: { authorization: who } }));
    expect([response.status, response.headers.get('link')]).toEqual([200, 'x']);
    return response.text();
  };
  expect([await ask('mira'), await ask('mira'), await ask('ada')]).toEqual(['mira 1', 'mira 1', 'ada 1']);
  expect(sentEtags).toEqual([null, '"mira-1"', null]);
  version = 2;
  expect(await ask('mira')).toBe('mira 2');
  await ask('ravi');
  await ask('ada');
  expect(sentEtags.slice(3)).toEqual(['"mira-1"', null, null]);
});

it('passes refusals and writes through unchanged', async () => {
  const fetch = conditionalFetch(
    async (request) => new Response(request.method, { status: request.method === 'GET' ? 404 : 201 }),
    2,
  );
  expect((await fetch(new Request('http://x.test/'))).status).toBe(404);
  expect((await fetch(new Request('http://x.test/', { method: 'POST' }))).status).toBe(201);
});

it('updates the link to the next page from the headers of a 304', async () => {
  let link = '';
  const fetch = conditionalFetch(async (request) => {
    const headers = { etag: '"same"', ...(link === '' ? {} : { link }) };
    if (request.headers.get('if-none-match') === '"same"') return new Response(null, { status: 304, headers });
    return new Response('[]', { headers: { ...headers, 'content-type': 'application/json' } });
  }, 2);
  const ask = (): Promise<Response> => fetch(new Request('http://x.test/'));
  expect((await ask()).headers.get('link')).toBeNull();
  link = '<http://x.test/?page=2>; rel="next"';
  const again = await ask();
  expect([again.headers.get('link'), again.headers.get('content-type')]).toEqual([link, 'application/json']);
  expect(await again.text()).toBe('[]');
});
