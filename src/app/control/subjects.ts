/** What a batch of triggers concerns: one table of the subjects, each with the triggers that it declares. */

import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { BrokenRun } from '../broken-run.ts';
import { labelledIn, takeUpLabelled } from '../propose/own-pulls.ts';
import { completeProposals, settleRequests } from '../propose/propose.ts';
import type { Record } from '../record-files.ts';
import { contained, EVERYWHERE } from '../trouble.ts';
import { checkpointRecord } from './checkpoint-record.ts';
import { accountChecks, clusterActions, diskIssues, fullDiskAnswers, orphanIssues } from './cluster.ts';
import { branchChecks } from './config-check.ts';
import { concernedRuns } from './reconcile-run.ts';
import { faultySeals } from './report-corrupt-logbook.ts';
import { publishAnswers, threadsWithoutRun } from './thread.ts';
import type { Outcome, Turn, Work } from './turn.ts';

/** `journal`: the journal has entries that the last batch did not see. `moved`: a decision of this batch concerns the threads. */
type Occasion = ReconcileRequest['kind'] | 'journal' | 'moved';

type Subject = {
  readonly on: readonly Occasion[];
  readonly find: (turn: Turn) => readonly Work[];
};

/** A comment concerns its thread; the rest, only if it was recorded in the journal. */
const WIDE = ['journal', 'thread', 'push', 'workflow-ended', 'sweep'] as const;

/** In order: a hold that is recorded in a thread without a run concerns the runs after it. */
const SUBJECTS: readonly Subject[] = [
  // Lanes.
  { on: ['sweep', 'thread'], find: (turn) => everywhere(() => completeProposals(turn.open, turn.troubles)) },
  // Threads without a run.
  { on: ['comment', 'thread'], find: threadsWithoutRun },
  // Runs.
  { on: ['comment', 'remark', 'moved', ...WIDE], find: concernedRuns },
  // Threads that ask for a run or name one.
  {
    on: WIDE,
    find: ({ open, troubles }) => everywhere(async () => ({ moved: await settleRequests(open, troubles) })),
  },
  { on: WIDE, find: (turn) => everywhere(() => takeUp(turn)) },
  { on: ['moved', 'sweep'], find: ({ open, troubles }) => everywhere(() => publishAnswers(open, troubles)) },
  // Clusters.
  { on: WIDE, find: clusterActions },
  { on: ['sweep'], find: accountChecks },
  { on: ['journal', 'sweep'], find: diskIssues },
  { on: WIDE, find: orphanIssues },
  { on: WIDE, find: fullDiskAnswers },
  // The repository.
  { on: ['push'], find: branchChecks },
  {
    on: ['sweep'],
    find: ({ open, troubles }) => everywhere(async () => ({ faults: await faultySeals(open, troubles) })),
  },
  { on: ['sweep'], find: ({ open }) => everywhere(async () => ({ faults: await checkpointRecord(open) })) },
];

function everywhere(reconcile: Work['reconcile']): readonly Work[] {
  return [{ where: EVERYWHERE, reconcile }];
}

async function takeUp({ open, triggers, ownPulls, troubles }: Turn): Promise<Outcome> {
  return { moved: await takeUpLabelled(open, labelledIn(open, triggers), ownPulls, troubles) };
}

/**
 * Reconciles every subject that declared one of the triggers, then the threads that these decisions concern. An error of one subject
 * keeps no other back. `seen`: the record after the last batch.
 */
export async function reconcileSubjects(
  turn: Turn,
  seen: Record | null,
): Promise<{ readonly isOwing: boolean; readonly faults: readonly BrokenRun[] }> {
  const { open, troubles } = turn;
  const outcomes: Outcome[] = [];
  const pass = async (
    triggers: readonly ReconcileRequest[],
    isDue: (on: readonly Occasion[]) => boolean,
  ): Promise<void> => {
    for (const { on, find } of SUBJECTS) {
      if (!isDue(on)) continue;
      const works = await contained(open, troubles, EVERYWHERE, () => find({ ...turn, triggers }));
      for (const { where, reconcile } of works ?? [])
        outcomes.push((await contained(open, troubles, where, async () => reconcile())) ?? {});
    }
  };
  const isJournalNew = (): boolean => open.store.current().journal.head?.hash !== seen?.journal.head?.hash;
  await pass(
    turn.triggers,
    (on) => turn.triggers.some(({ kind }) => on.includes(kind)) || (on.includes('journal') && isJournalNew()),
  );
  const moved = new Set(outcomes.flatMap((one) => one.moved ?? []));
  if (moved.size > 0)
    await pass(
      [...moved].map((thread) => ({ kind: 'thread', thread })),
      (on) => on.includes('moved'),
    );
  return {
    isOwing: outcomes.some((one) => one.isOwing === true),
    faults: outcomes.flatMap((one) => one.faults ?? []),
  };
}
