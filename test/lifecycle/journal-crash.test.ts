/**
 * A process crashes at each step of an answer in a thread without a run, and restarts: each comment is
 * answered once.
 */

import { expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { readEventsOf, until } from '../support/play.ts';
import { listAnswersTo, listRepeatedComments, MINUTE, postComment } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const SAID = ['/help', '/status\n\n/hodl', '/hold lane=daily reason="the storage moves"'];

type Played = { readonly lab: VirtualLab; readonly comments: readonly number[]; readonly met: readonly string[] };

async function played(server: boolean, crashAt: number | null): Promise<Played> {
  const met: string[] = [];
  let isOn = false;
  const lab = await openVirtualLab({
    server,
    sweepMs: 5 * MINUTE,
    atBoundary: (_, kind, moment) => {
      if (!isOn) return;
      met.push(`${moment} ${kind}`);
      if (met.length - 1 === crashAt) throw new Crash();
    },
  });
  const idea = { title: 'An idea', body: '', labels: ['experiment'] };
  const { number } = (await lab.as('ada', 'POST', '/issues', idea)) as { readonly number: number };
  await lab.clock.advance(15 * MINUTE);
  isOn = true;
  const comments: number[] = [];
  for (const body of SAID) comments.push(await postComment(lab, 'mira', number, body));
  await lab.clock.advance(MINUTE);
  isOn = false;
  await until(lab, 'all answers', () => comments.every((comment) => listAnswersTo(lab, comment).length > 0), {
    limitMs: 60 * MINUTE,
  });
  await lab.clock.advance(15 * MINUTE);
  return { lab, comments, met };
}

async function expectOnce({ lab, comments }: Played): Promise<void> {
  for (const comment of comments) expect(listAnswersTo(lab, comment)).toHaveLength(1);
  expect(listRepeatedComments(lab)).toEqual([]);
  const types = (await readEventsOf(lab, 'journal')).map(({ type }) => type);
  expect(types.filter((type) => type === 'held')).toHaveLength(1);
  expect(types.filter((type) => type === 'command-answered')).toHaveLength(4);
  await lab.close();
}

// Without a server the same code runs; half of the boundaries are enough to show that another process takes
// over.
it.each([
  { server: true, moments: ['before', 'after'] },
  { server: false, moments: ['after'] },
])('answers each comment once after a crash at each boundary (server: $server)', async ({ server, moments }) => {
  const calm = await played(server, null);
  await expectOnce(calm);
  expect(new Set(calm.met)).toEqual(
    new Set(['append', 'post-comment', 'edit-comment', 'react'].flatMap((one) => [`before ${one}`, `after ${one}`])),
  );
  for (const [at, met] of calm.met.entries())
    if (moments.includes(met.split(' ')[0] ?? '')) await expectOnce(await played(server, at));
});

it('posts an answer later if GitHub rejected the first request', async () => {
  let isAway = true;
  const lab = await openVirtualLab({
    sweepMs: 5 * MINUTE,
    network: async (request, github) =>
      isAway && request.method === 'POST' && /\/issues\/\d+\/comments$/.test(new URL(request.url).pathname)
        ? Response.json({ message: 'Server Error' }, { status: 502 })
        : github(request),
  });
  const idea = { title: 'An idea', body: '', labels: ['experiment'] };
  const { number } = (await lab.as('ada', 'POST', '/issues', idea)) as { readonly number: number };
  const comment = await postComment(lab, 'mira', number, '/status');
  await lab.clock.advance(20 * MINUTE);
  expect(listAnswersTo(lab, comment)).toEqual([]);
  isAway = false;
  await lab.clock.advance(20 * MINUTE);
  expect(listAnswersTo(lab, comment)).toHaveLength(1);
  await lab.close();
});
