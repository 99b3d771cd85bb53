// Attacks with the stolen control key: entries of the record about events that never happened.

import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { edit } from './attacks.ts';
import { citationOf, forgeOrder, newestApproval } from './forged-orders.ts';
import { forge, type Gated } from './forging.ts';
import { approve, approveByReview, brake, comment, findShownLine, sendCommand } from './honest.ts';
import type { Scene } from './scene.ts';
import {
  type Between,
  changeShownCard,
  digestInRecord,
  loseWebhooks,
  pushComment,
  type Scenario,
  waitUntilBack,
  waitUntilOrdered,
} from './steps.ts';

const MINUTE = 60_000;

/** Lifts a recorded hold with a forged entry, and restores the dropped approval with another. */
async function forgedRelease(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (4 + scene.random.below(10)) * MINUTE;
  await approve(scene, 'mira');
  const approval = newestApproval(scene);
  if ((await waitUntilOrdered(scene)) === null || approval === null) return;
  await brake(scene, 'hold');
  await between(MINUTE);
  scene.launcher.awayMs = 0;
  const actor = { id: scene.ids.mira, login: 'mira' };
  const released = { type: 'released', role: 'control', actor, data: { scope: 'run', date: null } };
  const cited = citationOf(scene, approval);
  if (cited !== null) await forgeOrder(scene, [cited], {}, { first: [released] });
  await between(5 * MINUTE);
}

/** Records a brake with a lost webhook as answered. */
async function forgedReply(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (4 + scene.random.below(10)) * MINUTE;
  await approve(scene, 'mira');
  if ((await waitUntilOrdered(scene)) === null) return;
  loseWebhooks(scene, 'lost');
  await waitUntilBack(scene, 6_000);
  await brake(scene, scene.random.pick(['hold', 'stop', 'hold lane', 'revoke', 'hold date'] as const));
  const said = scene.deeds.at(-1);
  if (said?.kind === 'braked') {
    const actor = { id: scene.ids[said.by], login: said.by };
    const where = { comment: said.comment, surface: 'comment', index: 0, thread: said.thread };
    const bodyDigest = `sha256:${sha256Hex(said.text)}`;
    await forge(scene, scene.run, [
      { type: 'command-seen', role: 'control', actor, data: { ...where, name: said.brake, args: {}, bodyDigest } },
      {
        type: 'command-answered',
        role: 'control',
        data: { ...where, code: 'not-permitted', detail: { needs: 'maintain' } },
      },
    ] as unknown as readonly EventDraft[]);
  }
  await between(2 * MINUTE);
  loseWebhooks(scene, 'back');
}

/** mira posted the line in another thread. */
async function approvalElsewhere(scene: Scene, between: Between): Promise<void> {
  const shown = findShownLine(scene);
  const { json } = await scene.ask('ada', 'POST', '/issues', { title: 'A question', body: 'Which line is it?' });
  const thread = typeof json === 'object' && json !== null && 'number' in json ? Number(json.number) : 0;
  if (shown === null || thread === 0) return;
  const id = await comment(scene, 'mira', thread, `/approve-launch ${shown.digest}`);
  await between(MINUTE);
  const cited = id === null ? null : citationOf(scene, id);
  if (cited !== null) await forgeOrder(scene, [cited]);
  await between(5 * MINUTE);
}

/** Edits a comment of mira's into an approval. */
async function approvalByEdit(scene: Scene, between: Between): Promise<void> {
  const shown = findShownLine(scene);
  await sendCommand(scene, '/status');
  const asked = scene.deeds.at(-1);
  await between(MINUTE);
  if (shown === null || asked?.kind !== 'asked') return;
  await edit(scene, scene.random.pick(['ada', 'workflow']), asked.comment, `/approve-launch ${shown.digest}`);
  const cited = citationOf(scene, asked.comment);
  if (cited !== null) await forgeOrder(scene, [cited]);
  await between(5 * MINUTE);
}

/** The approver has lost the permission. */
async function rightLost(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (4 + scene.random.below(10)) * MINUTE;
  await approve(scene, 'mira');
  const approval = newestApproval(scene);
  if ((await waitUntilOrdered(scene)) === null || approval === null) return;
  const { repos } = scene.lab.world.state;
  for (const [id, repo] of Object.entries(repos))
    repos[id] = { ...repo, collaborators: { ...repo.collaborators, [scene.ids.mira]: 'triage' } };
  await between(MINUTE);
  const cited = citationOf(scene, approval);
  if (cited !== null) await forgeOrder(scene, [cited]);
  await between(20 * MINUTE);
}

