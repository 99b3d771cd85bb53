/** Commands in comments, review bodies and line comments, in long threads, by webhook and by sweep. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../packages/playground/world/seed.ts';
import { limits } from '../../src/domain/limits.ts';
import { REQUEST_TRIES_MAX } from '../../src/github/call.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { approve, type Ferry, propose, readState, until } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  listBotComments,
  listRepeatedComments,
  MINUTE,
  openExperiment,
  postComment,
  pushFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const numbered = z.object({ id: z.number() });
const refSchema = z.object({ object: z.object({ sha: z.string() }) });
const headed = z.object({ head: z.object({ sha: z.string() }) });

/** Posts a review with a body; returns its id. */
async function review(lab: VirtualLab, who: Person, pull: number, body: string): Promise<number> {
  return numbered.parse(await lab.as(who, 'POST', `/pulls/${pull}/reviews`, { body, event: 'COMMENT' })).id;
}

/** Posts a comment on the first changed line; returns its id. */
async function remark(lab: VirtualLab, who: Person, pull: number, body: string): Promise<number> {
  const { sha } = headed.parse(await lab.as(who, 'GET', `/pulls/${pull}`)).head;
  const files = z.array(z.object({ filename: z.string(), patch: z.string() }));
  const [file] = files.parse(await lab.as(who, 'GET', `/pulls/${pull}/files`));
  const line = Number(/\+(\d+)/.exec(file?.patch ?? '')?.[1]);
  const path = `/pulls/${pull}/comments`;
  return numbered.parse(await lab.as(who, 'POST', path, { body, commit_id: sha, path: file?.filename, line })).id;
}

function answers(lab: VirtualLab, surface: string, id: number): readonly string[] {
  return listBotComments(lab)
    .filter(({ kind, key }) => kind === 'answer' && key === `${surface}-${id}`)
    .map(({ text }) => text);
}

async function proposed(webhooks: boolean): Promise<Ferry> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks });
  return { lab, ...(await propose(lab)) };
}

function reactions(lab: VirtualLab, kind: 'comments' | 'reviewComments', id: number): readonly string[] {
  return (lab.world.state[kind][id]?.reactions ?? []).map((reaction) => reaction.content);
}

describe.each([
  { by: 'webhook', webhooks: true, waitMs: MINUTE },
  { by: 'sweep', webhooks: false, waitMs: 45 * MINUTE },
])('a command received by $by', ({ webhooks, waitMs }) => {
  it('in a line comment or a review body is answered once, and a review can approve', async () => {
    const { lab, run, pull } = await proposed(webhooks);
    const onLine = await remark(lab, 'mira', pull, requireApprovalLine(lab));
    const status = await review(lab, 'ada', pull, 'Looks right.\n\n/status');
    await lab.clock.advance(waitMs);
    expect(await listAnswerCodes(lab, onLine, 'review-comment')).toEqual(['not-now']);
    expect(reactions(lab, 'reviewComments', onLine)).toEqual(['eyes']);
    expect(await listAnswerCodes(lab, status, 'review')).toEqual(['status-shown']);
    const approval = await review(lab, 'mira', pull, requireApprovalLine(lab));
    await lab.clock.advance(waitMs);
    expect(await listAnswerCodes(lab, approval, 'review')).toEqual(['approved']);
    expect((await readState(lab, run))?.approvals).toMatchObject([{ surface: 'review', comment: approval }]);
    await lab.clock.advance(waitMs);
    expect((await readState(lab, run))?.submission).not.toBeNull();
    expect(listRepeatedComments(lab)).toEqual([]);
    expect(lab.world.state.unserved).toEqual([]);
    await lab.close();
  });

  it('at the start of a long thread is answered', async () => {
    const { lab, pull } = await proposed(webhooks);
    // Comments from an outage are found later, a hundred comments further up.
    lab.world.state.settings.drop = 'all';
    const first = await postComment(lab, 'ada', pull, '/status');
    const early = await review(lab, 'ada', pull, '/status');
    // As fast as GitHub lets one person write.
    for (let n = 0; n < 120; n += 1) {
      await postComment(lab, 'ada', pull, `I think ${n} is a fine number.`);
      if (n % 50 === 49) await lab.clock.advance(MINUTE);
    }
    await lab.clock.advance(MINUTE);
    for (let n = 0; n < 55; n += 1) await review(lab, 'ada', pull, `Thought ${n} about it.`);
    await lab.clock.advance(65 * MINUTE);
    expect(answers(lab, 'comment', first)).toHaveLength(1);
    expect(answers(lab, 'review', early)).toHaveLength(1);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });
});

describe('a comment that is edited after it was read', () => {
  it('gets one request to post a new comment if the edit adds a command, and nothing if it changes prose', async () => {
    const { lab, run, pull } = await proposed(true);
    const comment = await postComment(lab, 'mira', pull, '/status');
    const edit = (body: string): Promise<unknown> => lab.as('mira', 'PATCH', `/issues/comments/${comment}`, { body });
    await edit('/status\n\nThanks!');
    await lab.clock.advance(MINUTE);
    expect(answers(lab, 'comment', comment)).toHaveLength(1);
    for (const more of ['/approve-launch', '/approve-launch\n\n/stop']) {
      await edit(`/status\n\n${more}`);
      await lab.clock.advance(35 * MINUTE);
    }
    expect(answers(lab, 'comment', comment)).toHaveLength(1);
    const told = listBotComments(lab).filter(({ key }) => key === `comment-${comment}-edited`);
    expect(told).toHaveLength(1);
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });
});

