// Orders written with the stolen control key, with all entries that an order needs.

import type { EventDraft } from '../../src/domain/logbook/define.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { canonicalize } from '../../src/logbook/chain.ts';
import { forge, type Gated, isGated, readable } from './forging.ts';
import { findShownLine } from './honest.ts';
import type { Scene } from './scene.ts';

/** The approval that a forged order cites. */
export type Citation = {
  readonly comment: number;
  readonly surface: 'comment' | 'review';
  readonly user: number;
  readonly bodyDigest: string;
};

/** A comment as an order cites it; null if it was deleted. */
export function citationOf(scene: Scene, id: number): Citation | null {
  const row = scene.lab.world.state.comments[id];
  if (row === undefined) return null;
  return { comment: id, surface: 'comment', user: row.authorId, bodyDigest: `sha256:${sha256Hex(row.body)}` };
}

/**
 * Forges every entry of an order, with passed gates, a shown card and the cited approvals; then starts the
 * launch. `over` replaces values of the newest manifest; `first` are entries before it; `run` is another run.
 */
export async function forgeOrder(
  scene: Scene,
  citations: readonly Citation[],
  over: Partial<Pick<Gated['data'], 'commit' | 'body'>> = {},
  { run = scene.run, first = [] }: { readonly run?: string; readonly first?: readonly unknown[] } = {},
): Promise<boolean> {
  const events = await readable(scene, run);
  const gated = events.filter(isGated).findLast(({ data }) => data.digest !== null);
  if (gated === undefined || citations.length === 0) return false;
  const { digest } = gated.data;
  const verdicts = gated.data.verdicts.map((one) => ({ ...one, outcome: 'pass', found: {} }));
  const data = { ...gated.data, ...over, verdicts };
  const at = new Date(scene.lab.clock.now()).toISOString();
  const attempt = events.filter((event) => event.type === 'claimed').length + 1;
  const order = {
    v: 1,
    run,
    repository: 'lab/ferries',
    attempt,
    digest,
    commit: data.commit,
    pull: scene.pull,
    approvals: citations,
    submissionId: `ferrybot-${run}-a${attempt}`,
    issuedAt: at,
    expiresAt: new Date(scene.lab.clock.now() + 7_200_000).toISOString(),
  };
  const orderDigest = `sha256:${sha256Hex(canonicalize(order as never))}`;
  const shown = {
    digest,
    body: data.body,
    thread: scene.pull,
    comment: findShownLine(scene)?.comment ?? 1,
    text: '0'.repeat(64),
    shownAt: new Date(Date.parse(at) - 3_600_000).toISOString(),
  };
  const approved = citations.map((one) => ({
    type: 'approved',
    role: 'control',
    actor: { id: one.user, login: one.user === scene.ids.noor ? 'noor' : 'mira' },
    data: { ...one, digest, body: data.body },
  }));
  const gating = { type: 'gated', role: 'control', data };
  const showing = { type: 'shown', role: 'control', data: shown };
  const ordering = { type: 'ordered', role: 'control', data: { order, orderDigest } };
  // If the card is already shown, showing it again is an illegal entry. Forged events have the shapes of
  // valid ones.
  const ways = [
    [...first, gating, showing, ...approved, ordering],
    [...first, gating, ...approved, ordering],
  ] as unknown as readonly (readonly EventDraft[])[];
  for (const drafts of ways) {
    if (!(await forge(scene, run, drafts))) continue;
    await scene.ask('ada', 'POST', '/actions/workflows/ferrybot-launch.yml/dispatches', {
      ref: 'main',
      inputs: { run, order: orderDigest },
    });
    await scene.lab.clock.advance(1_000);
    return true;
  }
  return false;
}

/** The newest approving comment. */
export function newestApproval(scene: Scene): number | null {
  const deed = scene.deeds.findLast((one) => one.kind === 'approved');
  return deed?.kind === 'approved' ? deed.comment : null;
}
