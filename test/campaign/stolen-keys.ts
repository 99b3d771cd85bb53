// What a thief can sign with the control key and the watch key. The runner's key is not included, because it
// is where launches are made.

import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { canonicalize } from '../../src/logbook/chain.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import type { Attack } from './attacks.ts';
import { forge, isApproved, isGated, pushEntry, readable } from './forging.ts';
import type { Scene } from './scene.ts';

/** Forges a complete order for the current branch, with any comment that ever approved something. */
async function forgeOrder(scene: Scene): Promise<void> {
  const events = await readable(scene);
  const gated = events.filter(isGated).at(-1);
  const proposed = events.find((event) => event.type === 'proposed');
  if (gated === undefined || proposed === undefined || gated.data.digest === null) return;
  const approval = citable(scene, events);
  if (approval === null) return;
  const { digest } = gated.data;
  const actor = { id: approval.user, login: 'mira' };
  const attempt = events.filter((event) => event.type === 'claimed').length + 1;
  const at = new Date(scene.lab.clock.now()).toISOString();
  const order = {
    v: 1,
    run: proposed.run,
    repository: 'lab/ferries',
    attempt,
    digest,
    commit: gated.data.commit,
    pull: scene.pull,
    approvals: [approval],
    submissionId: `ferrybot-${scene.run}-a${attempt}`,
    issuedAt: at,
    expiresAt: new Date(scene.lab.clock.now() + 7_200_000).toISOString(),
  };
  const drafts = [
    { type: 'approved', role: 'control', actor, data: { ...approval, digest, body: gated.data.body } },
    { type: 'ordered', role: 'control', data: { order, orderDigest: `sha256:${sha256Hex(canonicalize(order))}` } },
    // Forged events have the shapes of valid ones: the codec would reject others.
  ] as unknown as readonly EventDraft[];
  const all = scene.random.chance(0.5) ? drafts : drafts.slice(1);
  if (!(await forge(scene, scene.run, all))) return;
  await scene.ask('ada', 'POST', '/actions/workflows/ferrybot-launch.yml/dispatches', {
    ref: 'main',
    inputs: { run: scene.run, order: `sha256:${sha256Hex(canonicalize(order))}` },
  });
  await scene.lab.clock.advance(1_000);
}

/** Any comment by an approver that looks like an approval, of any manifest. */
function citable(
  scene: Scene,
  events: readonly LogbookEvent[],
): { comment: number; surface: 'comment'; user: number; bodyDigest: string } | null {
  const given = events.filter(isApproved);
  const recorded = given.map((event) => event.data.comment);
  const rows = Object.values(scene.lab.world.state.comments).filter(
    (row) =>
      recorded.includes(row.id) ||
      (row.authorId === scene.ids.mira && /^\/(approve-launch|status|hold|unhold)/.test(row.body)),
  );
  if (rows.length === 0) return null;
  const row = scene.random.pick(rows);
  return { comment: row.id, surface: 'comment', user: row.authorId, bodyDigest: `sha256:${sha256Hex(row.body)}` };
}

/** Lifts a brake with an entry that seems to be control's. */
async function forgeRelease(scene: Scene): Promise<void> {
  const actor = { id: scene.ids.mira, login: 'mira' };
  const data = { scope: 'run', date: null } as const;
  await forge(scene, scene.run, [{ type: 'released', role: 'control', actor, data }]);
  // According to the threat model, this key can lift a hold in the record.
  scene.deeds.push({ kind: 'released', atMs: scene.lab.clock.now(), brake: 'hold', by: 'mira' });
}

/** Records the end of a running job with the watch's key. */
async function forgeEnd(scene: Scene): Promise<void> {
  const events = await readable(scene);
  const ended = events.findLast((event) => event.type === 'observed');
  if (ended === undefined) return;
  const draft = { type: 'observed', role: 'watch', data: ended.data } as EventDraft;
  await forge(scene, scene.run, [draft]);
}

/** Uses the watch's key for entries that only control may write. */
async function overreach(scene: Scene): Promise<void> {
  const events = await readable(scene);
  const ordered = events.findLast((event) => event.type === 'ordered');
  if (ordered === undefined) return;
  const { type, data } = ordered;
  const signature = { role: 'watch', keyId: 'watch-demo', seed: DEMO_KEYS.watch.seed };
  await pushEntry(scene, scene.run, { type, data }, signature);
}

export const STOLEN_KEYS: readonly Attack[] = [
  { what: 'control key: an order', act: forgeOrder },
  { what: 'control key: an order', act: forgeOrder },
  { what: 'control key: a release', act: forgeRelease },
  { what: 'watch key: an observation', act: forgeEnd },
  { what: 'watch key: an order', act: overreach },
];
