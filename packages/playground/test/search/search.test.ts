/** Search of issues and pull requests, by the terms that docs.github.com describes. */

import { beforeAll, expect, it } from 'vitest';
import { inRange } from '../../search/query.ts';
import { createAsker, type JsonAnswer } from '../world/ask.ts';
import { createTown, type Town } from '../world/town.ts';

let town: Town;
const search = (q: string): Promise<JsonAnswer> =>
  createAsker(town)('ada', 'GET', `//search/issues?q=${encodeURIComponent(q)}&sort=created&order=asc`);

beforeAll(async () => {
  town = createTown();
  await town.commit('main', { 'a.txt': 'one\n' });
  await town.commit('ferry', { 'a.txt': 'two\n' });
  const ask = createAsker(town);
  await ask('sol', 'POST', '/issues', { title: 'The loss is flat', body: 'cc @mira' });
  await ask('ada', 'POST', '/issues', { title: 'A slow step', labels: ['bug', 'night shift'], assignees: ['mira'] });
  await ask('ada', 'POST', '/pulls', { title: 'Sail', head: 'ferry', base: 'main', draft: true });
  await ask('ravi', 'POST', '/issues/1/comments', { body: 'Seen on the cluster.' });
  await ask('ada', 'PATCH', '/issues/2', { state: 'closed' });
});

it.each([
  ['repo:lab/ferries', [1, 2, 3]],
  ['repo:lab/ferries is:pr', [3]],
  ['org:lab type:issue state:open', [1]],
  ['is:closed label:"night shift"', [2]],
  ['label:bug,other', [2]],
  ['-label:bug is:issue', [1]],
  ['author:@me', [2, 3]],
  ['assignee:mira', [2]],
  ['no:assignee is:issue', [1]],
  ['mentions:mira', [1]],
  ['commenter:ravi', [1]],
  ['involves:mira', [1, 2]],
  ['head:ferry draft:true', [3]],
  ['cluster', [1]],
  ['cluster in:title', []],
  ['"slow step"', [2]],
  ['repo:lab/other', []],
  ['created:>=2020-01-01', [1, 2, 3]],
  ['created:<2020-01-01', []],
] as const)('%s finds %j', async (q, numbers) => {
  const found = await search(q);
  expect(found.items.map(({ number }: { number: number }) => number)).toEqual(numbers);
  expect(found.total_count).toBe(numbers.length);
});

it('names and records a qualifier that only GitHub supports', async () => {
  expect(await search('is:pr reactions:>3')).toMatchObject({
    httpStatus: 501,
    message: expect.stringContaining('reactions'),
  });
  expect(town.world.state.unserved.at(-1)).toMatchObject({
    method: 'GET',
    path: expect.stringContaining('/search/issues?q=is%3Apr'),
  });
  expect(await search(' ')).toMatchObject({ httpStatus: 422, errors: [{ field: 'q', code: 'missing' }] });
});

it('includes a moment in a range until the end of the day', () => {
  const at = Date.parse('2026-11-20T15:00:00Z');
  const ranges = [
    '2026-11-20',
    '<=2026-11-20',
    '2026-11-01..2026-11-20',
    '*..2026-11-21',
    '>2026-11-20',
    '>2026-11-20T14:00:00Z',
  ];
  expect(ranges.map((range) => inRange(at, range))).toEqual([true, true, true, true, false, true]);
});