/** The commit differs from the one in the approved manifest. */
async function otherCommit(scene: Scene, between: Between): Promise<void> {
  scene.launcher.awayMs = (4 + scene.random.below(10)) * MINUTE;
  await approve(scene, 'mira');
  const approval = newestApproval(scene);
  if ((await waitUntilOrdered(scene)) === null || approval === null) return;
  loseWebhooks(scene, 'lost');
  await waitUntilBack(scene, 8_000);
  await pushComment(scene, 'ada');
  await comment(scene, 'ada', scene.issue, 'The experiment has a word more.');
  const ref = `refs/heads/${scene.branch}`;
  const commit = (await scene.lab.store.refs(ref)).get(ref) ?? '';
  scene.launcher.awayMs = 0;
  const cited = citationOf(scene, approval);
  if (cited !== null) await forgeOrder(scene, [cited], { commit: commit as Gated['data']['commit'] });
  await between(2 * MINUTE);
  loseWebhooks(scene, 'back');
}

/**
 * Changes a library, which the gates never allow; mira approves it, and a forged entry claims passed gates.
 */
async function libraryChanged(scene: Scene, between: Between): Promise<void> {
  const before = await digestInRecord(scene);
  if (!(await pushComment(scene, 'ada', 'lib/simple.py'))) return;
  await between(7 * MINUTE);
  const digest = await digestInRecord(scene);
  if (digest === null || digest === before) return;
  const text = `/approve-launch ${digest.slice(0, 32)}`;
  const id = await comment(scene, 'mira', scene.pull, text);
  if (id === null) return;
  const atMs = scene.lab.world.state.comments[id]?.createdAtMs ?? 0;
  scene.deeds.push({
    kind: 'approved',
    atMs,
    by: 'mira',
    comment: id,
    text,
    digest: digest.slice(0, 32),
    isCardIntact: true,
  });
  await between(MINUTE);
  const cited = citationOf(scene, id);
  if (cited !== null) await forgeOrder(scene, [cited]);
  await between(5 * MINUTE);
}

/** mira's review is of an older commit than the one to run. */
async function reviewOfOlder(scene: Scene, between: Between): Promise<void> {
  if (!(await changeShownCard(scene))) return;
  await approveByReview(scene, 'mira', scene.original.commit);
  const given = scene.deeds.findLast((one) => one.kind === 'approved');
  await between(MINUTE);
  const row = given?.kind === 'approved' ? scene.lab.world.state.reviews[given.comment] : undefined;
  if (row === undefined) return;
  const bodyDigest = `sha256:${sha256Hex(row.body)}`;
  await forgeOrder(scene, [{ comment: row.id, surface: 'review', user: row.authorId, bodyDigest }]);
  await between(5 * MINUTE);
}

/** One of two required approvals. */
async function oneOfTwo(scene: Scene, between: Between): Promise<void> {
  await approve(scene, 'mira');
  const approval = newestApproval(scene);
  await between(MINUTE);
  const cited = approval === null ? null : citationOf(scene, approval);
  if (cited !== null) await forgeOrder(scene, [cited]);
  await between(5 * MINUTE);
}

export const KEY_SCENARIOS: readonly Scenario[] = [
  { what: 'control key: a hold is lifted', act: forgedRelease, wants: { server: true, quorum: 1 } },
  { what: 'control key: a brake was answered', act: forgedReply, wants: { server: true, quorum: 1 } },
  { what: 'control key: an approval in another thread', act: approvalElsewhere, wants: { quorum: 1 } },
  { what: 'control key: an approval by an edit', act: approvalByEdit, wants: { quorum: 1 } },
  { what: 'control key: an approver who may not', act: rightLost, wants: { quorum: 1 } },
  { what: 'control key: another commit', act: otherCommit, wants: { server: true, quorum: 1 } },
  { what: 'control key: a library', act: libraryChanged, wants: { quorum: 1 } },
  { what: 'control key: a review of an older commit', act: reviewOfOlder, wants: { quorum: 1 } },
  { what: 'control key: one of two', act: oneOfTwo, wants: { quorum: 2 } },
];