/** Opens a user's pull request with a `/help` in a review; returns the review's id. */
async function idea(lab: VirtualLab, head: string, labels: readonly string[]): Promise<number> {
  const { sha } = refSchema.parse(await lab.as('ada', 'GET', '/git/ref/heads/main')).object;
  await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${head}`, sha });
  await pushFile(lab, 'ada', head, `${head}.md`, 'An idea.');
  const opened = await lab.as('ada', 'POST', '/pulls', { title: 'An idea', body: '', head, base: 'main' });
  const { number } = z.object({ number: z.number() }).parse(opened);
  await lab.as('ada', 'POST', `/issues/${number}/labels`, { labels });
  return review(lab, 'mira', number, '/help');
}

describe('a review on a pull request without a run', () => {
  it('is answered by the sweep if the pull request is labelled as an experiment, and otherwise ignored', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false });
    const labelled = await idea(lab, 'labelled', ['experiment']);
    const reviews = [labelled, await idea(lab, 'plain', [])];
    await lab.clock.advance(130 * MINUTE);
    expect(reviews.map((id) => answers(lab, 'review', id).length)).toEqual([1, 0]);
    await lab.clock.advance(130 * MINUTE);
    expect(listRepeatedComments(lab)).toEqual([]);
    expect(lab.world.state.unserved).toEqual([]);
    await lab.close();
  });

  it('is answered even if more pull requests changed than one pass reads', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false });
    const reviews: number[] = [];
    for (let n = 0; n < limits.otherPullsMax + 3; n += 1) reviews.push(await idea(lab, `idea-${n}`, ['experiment']));
    await lab.clock.advance(4 * 60 * MINUTE);
    expect(reviews.map((id) => answers(lab, 'review', id).length)).toEqual(reviews.map(() => 1));
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('is answered after GitHub failed to list the reviews for hours, with few requests meanwhile', async () => {
    const away = { is: true, asked: 0 };
    const network: VirtualLabOptions['network'] = (request, github) => {
      // The first thread of this lab; the ferry of the day has its own pull request.
      if (!away.is || !request.url.includes('/pulls/1/reviews')) return github(request);
      away.asked += 1;
      return Promise.resolve(Response.json({ message: 'Server Error' }, { status: 500 }));
    };
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false, network });
    const id = await idea(lab, 'labelled', ['experiment']);
    await lab.clock.advance(5 * 60 * MINUTE);
    expect(answers(lab, 'review', id)).toEqual([]);
    // One attempt at each sweep, with a few retries.
    expect(away.asked).toBeLessThanOrEqual(10 * REQUEST_TRIES_MAX);
    away.is = false;
    await lab.clock.advance(150 * MINUTE);
    expect(answers(lab, 'review', id)).toHaveLength(1);
    await lab.close();
  });
});

describe('commands without a webhook while a job runs', () => {
  it.each(['comment', 'review', 'review-comment'] as const)(
    'include a /stop in a %s, which the sweep finds',
    async (surface) => {
      const { lab, run, pull } = await proposed(false);
      await approve(lab, 'mira', pull);
      await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null);
      const speak = { comment: postComment, review, 'review-comment': remark }[surface];
      const id = await speak(lab, 'mira', pull, '/stop');
      await lab.clock.advance(35 * MINUTE);
      expect(await listAnswerCodes(lab, id, surface)).toEqual(['stop-requested']);
      expect((await readState(lab, run))?.stop).toMatchObject({ actor: { login: 'mira' } });
      expect(listRepeatedComments(lab)).toEqual([]);
      await lab.close();
    },
  );

  it('are found after ten days', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false, sweepMs: 10 * 24 * 60 * MINUTE });
    const comment = await postComment(lab, 'mira', await openExperiment(lab), '/help');
    await lab.clock.advance(10 * 24 * 60 * MINUTE + MINUTE);
    expect(await listAnswerCodes(lab, comment)).toEqual(['help-shown']);
    await lab.close();
  });
});

describe("an untrusted user's flood of comments", () => {
  it("causes one answer per thread and no reactions, and does not delay a maintainer's answer", async () => {
    const { lab, pull, issue } = await proposed(true);
    const before = lab.usage.contentWrites;
    for (let n = 0; n < 60; n += 1) {
      await postComment(lab, 'sol', n % 2 === 0 ? pull : issue, ['/help', '/stop', '/stpo', '/status'][n % 4] ?? '');
      await lab.clock.advance(10_000);
    }
    const asked = await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(MINUTE);
    expect(answers(lab, 'comment', asked)).toHaveLength(1);
    // Two answers, and four writes for the maintainer's question.
    expect(lab.usage.contentWrites - before).toBeLessThanOrEqual(2 + 4);
    expect(reactionsOf(lab)).toBe(1);
    await lab.close();
  });

  it('causes one answer in a thread without a run, without a server too', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server: false });
    const number = await openExperiment(lab);
    for (let n = 0; n < 15; n += 1) {
      await postComment(lab, 'sol', number, n % 2 === 0 ? '/status' : '/help');
      await lab.clock.advance(10_000);
    }
    expect(listBotComments(lab).filter(({ kind }) => kind === 'answer')).toHaveLength(1);
    expect(reactionsOf(lab)).toBe(0);
    await lab.close();
  });
});

/** Reactions of the bot on comments. */
function reactionsOf(lab: VirtualLab): number {
  return Object.values(lab.world.state.comments).reduce((sum, { reactions: all }) => sum + all.length, 0);
}
