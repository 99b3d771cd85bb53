/** Runs that are there and were not read, since of so many the oldest are not: that one of them is not held is no loss. */

import type { Sha } from '../domain/ids.ts';
import type { Anchor } from '../logbook/ports.ts';
import { runsToRead } from '../logbook/runs-to-read.ts';
import { readEvents } from '../logbook/store/stored-runs.ts';
import { type Checking, goodOf } from './record-check.ts';

/** Whether a run that is not held is older than what is read, or has the entry in its file all the same. */
export async function isUnread(
  checking: Checking,
  head: Sha | null,
  run: string,
  { seq, hash }: Anchor,
): Promise<boolean> {
  const { marks, git } = checking;
  if (marks.some(({ mark }) => mark.run === run)) return !runsToRead([], marks).includes(run);
  const texts = head === null ? [] : await readEvents(git, head, run);
  return goodOf(checking, run, texts).events[seq]?.hash.startsWith(hash) === true;
}
