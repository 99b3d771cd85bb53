/** Tells maintainers that a thread which somebody had locked is open since ferrybot wrote in it. */

import type { Effect } from '../domain/effect.ts';
import { limits } from '../domain/limits.ts';
import { markerIdentity } from '../domain/marker.ts';
import { comment } from './comment.ts';
import { inlineText } from './escape.ts';
import { paragraphs } from './words.ts';

/** `atMs`: when it was left open, so that each time is told. */
export type LeftOpen = { readonly thread: number; readonly atMs: number; readonly why: string };

/** The comment, which the thread takes while it is open. */
export function leftOpenNotice({ thread, atMs, why }: LeftOpen): Extract<Effect, { kind: 'post-comment' }> {
  const marker = { run: 'journal', kind: 'notice', key: `left-open-${thread}-${atMs}`, fields: {} } as const;
  const body = comment(
    marker,
    paragraphs(
      '**This thread was locked, and is open now.** It was opened to write here, since GitHub takes no word of an App or a workflow in a locked thread, and GitHub did not take the lock back.',
      `What it said: ${inlineText(why, limits.shownTextCharsMax)}. Whoever may write can lock the thread again.`,
    ),
  );
  const summons = { people: [], permission: 'maintain' } as const;
  return { kind: 'post-comment', thread, marker: markerIdentity(marker), body, summons };
}
