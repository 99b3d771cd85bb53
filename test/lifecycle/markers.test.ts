/** What begins like a comment of ferrybot's and is none: echoed by a workflow of the lab, or copied from elsewhere. */

import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/host/keys.ts';
import { eventsOf, propose, stateOf } from '../support/play.ts';
import { botComments, MINUTE, SHORT_FERRY, saidTwice, say } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';
import { deleteAsWorkflow, sayAsWorkflow } from '../support/workflow-voice.ts';

/** The marker of a later entry of this run than the record has, as anybody can write it. */
function inventedHead(run: string): string {
  return `<!-- ferrybot:v1 run=${run} kind=card key=card head=99:${'ab'.repeat(6)} phase=gated check=none -->`;
}

/** The same with all that a seal has, and a signature that nobody made. */
function sealedByNobody(run: string, keyId: string): string {
  const seal = ` at=2026-11-21T06:01:00.000Z text=${sha256Hex('Thanks for your comment!')} by=${keyId}`;
  return `${inventedHead(run).slice(0, -' -->'.length)}${seal} sig=${'A'.repeat(86)} -->`;
}

describe("a stranger's marker that a workflow of the lab echoes", () => {
  // threat T97
  it.each([true, false])('raises no alarm and takes no run out of action (server: %s)', async (server) => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server });
    const { run, pull, issue } = await propose(lab);
    await lab.clock.advance(MINUTE);
    const echo = `${inventedHead(run)}\nThanks for your comment!`;
    for (const thread of [pull, issue]) {
      await sayAsWorkflow(lab, thread, echo);
      await sayAsWorkflow(lab, thread, `${sealedByNobody(run, 'control-demo')}\nThanks for your comment!`);
    }
    const status = await say(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    const answers = botComments(lab).filter(
      ({ kind, key }) => kind === 'answer' && key === `comment-${status}`,
    );
    expect(answers).toHaveLength(1);
    expect(botComments(lab).filter(({ kind }) => kind === 'incident')).toEqual([]);
    expect((await stateOf(lab, run))?.incidents).toEqual([]);
    await lab.close();
  });

  it('is not taken for an answer that is owed, so that nobody is kept silent by it', async () => {
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
    const id = await say(lab, 'mira', pull, '/status');
    await sayAsWorkflow(
      lab,
      pull,
      `<!-- ferrybot:v1 run=${run} kind=answer key=comment-${id} -->\n🤖 squatted`,
    );
    await lab.clock.advance(20 * MINUTE);
    const answers = botComments(lab).filter(
      ({ kind, key, text }) => kind === 'answer' && key === `comment-${id}` && !text.includes('squatted'),
    );
    expect(answers).toHaveLength(1);
    await lab.close();
  });
});

describe("the lost answer to a comment's post", () => {
  it('is resolved by our own text alone: what squats its marker is nobody', async () => {
    let isLost = false;
    let lab: Awaited<ReturnType<typeof openVirtualLab>> | null = null;
    const opened = await openVirtualLab({
      ferry: SHORT_FERRY,
      network: async (request, github) => {
        const body =
          request.method === 'POST' && request.url.endsWith('/comments') ? await request.clone().text() : '';
        const marker = /<!-- ferrybot:v1 run=[^ ]+ kind=answer key=[^ ]+/.exec(body)?.[0];
        if (marker === undefined || isLost || lab === null) return github(request);
        isLost = true;
        // The stranger's text is there before ours, which then is posted, and the answer never comes.
        const thread = Number(/issues\/(\d+)\/comments/.exec(request.url)?.[1]);
        await sayAsWorkflow(lab, thread, `${marker} -->\n🤖 squatted`);
        await github(request);
        throw new TypeError('fetch failed: socket hang up');
      },
    });
    lab = opened;
    const { pull } = await propose(lab);
    await say(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    expect(isLost).toBe(true);
    const answers = botComments(lab).filter(({ kind }) => kind === 'answer');
    expect(answers.filter(({ text }) => text.includes('squatted'))).toHaveLength(1);
    expect(answers.filter(({ text }) => !text.includes('squatted'))).toHaveLength(1);
    await lab.close();
  });
});

describe('a text of ours that is copied, line and all,', () => {
  // threat T98
  it('into another thread says nothing there', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server: false });
    const { run, pull, issue } = await propose(lab);
    await lab.clock.advance(MINUTE);
    await say(lab, 'mira', pull, '/status');
    await lab.clock.advance(MINUTE);
    const card = botComments(lab).find(({ kind }) => kind === 'card');
    if (card === undefined) throw new Error('no card');
    await sayAsWorkflow(lab, issue, card.source);
    await deleteAsWorkflow(lab, card.id);
    await say(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    // The copy is not taken for the card: another is posted where the card belongs.
    const cards = botComments(lab).filter(({ kind, thread }) => kind === 'card' && thread === pull);
    expect(cards).toHaveLength(1);
    // That the card was taken away is told; the copy itself is no alarm.
    const incidents = (await eventsOf(lab, run)).flatMap((event) =>
      event.type === 'incident' ? [event.data] : [],
    );
    expect(incidents).toMatchObject([{ code: 'card-edited', detail: { how: 'deleted' } }]);
    await lab.close();
  });

  it('is said once in its own thread', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { pull } = await propose(lab);
    await say(lab, 'mira', pull, '/status');
    await lab.clock.advance(20 * MINUTE);
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });
});
