/** Each request fault strikes every route, with the documented effect on the route's state. */

import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../api/all-routes.ts';
import { ConnectionLost } from '../../faults/connection-lost.ts';
import { type FaultKind, faultSchema } from '../../faults/fault.ts';
import { mintUserToken } from '../../identity/tokens.ts';
import { at, createTown, type Town } from '../world/town.ts';

type RouteRequest = { readonly method: string; readonly path: string };

/** Values that exist for most routes; the other routes get values that do not exist. */
const values: Readonly<Record<string, string>> = {
  owner: 'lab',
  repo: 'ferries',
  number: '1',
  name: 'bug',
  branch: 'main',
  ref: 'main',
};
const requests: readonly RouteRequest[] = [
  ...allRoutes.map(({ method, pattern }) => ({
    method,
    path: `/api/v3${pattern.replaceAll(/:(\w+)\*?/g, (_, name: string) => values[name] ?? '1')}`,
  })),
  { method: 'POST', path: '/api/graphql' },
];
const reads = requests.filter(({ method }) => method === 'GET');
const writes = requests.filter(({ method }) => method !== 'GET');

/** Always the same town: an issue with a comment, a branch, and an administrator as the caller. */
async function furnished(): Promise<{ readonly town: Town; readonly token: string }> {
  const town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  const mira = town.as(town.seeded.tokens.mira);
  await mira.request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T', body: 'b' });
  await mira.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...at,
    issue_number: 1,
    body: 'c',
  });
  const { repo } = town.seeded;
  const row = town.world.state.repos[repo.id] ?? repo;
  const id = Object.values(town.world.state.users).find(({ login }) => login === 'mira')?.id ?? 0;
  town.world.state.repos[repo.id] = { ...row, collaborators: { ...row.collaborators, [id]: 'admin' } };
  return { town, token: mintUserToken(town.world, id) };
}

function strike(town: Town, kind: FaultKind, { method, path }: RouteRequest, durationMs = 7_000): void {
  const route = `${method} ${path.replace('/api/v3', '')}`;
  town.world.state.settings.faults = [faultSchema.parse({ kind, rate: 1, route, people: true, durationMs })];
}

async function ask({ town, token }: { readonly town: Town; readonly token: string }, { method, path }: RouteRequest) {
  // Other tests cover limits.
  town.advance(61 * 60 * 1000);
  const body =
    path === '/api/graphql'
      ? { query: 'mutation { addReaction(input: {subjectId: "", content: EYES}) { clientMutationId } }' }
      : { title: 'N', body: 'n', labels: ['bug'] };
  const headers = { authorization: `Bearer ${token}` };
  const init = method === 'GET' ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  return town.world.fetch(new Request(`http://github.test${path}`, init));
}

/** The state that people can see: everything except the playground's own counters. */
function visibleState({ world }: Town): string {
  const { counters: _c, usage: _u, faultsStruck: _s, settings: _t, unserved: _n, ...rest } = world.state;
  return JSON.stringify(rest);
}

describe.each(['server-error', 'lost-request'] as const)('%s', (kind) => {
  it('strikes every route before the request has an effect', async () => {
    const lab = await furnished();
    for (const one of requests) {
      strike(lab.town, kind, one);
      const before = visibleState(lab.town);
      const answer = await ask(lab, one).catch((error: unknown) => error);
      expect([one, answer instanceof Response ? answer.status >= 500 : answer instanceof ConnectionLost]).toEqual([
        one,
        true,
      ]);
      expect([one, visibleState(lab.town)]).toEqual([one, before]);
    }
    expect(lab.town.world.state.faultsStruck[kind]).toBe(requests.length);
  });
});

it('strikes every route with lost-answer after the request had its full effect', async () => {
  const [lab, calm] = [await furnished(), await furnished()];
  for (const one of requests) {
    strike(lab.town, 'lost-answer', one);
    const lost = await ask(lab, one).catch((error: unknown) => error);
    expect([one, lost instanceof ConnectionLost]).toEqual([one, true]);
    await ask(calm, one);
  }
  expect(lab.town.world.state.faultsStruck['lost-answer']).toBe(requests.length);
  // The comparison is possible only because both towns share seeds and clock.
  const times = /\d{13}/g;
  expect(visibleState(lab.town).replaceAll(times, 'T')).toBe(visibleState(calm.town).replaceAll(times, 'T'));
});

it('strikes every route with slow: the same answer, later', async () => {
  const [lab, calm] = [await furnished(), await furnished()];
  for (const one of requests) {
    strike(lab.town, 'slow', one);
    const started = lab.town.world.clock.now();
    const { status } = await ask(lab, one);
    expect([one, status]).toEqual([one, (await ask(calm, one)).status]);
    expect(lab.town.world.clock.now() - started).toBe(61 * 60 * 1000 + 7_000);
  }
});

it('strikes every read that has an older answer with stale-read, and no write', async () => {
  const lab = await furnished();
  const struckRequests: RouteRequest[] = [];
  for (const one of requests) {
    // An hour passes between the two requests.
    strike(lab.town, 'stale-read', one, 2 * 60 * 60 * 1000);
    const { status } = await ask(lab, one);
    const before = lab.town.world.state.faultsStruck['stale-read'] ?? 0;
    await ask(lab, one);
    const struck = (lab.town.world.state.faultsStruck['stale-read'] ?? 0) - before;
    expect([one, struck]).toEqual([one, one.method === 'GET' && status === 200 ? 1 : 0]);
    if (struck === 1) struckRequests.push(one);
  }
  expect(struckRequests.length).toBeGreaterThan(reads.length / 3);
});

it('strikes every write with secondary-limit, with a retry-after header', async () => {
  const lab = await furnished();
  for (const one of writes) {
    strike(lab.town, 'secondary-limit', one);
    const before = visibleState(lab.town);
    const answer = await ask(lab, one);
    expect([one, answer.status, answer.headers.get('retry-after')]).toEqual([one, 403, '60']);
    expect([one, visibleState(lab.town)]).toEqual([one, before]);
  }
});
