/**
 * Whether what people were shown stayed as we wrote it, for every text that an approval or a consent rests on: by the edit
 * history, since whoever may write can change a text and put the old one back (docs/decisions/0032-what-was-shown.md).
 */

import type { ProposalText, ProposalTexts, ShownVersion } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Incident, IncidentOf } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed } from '../domain/observed.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';

/**
 * So often within the period a text that somebody else changed is written anew: two mistakes and a third are told from
 * somebody who goes on, and one text costs a handful of GitHub's 500 content writes an hour.
 */
export const TEXT_RESTORES_MAX = 3;

/** How a text was changed, as an incident says it, and by whom where GitHub tells. */
export type TextChange = {
  readonly how: 'edited' | 'deleted' | 'hidden' | 'restored' | 'history';
  readonly by: string | null;
};

type Edit = Pick<ShownVersion, 'editedAt' | 'isDeleted' | 'by'>;

/** The newest version since a moment that is not ours; null where every one is. */
export function foreignSince<Version extends Edit>(
  versions: readonly Version[],
  since: Instant,
  isOurs: (version: Version) => boolean,
): Version | null {
  return versions.find((version) => version.editedAt >= since && !isOurs(version)) ?? null;
}

/** What a version that is not ours says about the text: it stands there now, or stood there before. */
export function changeBy(foreign: Edit, isStanding: boolean): TextChange {
  if (foreign.isDeleted) return { how: 'history', by: foreign.by };
  return { how: isStanding ? 'edited' : 'restored', by: foreign.by };
}

/**
 * Since when a text has shown a proposal to whoever wrote at a moment; null where it did not. After a version of somebody
 * else's only a text counts that we sealed later than all that stood there before it: an older one is put back by anybody.
 */
export function shownSince({ versions }: ProposalText, asOf: Instant): Instant | null {
  const until = versions.filter(({ editedAt }) => editedAt <= asOf);
  const foreign = until.findIndex(({ shows }) => shows === 'foreign');
  const before = foreign < 0 ? [] : until.slice(foreign);
  const sealedBefore = Math.max(...before.map(({ sealedAt }) => sealedAt ?? 0), 0);
  const end = until.findIndex(({ shows, sealedAt }) => shows !== 'this' || (sealedAt ?? 0) <= sealedBefore);
  const since = (end < 0 ? until : until.slice(0, end)).at(-1)?.editedAt ?? null;
  // Within one second nobody can tell whether the other text or ours was read.
  return since !== null && foreign >= 0 && since >= asOf ? null : since;
}

/** The same of each proposal that is open: what a consent written at that moment may rest on. */
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

/**
 * What an incident about one more edit says beside what happened: how many there were within the hour, and until when the
 * text is not written anew where there were too many, so that whoever goes on editing costs a bounded number of writes.
 */
export function editsOf(
  earlier: readonly Incident[],
  now: Instant,
): { readonly edits: number; readonly until?: string } {
  const since = now - limits.textRestoresPeriodMs;
  const edits = earlier.filter(({ at }) => (fromRfc3339(at) ?? 0) > since).length + 1;
  if (edits <= TEXT_RESTORES_MAX) return { edits };
  return { edits, until: toRfc3339(after(now, limits.textRestoresPeriodMs)) };
}

/** Until when a text is left as it is, by the newest incident about it; null where it may be written anew. */
export function leftUntil(
  edits: readonly IncidentOf<'card-edited' | 'proposal-edited'>[],
  now: Instant,
): string | null {
  const until = edits.at(-1)?.detail.until;
  if (until === undefined) return null;
  return now < (fromRfc3339(until) ?? 0) ? until : null;
}

/** Edits of one text within an hour are told by the first, and by the one after which it is left as it is. */
export function isEditTold(incident: Incident): boolean {
  if (incident.code !== 'card-edited' && incident.code !== 'proposal-edited') return true;
  const { edits, until } = incident.detail;
  return edits === undefined || edits === 1 || until !== undefined;
}
