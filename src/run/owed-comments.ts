/** Comments that the record requires and the threads do not have yet. */

import type { CommentFacts } from '../domain/facts.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { knownEntry, markerIdentity, saysForControl } from '../domain/marker.ts';
import { type Publication, publicationsOf } from './publications.ts';

export type OwedPublication = Publication & { readonly marker: string };

export type WordsOf = (publication: Publication) => string;

/**
 * `wordsOf` is set if control asks: its own events need control's seal or exactly its text. Null for other processes, which accept any
 * verified text.
 */
export function owedComments(
  state: RunState,
  comments: readonly CommentFacts[],
  wordsOf: WordsOf | null,
): readonly OwedPublication[] {
  const standing = Map.groupBy(comments, ({ marker }) => (marker === null ? null : markerIdentity(marker)));
  return publicationsOf(state)
    .map((one) => ({ ...one, marker: markerIdentity({ run: state.run, kind: one.kind, key: one.key }) }))
    .filter((one) => !(standing.get(one.marker) ?? []).some((comment) => tells(comment, one, wordsOf)));
}

/** Entry numbers are predictable, contents are not: a text older than its entry cannot report it. */
function tells({ marker, body }: CommentFacts, publication: Publication, wordsOf: WordsOf | null): boolean {
  if (marker === null || knownEntry(marker) < publication.seq) return false;
  if (wordsOf === null || publication.role !== 'control') return true;
  return marker.role === 'control' || saysForControl(marker, body, wordsOf(publication));
}
