/** Commands are answered in a thread with thousands of untrusted comments that are expensive to parse. */

import { describe, expect, it } from 'vitest';
import type { Person } from '../../packages/playground/world/seed.ts';
import { COMMENT_CHARACTERS_MAX } from '../../src/render/disk-issue.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswersTo, listBotTexts, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/**
 * All of GitHub's 65,536 characters in CI; elsewhere an eighth, which is still longer than what ferrybot
 * parses of untrusted text.
 */
const LENGTH = process.env['CI'] === undefined ? COMMENT_CHARACTERS_MAX / 8 : COMMENT_CHARACTERS_MAX;
const SHAPES = ['eyJ-', '<ul><li>', '<details>', '> ', '<b><p>', '/stop ', '/hold reason="', '[a][b ', '*a '];
const TEXTS = SHAPES.map((unit) => unit.repeat(Math.ceil(LENGTH / unit.length)));
const FIRST_PLANTED = 5_000_000;

/** Adds comments of a user to a thread, as if they were written within the last minute. */
function flood(lab: VirtualLab, who: Person, thread: number, count: number): void {
  const { comments, issues, users } = lab.world.state;
  const [key, issue] = Object.entries(issues).find(([, { number }]) => number === thread) ?? [];
  const author = Object.values(users).find(({ login }) => login === who);
  const pattern = Object.values(comments).find(({ issueNumber }) => issueNumber === thread);
  if (key === undefined || issue === undefined || author === undefined || pattern === undefined)
    throw new Error('nothing to copy');
  const now = lab.clock.now();
  const ids = Array.from({ length: count }, (_, index) => FIRST_PLANTED + index);
  for (const id of ids)
    comments[id] = {
      ...pattern,
      id,
      authorId: author.id,
      viaAppId: null,
      body: `${id} ${TEXTS[id % TEXTS.length] ?? ''}`.slice(0, LENGTH),
      createdAtMs: now - 60_000,
      updatedAtMs: now - 60_000,
    };
  issues[key] = { ...issue, commentIds: [...issue.commentIds, ...ids] };
}

describe('a thread with more than five thousand hostile comments', () => {
  // threat T195
  it('still answers writers within a minute, launches after an approval, and stops the job', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await lab.clock.advance(2 * MINUTE);
    flood(lab, 'sol', pull, 5_200);

    const asked = await postComment(lab, 'ada', pull, '/status');
    await until(lab, 'an answer', () => listAnswersTo(lab, asked).length > 0, { stepMs: 5_000, limitMs: MINUTE });
    const held = await postComment(lab, 'mira', pull, '/hold reason="wait for the new data"');
    await until(lab, 'the hold', async () => ((await readState(lab, run))?.holds.length ?? 0) > 0, {
      stepMs: 5_000,
      limitMs: MINUTE,
    });
    expect(listAnswersTo(lab, held)).toHaveLength(1);
    await postComment(lab, 'mira', pull, '/unhold');
    await untilState(lab, run, (state) => state.holds.length === 0, { stepMs: 5_000, limitMs: MINUTE });

    await approve(lab, 'mira', pull);
    await untilState(lab, run, (state) => state.submission !== null, { stepMs: 5_000, limitMs: 10 * MINUTE });
    const stop = await postComment(lab, 'mira', pull, '/stop');
    await until(lab, 'the answer to the stop', () => listAnswersTo(lab, stop).length > 0, {
      stepMs: 5_000,
      limitMs: MINUTE,
    });
    await untilState(lab, run, (state) => state.end !== null, { stepMs: 5_000, limitMs: 10 * MINUTE });
    expect(await readState(lab, run)).toMatchObject({ end: { status: 'STOPPED' } });
    // At most one comment of the flood is answered; the others are recorded with a reaction.
    expect(listBotTexts(lab, 'answer').length).toBeLessThanOrEqual(6);
    await lab.close();
  }, 900_000);
});
