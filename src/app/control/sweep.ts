/** The sweep: comments that were written while nobody told us, found by time and held against what was answered. */

import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { after, fromRfc3339, toRfc3339 } from '../../domain/time.ts';
import type { Wake } from '../../domain/wake.ts';
import { listNewComments } from '../../github/new-comments.ts';
import { wantsAnswer } from '../../run/pending-commands.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Record } from '../record.ts';

/** Wakes for every comment with a slash word that the record does not know; null where the list could not be read. */
export async function sweptWakes(open: OpenLab, sweptAt: number | null): Promise<readonly Wake[] | null> {
  const { lab, keeper, config } = open;
  const since = sinceOf(keeper.current(), sweptAt, lab.now());
  const found = await listNewComments(lab.client, toRfc3339(since), limits.sweepPagesMax);
  if (found.kind === 'unknown') {
    lab.log(`sweep: ${found.why}`);
    return null;
  }
  const known = knownComments(keeper.current());
  return found.value
    .filter(
      (comment) => !comment.isBot && !known.has(comment.id) && wantsAnswer(comment.body, config.otherBots),
    )
    .map((comment) => ({
      kind: 'comment',
      surface: 'comment',
      comment: comment.id,
      thread: comment.thread,
      hasSlash: true,
    }));
}

/** A process that has swept goes on from there; a fresh one from the newest record, which every answer leaves behind. */
function sinceOf(record: Record, sweptAt: number | null, now: Instant): Instant {
  if (sweptAt !== null) return after(sweptAt as Instant, -limits.sweepSlackMs);
  const heads = [
    ...record.runs.map((run) => run.head.at),
    ...(record.journal.head === null ? [] : [record.journal.head.at]),
  ];
  const newest = Math.max(0, ...heads.map((at) => fromRfc3339(at) ?? 0));
  const lookback = now - limits.sweepLookbackMs;
  return after(Math.min(newest === 0 ? lookback : newest, lookback) as Instant, 0);
}

/** Comments whose commands stand in the record already, in a run or in the journal. */
function knownComments(record: Record): ReadonlySet<number> {
  const all = [
    ...record.runs.flatMap((run) => [...run.commands.values()]),
    ...record.journal.commands.values(),
  ];
  return new Set(all.filter((command) => command.answer !== null).map((command) => command.comment));
}
