/** Keeps the one card of an `experiment` issue that has no run: posted once, edited only when what it tells changes. */

import type { CommentFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { markerIdentity, saysTheSame } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { dateOf } from '../../domain/time.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { readThread } from '../../github/thread.ts';
import { ISSUE_CARD_KEY, renderIssueCard } from '../../render/issue-card.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { recordFactsOf } from './gather.ts';
import { perform } from './perform.ts';

/** `past` is the run that the thread had. `comments` need not be all of them: a missing card is looked for in all. */
export async function keepIssueCard(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  past: RunState | null,
): Promise<void> {
  const { lab, config, store } = open;
  const today = dateOf(lab.now());
  const body = renderIssueCard({ config, past, today, ...recordFactsOf(store.current()) });
  const near = cardIn(comments);
  if (near !== null) {
    if (near.marker?.isIntact === true && saysTheSame(near.body, body)) return;
    await perform(open, { kind: 'edit-comment', thread, comment: near.id, body });
    return;
  }
  const whole = await readThread(lab.client, thread, readingOf(lab, config));
  if (whole.kind === 'unknown') {
    lab.log(`thread ${thread}: ${whole.why}`);
    return;
  }
  if (cardIn(whole.value.comments) !== null) return;
  const marker = markerIdentity({ run: 'journal', kind: 'card', key: ISSUE_CARD_KEY });
  await perform(open, { kind: 'post-comment', thread, marker, body, isShared: true });
}

function cardIn(comments: readonly CommentFacts[]): CommentFacts | null {
  return comments.find(({ marker }) => marker?.run === 'journal' && marker.kind === 'card') ?? null;
}

/** ReconcileRequests for the experiment issues that moved lately: the label may have been put on while nobody told us. Null where they could not be listed. */
export async function experimentTriggers(
  { lab }: OpenLab,
  sinceRfc3339: string,
): Promise<readonly ReconcileRequest[] | null> {
  const issues = await listExperimentIssues(lab.client, sinceRfc3339);
  if (issues.kind === 'unknown') {
    lab.log(`experiment issues: ${issues.why}`);
    return null;
  }
  return issues.value
    .filter((issue) => issue.isOpen)
    .slice(0, limits.journalThreadsPerTriggerMax)
    .map(({ number }) => ({ kind: 'thread', thread: number, isExperiment: true }));
}
