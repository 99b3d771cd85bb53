/**
 * A crash between the seal's tag and its record: the tag is completed or reported, even if the comment
 * changes.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Crash } from '../support/crash.ts';
import { approve, propose, readState, until } from '../support/play.ts';
import {
  listAnswersTo,
  listBotComments,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const headed = z.object({ object: z.object({ sha: z.string() }) });
const ACCEPT = '/seal accept="stopped on purpose, the curve is clear"';

let lab: VirtualLab;
/** Where the sealing process is killed, each time it gets there. */
let dying: { kind: string; moment: 'before' | 'after' } | null;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

async function stopped(): Promise<{ readonly run: string; readonly pull: number; readonly issue: number }> {
  dying = null;
  lab = await openVirtualLab({
    ferry: SHORT_FERRY,
    atBoundary: (_, kind, moment) => {
      if (kind === dying?.kind && moment === dying.moment) throw new Crash(`killed ${moment} ${kind}`);
    },
  });
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await until(lab, 'a look', async () => (await readState(lab, proposed.run))?.observation != null);
  await postComment(lab, 'ada', proposed.issue, '/stop');
  await until(lab, 'the end', async () => (await readState(lab, proposed.run))?.end !== null);
  await lab.clock.advance(2 * MINUTE);
  return proposed;
}

const sealTags = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await lab.store.refs('refs/tags/'))].filter(([ref]) => !ref.includes('/ferrybot-mark-')));
const incidents = (): readonly string[] =>
  listBotComments(lab)
    .filter(({ kind, text }) => kind === 'incident' && text.includes('tag'))
    .map(({ text }) => text);
const comment = (id: number): string => `/issues/comments/${id}`;

describe('a crash of /seal accept after pushing the tag', () => {
  // threat T23
  it.each([
    { how: 'deleted', change: (id: number) => lab.as('ada', 'DELETE', comment(id)) },
    { how: 'edited', change: (id: number) => lab.as('ada', 'PATCH', comment(id), { body: 'never mind' }) },
  ])(
    'is completed from the record even if its comment is $how and the result is rejected later',
    async ({ change }) => {
      const { run, issue } = await stopped();
      dying = { kind: 'push-tag', moment: 'after' };
      const asked = await postComment(lab, 'mira', issue, ACCEPT);
      expect([...(await sealTags()).keys()]).toHaveLength(1);
      expect((await readState(lab, run))?.seal).toBeNull();
      dying = { kind: 'open-pull', moment: 'before' };
      await change(asked);
      const rejected = await postComment(lab, 'mira', issue, '/ack reject="too short to tell"');
      dying = null;
      await lab.clock.advance(70 * MINUTE);
      const state = await readState(lab, run);
      expect(state?.closed).toBeNull();
      expect(state?.seal).toMatchObject({ verdict: 'accepted', accept: 'stopped on purpose, the curve is clear' });
      expect([...(await sealTags()).keys()]).toEqual([`refs/tags/${state?.seal?.tag}`]);
      expect(listAnswersTo(lab, asked)).toEqual([expect.stringContaining('sealed with the tag')]);
      expect(listAnswersTo(lab, rejected)).toHaveLength(1);
      expect(incidents()).toEqual([]);
    },
  );
});

describe('a crash of /seal accept before pushing the tag', () => {
  it('is not executed if its comment is deleted', async () => {
    const { run, issue } = await stopped();
    dying = { kind: 'push-tag', moment: 'before' };
    const asked = await postComment(lab, 'mira', issue, ACCEPT);
    await lab.as('mira', 'DELETE', comment(asked));
    dying = null;
    const rejected = await postComment(lab, 'mira', issue, '/ack reject="too short to tell"');
    await lab.clock.advance(70 * MINUTE);
    expect((await readState(lab, run))?.closed?.outcome).toBe('rejected');
    expect([...(await sealTags()).keys()]).toEqual([]);
    expect(listAnswersTo(lab, rejected)).toEqual([expect.stringContaining('closed without a tag')]);
    expect(incidents()).toEqual([]);
  });
});

describe('a ref that conflicts with the seal', () => {
  // threat T22
  it.each([
    { what: 'a tag above its own', ref: () => 'tags/ferry/daily' },
    { what: 'a tag below its own', ref: (run: string) => `tags/ferry/daily/20261121/${run}/x` },
    { what: 'a branch above that of its log', ref: () => 'heads/ferrybot/closure' },
  ])('is named in the answer ($what), and the run can be sealed after it is deleted', async ({ ref }) => {
    const { run, issue } = await stopped();
    const name = `refs/${ref(run)}`;
    const { object } = headed.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
    await lab.as('ada', 'POST', '/git/refs', { ref: name, sha: object.sha });
    const asked = await postComment(lab, 'mira', issue, ACCEPT);
    await lab.clock.advance(5 * MINUTE);
    expect(listAnswersTo(lab, asked)[0]).toContain(`${name} is there and leaves no room for refs/`);
    await lab.as('mira', 'DELETE', `/git/${name}`);
    const again = await postComment(lab, 'mira', issue, ACCEPT);
    await lab.clock.advance(5 * MINUTE);
    expect(listAnswersTo(lab, again)[0]).toContain('sealed with the tag');
  });
});

describe('a tag that claims a seal', () => {
  it('is reported once with the command to delete it if the record has no such seal', async () => {
    const { run, pull, issue } = await stopped();
    const state = await readState(lab, run);
    const sha = state?.submission?.commit ?? '';
    const name = `ferry/daily/${state?.proposal.date.replaceAll('-', '')}/${run}`;
    await lab.as('ada', 'POST', '/git/refs', { ref: `refs/tags/${name}`, sha });
    await postComment(lab, 'mira', issue, '/ack reject="too short to tell"');
    await lab.clock.advance(70 * MINUTE);
    expect((await readState(lab, run))?.closed?.outcome).toBe('rejected');
    const [told, ...more] = incidents();
    expect(more).toEqual([]);
    expect(told ?? '').toContain(`git push --delete origin refs/tags/${name}`);
    expect(listBotComments(lab).find(({ text }) => text === told)?.thread).toBe(pull);
    await lab.clock.advance(70 * MINUTE);
    expect(incidents()).toHaveLength(1);
  });
});
