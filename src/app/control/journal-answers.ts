/** Posts the answers that the journal records, including answers that a crash or GitHub kept from being posted. */

import { answersByKey, isQuiet } from '../../domain/answer-key.ts';
import type { CommentFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import { readThread } from '../../github/thread.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { renderJournalAnswer } from '../../render/answer.ts';
import { pastOf } from '../../run/history.ts';
import type { OwedComment } from '../../run/outbox.ts';
import { isGivenLater } from '../../run/propose-request.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { contained, inComment, type Trouble } from '../trouble.ts';
import { recordFactsOf } from './gather.ts';
import { sayAmong } from './outbox.ts';

/** Which of the journal's answers this process knows about, by command. */
export type PublishedAnswers = {
  readonly shown: Set<string>;
  /** This process failed to post them, so it does not wait for another one. */
  readonly refused: Set<string>;
};

/** The cache of a process that has published nothing. */
export function noPublishedAnswers(): PublishedAnswers {
  return { shown: new Set(), refused: new Set() };
}

/** Posts answers that no thread is known to show. A new process reads each thread with an answer of the last day once. */
export async function publishAnswers(
  open: OpenLab,
  told: PublishedAnswers,
  troubles: Trouble[],
): Promise<void> {
  const owed = [...open.store.current().journal.commands.values()].filter((command) =>
    isOwed(command, told, open.lab.now()),
  );
  const threads = [...Map.groupBy(owed.toReversed(), (command) => command.thread).keys()];
  for (const thread of threads.slice(0, limits.journalThreadsPerTriggerMax)) {
    await contained(open, troubles, { run: JOURNAL, thread }, async () => {
      const since = after(open.lab.now(), -limits.sweepLookbackMs);
      const read = await readThread(open.lab.client, thread, readingOf(open.lab, open.config), since);
      if (read.kind === 'known') await publishAnswersIn(open, thread, read.value.comments, told, troubles);
      else open.lab.log(`thread ${thread}: ${read.why}`);
    });
  }
}

/** Only one process answers a `/propose` or an adoption. Other answers first belong to the process that recorded them. */
function isOwed(command: SeenCommand, { shown, refused }: PublishedAnswers, nowMs: number): boolean {
  const key = commandKey(command);
  if (command.answer === null || isQuiet(command) || shown.has(key)) return false;
  const ageMs = nowMs - (fromRfc3339(command.answer.at) ?? 0);
  const isOurs = isGivenLater(command) || refused.has(key);
  return ageMs < limits.overLookMs && (isOurs || ageMs >= limits.publishGraceMs);
}

/** Posts the journal's answers that this thread lacks. Failures are retried at the next sweep. */
export async function publishAnswersIn(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  told: PublishedAnswers,
  troubles: Trouble[],
): Promise<void> {
  const nowMs = open.lab.now();
  const recent = [...open.store.current().journal.commands.values()].filter(
    ({ thread: where, answer, at }) =>
      where === thread && answer !== null && nowMs - (fromRfc3339(at) ?? 0) < limits.sweepLookbackMs,
  );
  for (const [key, commands] of answersByKey(recent)) {
    if (commands.every(isQuiet)) continue;
    const [first] = commands;
    if (first === undefined) continue;
    const where = inComment(open, thread, { surface: first.surface, id: first.comment });
    const said = await contained(open, troubles, where, () =>
      sayAmong(open, owedAnswer(open, thread, key, commands), comments),
    );
    const known = said?.kind === 'stands' ? told.shown : told.refused;
    for (const command of commands) known.add(commandKey(command));
  }
}

function owedAnswer(
  { store, config, lab }: OpenLab,
  thread: number,
  key: string,
  commands: readonly SeenCommand[],
): OwedComment {
  const { recordedRuns } = recordFactsOf(store.current());
  // Another process may be posting an older answer right now.
  const isFresh = commands.some(
    ({ answer }) => lab.now() - (fromRfc3339(answer?.at ?? '') ?? 0) < limits.publishGraceMs,
  );
  return {
    thread,
    marker: markerIdentity({ run: 'journal', kind: 'answer', key }),
    body: renderJournalAnswer(key, commands, pastOf(recordedRuns, config.lanes)),
    ...(isFresh ? { isOursAlone: true } : {}),
  };
}
