/**
 * Comments that start with ferrybot's marker but are not from ferrybot: echoed by a workflow, or copied from
 * another thread.
 */

import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/host/keys.ts';
import { propose, readEventsOf, readState } from '../support/play.ts';
import { listBotComments, listRepeatedComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';
import { deleteAsWorkflow, sayAsWorkflow } from '../support/workflow-voice.ts';

/** A marker with a later entry of this run than the record has, as anyone can write it. */
function inventedHead(run: string): string {
  return `<!-- ferrybot:v1 run=${run} kind=card key=card head=99:${'ab'.repeat(6)} phase=gated check=none -->`;
}

/** The same with all fields of a seal and an invalid signature. */
function sealedByNobody(run: string, keyId: string): string {
  const seal = ` at=2026-11-21T06:01:00.000Z text=${sha256Hex('Thanks for your comment!')} by=${keyId}`;
  return `${inventedHead(run).slice(0, -' -->'.length)}${seal} sig=${'A'.repeat(86)} -->`;
}

describe('a forged marker that a workflow of the lab posts', () => {
  // threat T97
  it.each([true, false])('raises no alarm and does not block the run (server: %s)', async (server) => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server });
    const { run, pull, issue } = await propose(lab);
    await lab.clock.advance(MINUTE);
    const echo = `${inventedHead(run)}\nThanks for your comment!`;
    for (const thread of [pull, issue]) {
      await sayAsWorkflow(lab, thread, echo);
      await sayAsWorkflow(lab, thread, `${sealedByNobody(run, 'control-demo')}\nThanks for your comment!`);
    }
    const status = await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    const answers = listBotComments(lab).filter(({ kind, key }) => kind === 'answer' && key === `comment-${status}`);
    expect(answers).toHaveLength(1);
    expect(listBotComments(lab).filter(({ kind }) => kind === 'incident')).toEqual([]);
    expect((await readState(lab, run))?.incidents).toEqual([]);
    await lab.close();
  });

  it('does not count as a posted answer, so real answers are still posted', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    const later = 1_000 + Math.max(...Object.keys(lab.world.state.comments).map(Number));
    for (let id = later - 1_000; id < later; id += 50)
      await sayAsWorkflow(
        lab,
        pull,
        Array.from(
          { length: 50 },
          (_, at) => `<!-- ferrybot:v1 run=${run} kind=answer key=comment-${id + at} -->`,
        ).join('\n'),
      );
    const id = await postComment(lab, 'mira', pull, '/status');
    await sayAsWorkflow(lab, pull, `<!-- ferrybot:v1 run=${run} kind=answer key=comment-${id} -->\n🤖 squatted`);
    await lab.clock.advance(20 * MINUTE);
    const answers = listBotComments(lab).filter(
      ({ kind, key, text }) => kind === 'answer' && key === `comment-${id}` && !text.includes('squatted'),
    );
    expect(answers).toHaveLength(1);
    await lab.close();
  });
});

describe('a lost response to the post of an answer', () => {
  it("is resolved only with ferrybot's own text, not with a forged comment with its marker", async () => {
    let isLost = false;
    let lab: Awaited<ReturnType<typeof openVirtualLab>> | null = null;
    const opened = await openVirtualLab({
      ferry: SHORT_FERRY,
      network: async (request, github) => {
        const body = request.method === 'POST' && request.url.endsWith('/comments') ? await request.clone().text() : '';
        const marker = /<!-- ferrybot:v1 run=[^ ]+ kind=answer key=[^ ]+/.exec(body)?.[0];
        if (marker === undefined || isLost || lab === null) return github(request);
        isLost = true;
        // The forged text is posted before the real answer; the response to the real one is lost.
        const thread = Number(/issues\/(\d+)\/comments/.exec(request.url)?.[1]);
        await sayAsWorkflow(lab, thread, `${marker} -->\n🤖 squatted`);
        await github(request);
        throw new TypeError('fetch failed: socket hang up');
      },
    });
    lab = opened;
    const { pull } = await propose(lab);
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    expect(isLost).toBe(true);
    const answers = listBotComments(lab).filter(({ kind }) => kind === 'answer');
    expect(answers.filter(({ text }) => text.includes('squatted'))).toHaveLength(1);
    expect(answers.filter(({ text }) => !text.includes('squatted'))).toHaveLength(1);
    await lab.close();
  });
});

describe('a signed ferrybot comment', () => {
  // threat T98
  it('has no effect as a copy in another thread', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server: false });
    const { run, pull, issue } = await propose(lab);
    await lab.clock.advance(MINUTE);
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(MINUTE);
    const card = listBotComments(lab).find(({ kind }) => kind === 'card');
    if (card === undefined) throw new Error('no card');
    await sayAsWorkflow(lab, issue, card.source);
    await deleteAsWorkflow(lab, card.id);
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    // The copy does not count as the card: another card is posted in the right thread.
    const cards = listBotComments(lab).filter(({ kind, thread }) => kind === 'card' && thread === pull);
    expect(cards).toHaveLength(1);
    // The deletion of the card is reported; the copy raises no alarm.
    const incidents = (await readEventsOf(lab, run)).flatMap((event) =>
      event.type === 'incident' ? [event.data] : [],
    );
    expect(incidents).toMatchObject([{ code: 'card-edited', detail: { how: 'deleted' } }]);
    await lab.close();
  });

  it('is posted once in its own thread', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { pull } = await propose(lab);
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });
});
