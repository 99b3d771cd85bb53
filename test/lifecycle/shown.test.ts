/** An approval counts only for the card as ferrybot posted it and as GitHub shows it. */

import { describe, expect, it } from 'vitest';
import { TEXT_RESTORES_MAX } from '../../src/run/decide-shown.ts';
import { type Ferry, readEventsOf, readState, until } from '../support/play.ts';
import { approveLine, findCard, proposeWithCard as proposed } from '../support/shown-card.ts';
import {
  type BotComment,
  listAnswersTo,
  listBotComments,
  listBotTexts,
  MINUTE,
  postComment,
  pushExperiment,
} from '../support/talk.ts';
import type { VirtualLab, VirtualLabOptions } from '../support/virtual-lab.ts';
import { deleteAsWorkflow, editAs, editAsWorkflow, hideAs } from '../support/workflow-voice.ts';

async function namesOf({ lab, run }: Ferry, type: string): Promise<number> {
  return (await readEventsOf(lab, run)).filter((event) => event.type === type).length;
}

/** The card with another delta and the correct line to copy. */
function withFalseDelta({ source }: BotComment): string {
  const falsified = source.replace('**Wanted:', '| harmless | 1 | 2 |\n\n**Wanted:');
  if (falsified === source) throw new Error('the card has changed its shape');
  return falsified;
}

/** The approval is refused, the card is restored, one incident is posted, and a later approval launches. */
async function isRestoredAndTold(ferry: Ferry, refused: number, how: RegExp): Promise<void> {
  const { lab, run, pull } = ferry;
  await lab.clock.advance(40 * MINUTE);
  expect(listAnswersTo(lab, refused)).toEqual([expect.stringContaining('not approved')]);
  expect((await readState(lab, run))?.approvals).toEqual([]);
  expect(lab.engine.startCount()).toBe(0);
  expect(listBotTexts(lab, 'incident')).toEqual([expect.stringMatching(how)]);
  expect(listBotComments(lab).filter(({ kind }) => kind === 'card')).toHaveLength(1);
  expect(findCard(lab).text).not.toContain('harmless');
  expect((await readState(lab, run))?.shown).not.toBeNull();
  await postComment(lab, 'mira', pull, await approveLine(ferry));
  await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null);
  expect(lab.engine.startCount()).toBe(1);
  await lab.close();
}

const MODES: readonly { readonly mode: string; readonly options: VirtualLabOptions }[] = [
  { mode: 'a server', options: {} },
  { mode: 'no server', options: { server: false } },
  { mode: 'a server without webhooks', options: { webhooks: false } },
];

