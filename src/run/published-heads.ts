/** Record anchors in posted comments. */

import type { CommentFacts } from '../domain/facts.ts';
import { branded, isRunId, type RunId } from '../domain/values.ts';
import type { Anchor } from '../logbook/chain.ts';

export type PublishedHead = { readonly run: RunId; readonly anchor: Anchor; readonly thread: number };

/** The newest record anchor (entry and hash) of each run in verified comments, to detect a truncated record (architecture, D1). */
export function publishedHeads(comments: readonly CommentFacts[]): readonly PublishedHead[] {
  const told = comments.flatMap((comment) => {
    const { marker } = comment;
    const head = /^(\d{1,9}):([0-9a-f]{12,64})$/.exec(marker?.fields['head'] ?? '');
    if (marker === null || head === null || !isRunId(marker.run)) return [];
    const anchor = { seq: Number(head[1]), hash: head[2] ?? '' };
    return [{ run: branded(marker.run, isRunId), anchor, thread: comment.thread }];
  });
  return [...Map.groupBy(told, ({ run }) => run).values()].flatMap((ofRun) =>
    ofRun.toSorted((a, b) => b.anchor.seq - a.anchor.seq).slice(0, 1),
  );
}
