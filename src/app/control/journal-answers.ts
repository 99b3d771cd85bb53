/** Posts the answers that the journal records, including answers that a crash or GitHub kept from being posted. */

import { answersByKey } from '../../domain/answer-key.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { readThread } from '../../github/thread.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { renderJournalAnswer } from '../../render/answer.ts';
import { pastOf } from '../../run/history.ts';
import { isShared, mayPost, type OwedComment } from '../../run/outbox.ts';
import { answersOf } from '../../run/publications.ts';
import type { OpenLab } from '../open-lab.ts';
import { isPosted, sayAmong } from '../outbox.ts';
import { readingOf } from '../reading.ts';
import { contained, inComment, type Trouble } from '../trouble.ts';
import { recordFactsOf } from './gather.ts';

/** Posts answers that no thread is known to show. A new process reads each thread with an answer of the last day once. */
export async function publishAnswers(open: OpenLab, troubles: Trouble[]): Promise<void> {
  const now = open.lab.now();
  const owed = owedAnswers(open, limits.overLookMs).filter((one) => !isPosted(open, one));
  const threads = [...new Set(owed.map(({ thread }) => thread))].toReversed();
  for (const thread of threads.slice(0, limits.journalThreadsPerTriggerMax)) {
    await contained(open, troubles, { run: JOURNAL, thread }, async () => {
      const since = after(now, -limits.sweepLookbackMs);
      const read = await readThread(open.lab.client, thread, readingOf(open.lab, open.config), since);
      if (read.kind === 'known') await publishAnswersIn(open, thread, read.value.comments, troubles);
      else open.lab.log(`thread ${thread}: ${read.why}`);
    });
  }
}

/** Posts the journal's answers that this thread lacks. Failures are retried at the next sweep. */
export async function publishAnswersIn(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  troubles: Trouble[],
): Promise<void> {
  const { journal } = open.store.current();
  const { recordedRuns } = recordFactsOf(open.store.current());
  const byKey = answersByKey(journal.commands.values());
  for (const owed of owedAnswers(open, limits.sweepLookbackMs)) {
    const commands = byKey.get(owed.key) ?? [];
    const [first] = commands;
    if (owed.thread !== thread || first === undefined) continue;
    const where = inComment(open, thread, { surface: first.surface, id: first.comment });
    await contained(open, troubles, where, () => {
      const body = renderJournalAnswer(owed.key, commands, pastOf(recordedRuns, open.config.lanes));
      return sayAmong(open, { ...owed, body }, comments);
    });
  }
}

/** Answers that are not older than this, and that this process may post. */
function owedAnswers(
  { lab, store }: OpenLab,
  ageMs: number,
): readonly (Omit<OwedComment, 'body'> & { readonly key: string })[] {
  const now = lab.now();
  const poster = { appended: store.appended(JOURNAL) };
  return answersOf(store.current().journal.commands)
    .filter((one) => now - (fromRfc3339(one.at) ?? 0) < ageMs && mayPost(one, poster, now))
    .map((one) => ({
      key: one.key,
      thread: one.thread,
      marker: markerIdentity({ run: 'journal', kind: 'answer', key: one.key }),
      isOursAlone: !isShared(one, poster, now),
    }));
}