describe('a manifest on the card', () => {
  it.each(MODES)('is recorded once as GitHub shows it, with $mode', async ({ options }) => {
    const ferry = await proposed(options);
    const { lab, run } = ferry;
    await lab.clock.advance(30 * MINUTE);
    const state = await readState(lab, run);
    const card = lab.world.state.comments[findCard(lab).id];
    expect(state?.shown).toMatchObject({ digest: state?.gate?.digest, comment: card?.id });
    expect(Date.parse(state?.shown?.shownAt ?? '')).toBe(Math.trunc((card?.updatedAtMs ?? 0) / 1_000) * 1_000);
    expect(await namesOf(ferry, 'shown')).toBe(1);
    await postComment(lab, 'mira', ferry.pull, await approveLine(ferry));
    await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null);
    await lab.close();
  });

  // threat T93
  it('cannot be approved until GitHub accepts the update of the card', async () => {
    let isRefusing = false;
    const ferry = await proposed({
      network: async (request, github) =>
        isRefusing && request.method === 'PATCH' && /\/issues\/comments\//.test(request.url)
          ? Response.json({ message: 'Validation Failed' }, { status: 422 })
          : github(request),
    });
    const { lab, run, pull } = ferry;
    isRefusing = true;
    const before = (await readState(lab, run))?.gate?.digest;
    await pushExperiment(lab, run, (text) => `${text}# Another commit.\n`);
    await until(lab, 'the gates', async () => {
      const digest = (await readState(lab, run))?.gate?.digest ?? null;
      return digest !== null && digest !== before;
    });
    await lab.clock.advance(20 * MINUTE);
    const early = await postComment(lab, 'mira', pull, await approveLine(ferry));
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expect((await readState(lab, run))?.shown).toBeNull();
    expect(listAnswersTo(lab, early).join()).toMatch(/not approved/);
    isRefusing = false;
    await until(lab, 'the showing', async () => (await readState(lab, run))?.shown !== null);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});

describe('a card edited by another user', () => {
  // threat T74
  it.each([
    {
      who: 'a writer',
      options: { webhooks: false },
      edit: (lab: VirtualLab, id: number, body: string) => editAs(lab, 'ada', id, body),
    },
    { who: 'a workflow', options: { server: false, beforeJob: async () => undefined }, edit: editAsWorkflow },
  ])('cannot be approved if $who edited and restored it before ferrybot saw the edit', async ({ options, edit }) => {
    const ferry = await proposed(options);
    const { lab, pull } = ferry;
    const { id, source } = findCard(lab);
    // Between two passes: the sweep is five minutes away, and a job of the chat workflow takes a while.
    const edited = edit(lab, id, withFalseDelta(findCard(lab)));
    await lab.clock.advance(2_000);
    await edited;
    const line = await approveLine(ferry);
    const saying = lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: line });
    const restoring = edit(lab, id, source);
    await Promise.all([saying, restoring]);
    const approval = Math.max(
      ...Object.keys(lab.world.state.comments)
        .map(Number)
        .filter((one) => lab.world.state.comments[one]?.body === line),
    );
    await isRestoredAndTold(ferry, approval, /The status card was edited by another person/);
  });

  // threat T76
  it('cannot be approved if the edit restores an older signed text', async () => {
    const ferry = await proposed();
    const { lab, run, pull } = ferry;
    const old = findCard(lab).source;
    const before = (await readState(lab, run))?.gate?.digest;
    await pushExperiment(lab, run, (text) => `${text}# Another commit.\n`);
    await until(lab, 'the new showing', async () => {
      const state = await readState(lab, run);
      return state?.shown !== null && state?.shown?.digest !== before;
    });
    await postComment(lab, 'ada', ferry.issue, 'Another commit, which changes a remark.');
    await lab.clock.advance(MINUTE);
    await editAs(lab, 'ada', findCard(lab).id, old);
    await lab.clock.advance(1_000);
    const approval = await postComment(lab, 'mira', pull, await approveLine(ferry));
    await isRestoredAndTold(ferry, approval, /`edited`/);
  });

  it('is rewritten in place if its marker line was edited', async () => {
    const ferry = await proposed();
    const { lab, pull } = ferry;
    const { id, source } = findCard(lab);
    await editAs(lab, 'ada', id, source.replace('kind=card', 'kind=cord'));
    await lab.clock.advance(1_000);
    const approval = await postComment(lab, 'mira', pull, await approveLine(ferry));
    await isRestoredAndTold(ferry, approval, /was edited by another person/);
  });

  // threat T75
  it('cannot be approved in the second in which it is rewritten, because either text may have been read', async () => {
    const ferry = await proposed();
    const { lab, run, pull } = ferry;
    await editAs(lab, 'ada', findCard(lab).id, withFalseDelta(findCard(lab)));
    await postComment(lab, 'ada', pull, '/status');
    const state = await readState(lab, run);
    expect(Date.parse(state?.shown?.shownAt ?? '')).toBe(Math.trunc(lab.clock.now() / 1_000) * 1_000);
    await isRestoredAndTold(
      ferry,
      await postComment(lab, 'mira', pull, await approveLine(ferry)),
      /The status card was edited by another person/,
    );
  });

  it('is posted again after a deletion, and must be approved again', async () => {
    const ferry = await proposed();
    const { lab, pull } = ferry;
    await lab.clock.advance(2 * MINUTE);
    await deleteAsWorkflow(lab, findCard(lab).id);
    const approval = await postComment(lab, 'mira', pull, await approveLine(ferry));
    await isRestoredAndTold(ferry, approval, /`deleted`/);
  });
});

