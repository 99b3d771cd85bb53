/** What our own cards say about the record: the newest entry that was known when the card was written (architecture, D1). */

import type { CommentFacts } from '../../domain/facts.ts';
import { branded, isRunId, type RunId } from '../../domain/ids.ts';
import type { Anchor } from '../../logbook/ports.ts';
import { readMarker } from '../../render/marker.ts';

export type CardAnchor = { readonly run: RunId; readonly anchor: Anchor; readonly thread: number };

/** The anchors of all cards among the comments. A card is believed only where ferrybot itself wrote it. */
export function cardAnchors(comments: readonly CommentFacts[]): readonly CardAnchor[] {
  return comments.flatMap((comment) => {
    const marker = comment.byUs ? readMarker(comment.body) : null;
    const head = /^(\d{1,9}):([0-9a-f]{12,64})$/.exec(marker?.fields['head'] ?? '');
    if (marker === null || marker.kind !== 'card' || head === null || !isRunId(marker.run)) return [];
    const anchor = { seq: Number(head[1]), hash: head[2] ?? '' };
    return [{ run: branded(marker.run, isRunId), anchor, thread: comment.thread }];
  });
}
