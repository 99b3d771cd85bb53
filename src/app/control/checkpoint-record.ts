/** The monthly checkpoint of the record: finds what was rewritten of runs that no process reads any more, and covers what has ended since. */

import type { CheckpointedRun } from '../../domain/logbook/events/record-events.ts';
import { toRfc3339 } from '../../domain/values.ts';
import { transactJournal } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { type Mark, markName } from '../../logbook/mark.ts';
import { monthOf } from '../../logbook/segments.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';
import { rewrittenOf } from '../record-check.ts';

/**
 * In a month without a checkpoint: reads every run that is over, records a checkpoint without those that are not as they
 * ended, and deletes the marks that no process needs any more. Returns what was rewritten. Throws `GitError`.
 */
export async function checkpointRecord(open: OpenLab): Promise<readonly BrokenRun[]> {
  const { store, lab } = open;
  const { head, journal, broken } = store.current();
  const marks = store.marks();
  const before = journal.checkpoint;
  const fresh = newestOf(marks.filter(({ run }) => run !== JOURNAL && before?.ended.has(run) !== true));
  const since = before?.at ?? fresh.map(({ began }) => began).toSorted()[0];
  const isDue = since !== undefined && monthOf(since) < monthOf(toRfc3339(lab.now()));
  if (!isDue || head === null || broken.some(({ run }) => run === JOURNAL)) return [];
  const launched = new Set([
    ...marks.filter(({ role }) => role === 'runner').map(({ run }) => run),
    ...(before?.live.filter((one) => one.launched).map(({ run }) => run as string) ?? []),
  ]);
  const runAt = ({ run, began, seq, hash }: Mark): CheckpointedRun => ({
    ...{ run: run as CheckpointedRun['run'], began, seq, hash },
    launched: launched.has(run),
  });
  const over = fresh.filter((mark) => mark.over === true).map(runAt);
  const ended = [...(before?.ended.values() ?? []), ...over];
  const lost = await rewrittenOf(open, head, ended);
  const data = {
    ended: over.filter((run) => !lost.includes(run)),
    live: [
      ...fresh.filter((mark) => mark.over !== true).map(runAt),
      // Somebody deleted every mark of these.
      ...(before?.live.filter(({ run }) => fresh.every((mark) => mark.run !== run)) ?? []),
    ],
  };
  const recorded = await transactJournal(open, ({ checkpoint }) =>
    checkpoint?.at === before?.at ? [{ type: 'record-checkpointed', role: 'control', data }] : [],
  );
  if (recorded.kind === 'recorded') await deleteMarks(open, marks, recorded.seqs.get(JOURNAL)?.[0] ?? 0);
  const thread = store.current().runs[0]?.proposal.pull ?? null;
  return lost.map(({ run, seq, hash }) => ({
    run,
    fault: { kind: 'entry-missing', seq, hash },
    state: null,
    thread,
  }));
}

/** Of each run the mark of its last entry. */
function newestOf(marks: readonly Mark[]): readonly Mark[] {
  const found = new Map<string, Mark>();
  for (const mark of marks) if ((found.get(mark.run)?.seq ?? -1) < mark.seq) found.set(mark.run, mark);
  return [...found.values()];
}

/** Deletes the marks of the finished runs that the checkpoint covers, and the journal's own from before it. */
async function deleteMarks({ git, store, lab }: OpenLab, marks: readonly Mark[], seq: number): Promise<void> {
  const ended = store.current().journal.checkpoint?.ended;
  const old = marks.filter(({ run, seq: at }) => (run === JOURNAL ? at < seq : ended?.has(run) === true));
  const refused = await git.deleteTags(old.map(markName));
  if (refused !== null) lab.log(`marks that a checkpoint covers could not be deleted: ${refused}`);
}
