/**
 * Checks by edit history whether a shown text stayed as ferrybot wrote it, because an editor can change it and restore it
 * (docs/decisions/0032-what-was-shown.md).
 */

import type { ProposalText, ProposalTexts, ShownVersion } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Incident, IncidentOf } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed } from '../domain/observed.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';

/** Rewrites of a foreign-edited text per period: tolerates mistakes and bounds GitHub writes. */
export const TEXT_RESTORES_MAX = 3;

/** The kind of change, and the editor if known. */
export type TextChange = {
  readonly how: 'edited' | 'deleted' | 'hidden' | 'restored' | 'history';
  readonly by: string | null;
};

type Edit = Pick<ShownVersion, 'editedAt' | 'isDeleted' | 'by'>;

/** The newest foreign version since an instant, or null. */
export function foreignSince<Version extends Edit>(
  versions: readonly Version[],
  since: Instant,
  isOurs: (version: Version) => boolean,
): Version | null {
  return versions.find((version) => version.editedAt >= since && !isOurs(version)) ?? null;
}

/** Classifies a foreign version: current, or replaced since. */
export function changeBy(foreign: Edit, isStanding: boolean): TextChange {
  if (foreign.isDeleted) return { how: 'history', by: foreign.by };
  return { how: isStanding ? 'edited' : 'restored', by: foreign.by };
}

/**
 * Since when the text showed a proposal to a comment written at `asOf`; null if it did not. After a foreign version, only a text sealed
 * later than all earlier ones counts, because anyone can restore an old one.
 */
export function shownSince({ versions }: ProposalText, asOf: Instant): Instant | null {
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
      return [digest, known(text.value === null ? null : shownSince(text.value, asOf))];
    }),
  );
}

/** Number of edits in the period and, above the limit, until when ferrybot stops rewriting the text. */
export function editsOf(
  earlier: readonly Incident[],
  now: Instant,
): { readonly edits: number; readonly until?: string } {
  const since = now - limits.textRestoresPeriodMs;
  const edits = earlier.filter(({ at }) => (fromRfc3339(at) ?? 0) > since).length + 1;
  if (edits <= TEXT_RESTORES_MAX) return { edits };
  return { edits, until: toRfc3339(after(now, limits.textRestoresPeriodMs)) };
}

/** Until when a text is not rewritten, or null. */
export function leftUntil(
  edits: readonly IncidentOf<'card-edited' | 'proposal-edited'>[],
  now: Instant,
): string | null {
  const until = edits.at(-1)?.detail.until;
  if (until === undefined) return null;
  return now < (fromRfc3339(until) ?? 0) ? until : null;
}

/** Posts only the first edit of a period and the one that reaches the limit. */
export function isEditTold(incident: Incident): boolean {
  if (incident.code !== 'card-edited' && incident.code !== 'proposal-edited') return true;
  const { edits, until } = incident.detail;
  return edits === undefined || edits === 1 || until !== undefined;
}
