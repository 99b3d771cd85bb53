/**
 * Comments that a writer forges in advance with a stolen key, posted by a workflow: they must not replace the
 * real ones.
 */

import { afterEach, expect, it } from 'vitest';
import { type MarkerKind, markerText } from '../../src/domain/marker.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { parseSigningKey, sha256Hex } from '../../src/host/keys.ts';
import { sealMarker } from '../../src/logbook/mark.ts';
import { Crash } from '../support/crash.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import {
  listAnswersTo,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';
import { sayAsWorkflow } from '../support/workflow-voice.ts';

const NOTHING = 'Nothing was held.';
const FORGED = 'All is well.';
const DEATH = { step: 300, line: 'RuntimeError: nothing works', exitCode: 1 };

let lab: VirtualLab;
afterEach(() => lab.close());

/**
 * Posts a comment as the workflows' bot, signed with the stolen key of a role for its thread and the current
 * time.
 */
async function forgeText(
  role: 'control' | 'watch',
  thread: number,
  marker: { readonly run: string; readonly kind: MarkerKind; readonly key: string },
  words: string,
): Promise<void> {
  const { head } = (await readState(lab, marker.run)) ?? { head: { seq: 0, hash: '0'.repeat(64) } };
  const key = parseSigningKey(DEMO_KEYS[role].seed);
  if (!key.ok) throw new Error(key.error);
  const fields = { head: `${head.seq}:${head.hash.slice(0, 12)}` };
  const sealed = sealMarker(
    `${markerText({ ...marker, fields })}\n🤖 ${words}\n`,
    { repository: 'lab/ferries', thread },
    {
      signer: { keyId: `${role}-demo`, role, sign: key.value.sign },
      at: brandAs(lab.clock.now(), isInstant),
      hash: sha256Hex,
    },
  );
  await sayAsWorkflow(lab, thread, sealed);
}

/** A ferry fails after forged comments were posted for every possible later event. */
async function forgeBeforeTheEnd(role: 'control' | 'watch'): Promise<void> {
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull, run);
  await untilState(lab, run, (state) => state.observation?.firstStepCompleted === true);
  const from = (await readState(lab, run))?.head.seq ?? 0;
  for (let seq = from + 1; seq <= from + 40; seq += 1)
    for (const kind of ['incident', 'ended', 'notice'] as const)
      await forgeText(role, issue, { run, kind, key: String(seq) }, FORGED);
  await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: MINUTE });
}

// threat T174
it.each(['control', 'watch'] as const)(
  'an alarm is posted although a forged comment with the stolen %s key already has its event number',
  async (role) => {
    lab = await openVirtualLab({ server: false, ferry: { ...SHORT_FERRY, failAt: DEATH } });
    await forgeBeforeTheEnd(role);
    await lab.clock.advance(10 * MINUTE);
    expect(listBotTexts(lab, 'incident').join()).toContain('is not started again');
    expect(listBotTexts(lab, 'ended').filter((text) => !text.includes(FORGED))).toHaveLength(1);
  },
);

// threat T175
it('a real alarm is kept if its response was lost and a forged comment exists for the same event', async () => {
  const lost: string[] = [];
  const takenBack: string[] = [];
  lab = await openVirtualLab({
    server: false,
    ferry: { ...SHORT_FERRY, failAt: DEATH },
    network: async (request, github) => {
      if (request.method === 'DELETE' && request.url.includes('/comments/')) takenBack.push(request.url);
      const said = request.method === 'POST' ? await request.clone().text() : '';
      const response = await github(request);
      const [, kind = ''] = / kind=(incident|ended) /.exec(said) ?? [];
      if (kind === '' || lost.includes(kind)) return response;
      lost.push(kind);
      throw new TypeError('the connection broke');
    },
  });
  await forgeBeforeTheEnd('control');
  await lab.clock.advance(10 * MINUTE);
  expect(lost.toSorted()).toEqual(['ended', 'incident']);
  expect(takenBack).toEqual([]);
  expect(listBotTexts(lab, 'incident').join()).toContain('is not started again');
  expect(listBotTexts(lab, 'ended').filter((text) => !text.includes(FORGED))).toHaveLength(1);
});

it('a /hold is answered although a writer with the stolen watch key posted a forged answer first', async () => {
  const door: { opened: Promise<void> | null; open: () => void } = { opened: null, open: () => undefined };
  lab = await openVirtualLab({
    server: false,
    ferry: SHORT_FERRY,
    beforeJob: async (mode) => (mode === 'chat' ? ((await door.opened) ?? undefined) : undefined),
  });
  const { run, pull } = await propose(lab);
  door.opened = new Promise((resolve) => {
    door.open = resolve;
  });
  const asked = await postComment(lab, 'mira', pull, '/hold reason="not today"');
  await forgeText('watch', pull, { run, kind: 'answer', key: `comment-${asked}` }, NOTHING);
  door.open();
  await lab.clock.advance(5 * MINUTE);
  expect(listAnswersTo(lab, asked).filter((text) => !text.includes(NOTHING))).toHaveLength(1);
});

// threat T189
it('a /hold is answered after a crash of control although a forged answer was posted meanwhile', async () => {
  let isDying = false;
  lab = await openVirtualLab({
    server: false,
    ferry: SHORT_FERRY,
    atBoundary: (_, kind, moment) => {
      if (isDying && kind === 'post-comment' && moment === 'before') throw new Crash();
    },
  });
  const { run, pull } = await propose(lab);
  isDying = true;
  const asked = await postComment(lab, 'mira', pull, '/hold reason="not today"');
  const isHeld = async (): Promise<boolean> => (await readState(lab, run))?.holds.length === 1;
  await until(lab, 'the hold', isHeld, { stepMs: 1_000, limitMs: 10 * MINUTE });
  await lab.clock.advance(2_000);
  isDying = false;
  expect(listAnswersTo(lab, asked)).toEqual([]);
  await forgeText('watch', pull, { run, kind: 'answer', key: `comment-${asked}` }, NOTHING);
  await lab.clock.advance(20 * MINUTE);
  expect(listAnswersTo(lab, asked).filter((text) => !text.includes(NOTHING))).toHaveLength(1);
  expect(listRepeatedComments(lab)).toHaveLength(1);
});
