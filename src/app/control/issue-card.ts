/** Keeps the card of an `experiment` issue without a run: posted once, edited only when its content changes. */

import type { CommentFacts } from '../../domain/facts.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { dateOf } from '../../domain/time.ts';
import { ISSUE_CARD_KEY, renderIssueCard } from '../../render/issue-card.ts';
import { standingComment } from '../../run/outbox.ts';
import type { OpenLab } from '../open-lab.ts';
import { say, sayAmong } from '../outbox.ts';
import { recordFactsOf } from './gather.ts';

/** `past` is the thread's ended run. If `comments` lack the card, the whole thread is read. */
export async function keepIssueCard(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  past: RunState | null,
): Promise<void> {
  const { lab, config, store } = open;
  const today = dateOf(lab.now());
  const body = renderIssueCard({ config, past, today, ...recordFactsOf(store.current()) });
  const marker = markerIdentity({ run: 'journal', kind: 'card', key: ISSUE_CARD_KEY });
  const owed = { thread, marker, body, isKept: true } as const;
  const said =
    standingComment(comments, owed) === null ? await say(open, owed) : await sayAmong(open, owed, comments);
  if (said.kind === 'unsaid') lab.log(`the card of thread ${thread}: ${said.why}`);
}
