/** Posts the answers that the journal records, including answers that a crash or GitHub kept from being posted. */

import { answersByKey, isQuiet } from '../../domain/answer-key.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import type { SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { readThread } from '../../github/thread.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { renderJournalAnswer } from '../../render/answer.ts';
import { pastOf } from '../../run/history.ts';
import { isShared, mayPost } from '../../run/outbox.ts';
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
  const { lanes } = open.config;
  const { recordedRuns } = recordFactsOf(open.store.current());
  for (const { key, commands, first, ...owed } of owedAnswers(open, limits.sweepLookbackMs)) {
    if (owed.thread !== thread) continue;
    const where = inComment(open, thread, { surface: first.surface, id: first.comment });
    await contained(open, troubles, where, () => {
      const body = renderJournalAnswer(key, commands, pastOf(recordedRuns, lanes));
      return sayAmong(open, { ...owed, body }, comments);
    });
  }
}

type OwedAnswer = {
  readonly thread: number;
  readonly marker: string;
  readonly isOursAlone: boolean;
  readonly key: string;
  readonly commands: readonly SeenCommand[];
  readonly first: SeenCommand;
};

/** Answers that are not older than this, and that this process may post. */
function owedAnswers({ lab, store }: OpenLab, ageMs: number): readonly OwedAnswer[] {
  const now = lab.now();
  const poster = { appended: store.appended(JOURNAL) };
  const answered = [...store.current().journal.commands.values()].filter(({ answer }) => answer !== null);
  return [...answersByKey(answered)].flatMap(([key, commands]) => {
    const [first] = commands;
    const answers = commands.flatMap(({ answer }) => answer ?? []);
    const isOwed = answers.some(
      (answer) =>
        now - (fromRfc3339(answer.at) ?? 0) < ageMs && mayPost({ ...answer, role: 'control' }, poster, now),
    );
    if (first === undefined || !isOwed || commands.every(isQuiet)) return [];
    const isOursAlone = answers.some((answer) => !isShared(answer, poster, now));
    const marker = markerIdentity({ run: 'journal', kind: 'answer', key });
    return [{ thread: first.thread, marker, isOursAlone, key, commands, first }];
  });
}
