/** Whether a text shows a proposed change of a cluster as ferrybot wrote it: what a person may consent from. */

import { bindingHex } from '../domain/approval-binding.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import { markerIdentity, type VerifiedMarker } from '../domain/marker.ts';

export type StandingWords = {
  readonly body: string;
  readonly marker: VerifiedMarker | null;
  /** First part of the marker that the text of this proposal has. */
  readonly identity: string;
  /** Digest of the words that control would write; null where nobody else writes them. */
  readonly words: string | null;
};

/**
 * `this`: sealed for its place, as it was written, and it names the proposal. The key that only watches may say what control
 * would say, and nothing else: it shows nobody what to consent to.
 */
export function shownIn(
  { digest }: Pick<MutationRecord, 'digest'>,
  { body, marker, identity, words }: StandingWords,
): 'this' | 'other' | 'foreign' {
  if (marker === null || !marker.isIntact || markerIdentity(marker) !== identity) return 'foreign';
  if (marker.role !== 'control' && marker.text !== words) return 'foreign';
  return body.includes(bindingHex(digest)) ? 'this' : 'other';
}
