/**
 * Checks by edit history whether a shown text stayed as ferrybot wrote it, because an editor can change it and restore it
 * (docs/decisions/0119-bind-an-approval-to-what-was-shown.md).
 */

import type { ProposalText, ProposalTexts, ShownVersion } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed } from '../domain/observed.ts';

/** Rewrites of a foreign-edited text per hour: tolerates mistakes and bounds GitHub writes. */
export const TEXT_RESTORES_MAX = 3;

/** The newest foreign version since an instant, or null. */
export function foreignSince(
  versions: readonly ShownVersion[],
  since: Instant,
  isOurs: (version: ShownVersion) => boolean,
): ShownVersion | null {
  return versions.find((version) => version.editedAt >= since && !isOurs(version)) ?? null;
}

/**
 * Since when the text showed a proposal to a comment written at `asOf`; null if it did not. After a foreign version, only a text sealed
 * later than all earlier ones counts, because anyone can restore an old one.
 */
export function shownSince(versions: ProposalText['versions'], asOf: Instant): Instant | null {
  const until = versions.filter(({ editedAt }) => editedAt <= asOf);
  const foreign = until.findIndex(({ shows }) => shows === 'foreign');
  const before = foreign < 0 ? [] : until.slice(foreign);
  const sealedBefore = Math.max(...before.map(({ sealedAt }) => sealedAt ?? 0), 0);
  const end = until.findIndex(({ shows, sealedAt }) => shows !== 'this' || (sealedAt ?? 0) <= sealedBefore);
  const since = (end < 0 ? until : until.slice(0, end)).at(-1)?.editedAt ?? null;
  // Within one second, the order is unknown.
  return since !== null && foreign >= 0 && since >= asOf ? null : since;
}

/** `shownSince` for each open proposal. */
export function showingsAt(
  texts: ProposalTexts,
  asOf: Instant,
): ReadonlyMap<Digest, Observed<Instant | null>> {
  return new Map(
    [...texts].map(([digest, text]) => {
      if (text.kind === 'unknown') return [digest, text];
      return [digest, known(text.value === null ? null : shownSince(text.value.versions, asOf))];
    }),
  );
}

/** Whether ferrybot rewrites an edited text, given when it did so before. */
export function mayRewrite(earlier: readonly number[], now: Instant): boolean {
  return earlier.filter((at) => at > now - limits.textRestoresPeriodMs).length <= TEXT_RESTORES_MAX;
}
