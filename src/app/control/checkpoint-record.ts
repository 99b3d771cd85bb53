/** The monthly checkpoint of the record: finds what was rewritten of runs that no process reads any more, and covers what has ended since. */

import type { Sha } from '../../domain/ids.ts';
import type { CheckpointedRun } from '../../domain/logbook/events/record-events.ts';
import { toRfc3339 } from '../../domain/time.ts';
import { type Mark, markName } from '../../logbook/mark.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { runsToRead } from '../../logbook/runs-to-read.ts';
import { folderOf, monthIn, monthOf } from '../../logbook/segments.ts';
import { NOT_STORED, storedRuns, textsOf } from '../../logbook/store/stored-runs.ts';
import { transactJournal } from '../../logbook/transact.ts';
import { verifyLogbook } from '../../logbook/verify.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';

/** Runs whose files are read at once: some megabytes. */
const RUNS_READ_AT_ONCE = 64;

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
  const over = fresh.filter((mark) => mark.over === true).map(runAt);
  const ended = [...(before?.ended.values() ?? []), ...over];
  const lost = await rewrittenOf(open, head, ended);
  const data = {
    ended: over.filter((run) => !lost.includes(run)),
    live: fresh.filter((mark) => mark.over !== true).map(runAt),
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

function runAt({ run, began, seq, hash }: Mark): CheckpointedRun {
  return { run: run as CheckpointedRun['run'], began, seq, hash };
}

/** The runs whose files are not what the chain of this last entry has. The entry is signed, so no other signature is read. */
async function rewrittenOf(
  { git, lab }: OpenLab,
  head: Sha,
  runs: readonly CheckpointedRun[],
): Promise<readonly CheckpointedRun[]> {
  const found: CheckpointedRun[] = [];
  for (let at = 0; at < runs.length; at += RUNS_READ_AT_ONCE) {
    const some = runs.slice(at, at + RUNS_READ_AT_ONCE);
    const folders = some.map(({ run, began }) => folderOf(run, began));
    const stored = await storedRuns(git, head, folders);
    const texts = await textsOf(
      git,
      [...stored.values()].flatMap(({ events }) => events),
    );
    for (const [index, run] of some.entries()) {
      const folder = folders[index] ?? '';
      const { events } = stored.get(folder) ?? NOT_STORED;
      const [text = '', ...next] = events.map((file) => texts.get(file) ?? '');
      const { bad } = verifyLogbook({
        ...{ text, next, run: run.run, month: monthIn(folder), anchor: run },
        ...{ keys: null, undecodableLine: null, hash: lab.hash, verifySignature: null },
      });
      if (bad !== null) found.push(run);
    }
  }
  return found;
}

/** Deletes the marks of runs that are covered and that no process reads, and the journal's own from before the checkpoint. */
async function deleteMarks({ git, store, lab }: OpenLab, marks: readonly Mark[], seq: number): Promise<void> {
  const ended = store.current().journal.checkpoint?.ended;
  const read = new Set(
    runsToRead(
      [],
      marks.map((mark) => ({ mark })),
    ),
  );
  const old = marks.filter(({ run, seq: at }) =>
    run === JOURNAL ? at < seq : ended?.has(run) === true && !read.has(run),
  );
  const refused = await git.deleteTags(old.map(markName));
  if (refused !== null) lab.log(`marks that a checkpoint covers could not be deleted: ${refused}`);
}