describe('a card that a user hid', () => {
  // threat T89
  it.each(MODES)(
    'cannot be approved; it is made visible again, and one incident is posted, with $mode',
    async ({ options }) => {
      const ferry = await proposed(options);
      const { lab, pull } = ferry;
      const { id } = findCard(lab);
      await lab.clock.advance(2 * MINUTE);
      await hideAs(lab, 'ada', id);
      const approval = await postComment(lab, 'mira', pull, await approveLine(ferry));
      await isRestoredAndTold(ferry, approval, /`hidden`/);
      expect(lab.world.state.comments[id]?.minimizedReason).toBeNull();
    },
  );

  it('must be visible for the whole review period again', async () => {
    const ferry = await proposed({ config: (text) => text.replace('shownForMs: 0', 'shownForMs: 600000') });
    const { lab, run, pull } = ferry;
    await lab.clock.advance(20 * MINUTE);
    const before = (await readState(lab, run))?.shown?.shownAt ?? '';
    await hideAs(lab, 'ada', findCard(lab).id);
    await postComment(lab, 'ada', pull, '/status');
    await lab.clock.advance(MINUTE);
    const after = (await readState(lab, run))?.shown?.shownAt ?? '';
    expect(Date.parse(after)).toBeGreaterThanOrEqual(Date.parse(before) + 20 * MINUTE);
    await lab.close();
  });
});

describe('a card that a writer edits repeatedly', () => {
  // threat T83
  it('causes a bounded number of writes, and cannot be approved until it is rewritten', async () => {
    const ferry = await proposed();
    const { lab, run, pull } = ferry;
    const { id } = findCard(lab);
    const writes = (): number => lab.world.state.comments[id]?.edits.length ?? 0;
    const before = writes();
    for (let minute = 0; minute < 50; minute += 1) {
      await editAs(lab, 'ada', id, `${findCard(lab).source}\nedit ${minute}`);
      if (minute % 5 === 0) await postComment(lab, 'ada', pull, '/status');
      await lab.clock.advance(MINUTE);
    }
    // One for each incident, one more if something else is recorded at the same time.
    expect(writes() - before - 50).toBeLessThanOrEqual(2 * (TEXT_RESTORES_MAX + 1));
    const told = listBotComments(lab).filter(({ kind }) => kind === 'incident');
    expect(told).toHaveLength(TEXT_RESTORES_MAX + 1);
    expect(told[0]?.text).toContain('ada changed it');
    const early = await postComment(lab, 'mira', pull, await approveLine(ferry));
    await lab.clock.advance(2 * MINUTE);
    expect(listAnswersTo(lab, early)).toEqual([expect.stringMatching(/not approved.*within an hour/)]);
    await lab.clock.advance(70 * MINUTE);
    expect((await readState(lab, run))?.shown).not.toBeNull();
    await postComment(lab, 'mira', pull, await approveLine(ferry));
    await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null);
    await lab.close();
  });
});

describe('a card that ferrybot edited after it was recorded', () => {
  it("still counts for an approval, because its edit history contains only ferrybot's texts", async () => {
    const ferry = await proposed();
    const { lab, run, pull } = ferry;
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(40 * MINUTE);
    await postComment(lab, 'mira', pull, '/status');
    await lab.clock.advance(2 * MINUTE);
    const { shown } = (await readState(lab, run)) ?? {};
    expect(lab.world.state.comments[findCard(lab).id]?.updatedAtMs).toBeGreaterThan(
      Date.parse(shown?.shownAt ?? '') + MINUTE,
    );
    await postComment(lab, 'mira', pull, await approveLine(ferry));
    await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null);
    expect(await namesOf(ferry, 'shown')).toBe(1);
    await lab.close();
  });
});
