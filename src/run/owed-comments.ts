/** What of the comments that a record asks for its threads do not show yet, and which of the texts that stand there count for it. */

import type { CommentFacts } from '../domain/facts.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { knownEntry, markerIdentity, saysForControl } from '../domain/marker.ts';
import { type Publication, publicationsOf } from './publications.ts';

export type OwedPublication = Publication & { readonly marker: string };

/** What would be said of an entry. */
export type WordsOf = (publication: Publication) => string;

/**
 * The comments that are owed. `wordsOf` where control asks: what it recorded itself it says itself, unless another key has
 * said it in its very words; null: whoever else asks leaves it at what stands.
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

/** Anybody can foretell an entry's number, and nobody what it says: a text from before it stood has not told of it. */
function tells({ marker, body }: CommentFacts, publication: Publication, wordsOf: WordsOf | null): boolean {
  if (marker === null || knownEntry(marker) < publication.seq) return false;
  if (wordsOf === null || publication.role !== 'control') return true;
  return marker.role === 'control' || saysForControl(marker, body, wordsOf(publication));
}
