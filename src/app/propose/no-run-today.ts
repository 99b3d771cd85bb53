/** Tells people, where they look, why a lane gets no run on a day of its schedule. */

import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { runsOfLane } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { readThread } from '../../github/thread.ts';
import { nothingDueMarker, renderNothingDue } from '../../render/notice.ts';
import { blockedNotice } from '../../run/decide-notices.ts';
import { type Nothing, notDone, type ProposeOutcome } from '../../run/proposing.ts';
import { approversThread } from '../../run/publications.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { laneIssueWithoutRuns } from './lane-issue.ts';

/** Records in the run that stands in the way that people are to be told; whoever publishes for control says it. */
export async function recordBlocked(
  { lab, config, store }: OpenLane,
  blocking: RunState,
  date: string,
): Promise<ProposeOutcome> {
  const { run } = blocking;
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const state = store.current().runs.find((one) => one.run === run);
    const draft = state === undefined ? null : blockedNotice(state, config, date);
    if (draft === null) return { kind: 'already', run };
    const result = await store.append(run, [draft], lab.now());
    if (result.kind === 'appended') return { kind: 'already', run };
    if (result.kind === 'refused') return { kind: 'failed', code: 'unreadable', why: result.message };
    if (result.kind === 'failed') return { kind: 'failed', code: 'not-written', why: result.message };
    await store.load();
  }
  return { kind: 'failed', code: 'unreadable', why: 'the logbook kept moving' };
}

/** Says in a thread why nothing is due; once a day, however often the workflow is started. */
export async function tellNothing(open: OpenLane, nothing: Nothing, date: string): Promise<ProposeOutcome> {
  const { lab, config } = open;
  const lane = config.laneName;
  const thread = await threadOf(open);
  if (typeof thread !== 'number') return thread;
  const marker = markerIdentity(nothingDueMarker({ lane, date }));
  const midnight = fromRfc3339(`${date}T00:00:00Z`);
  const read = await readThread(lab.client, thread, readingOf(lab, config), midnight);
  if (read.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: read.why };
  const isSaid = read.value.comments.some(
    (one) => one.marker !== null && markerIdentity(one.marker) === marker,
  );
  if (isSaid) return nothing;
  const body = renderNothingDue({ lane, date, code: nothing.code, why: nothing.why });
  const outcome = await perform(open, { kind: 'post-comment', thread, marker, body, isShared: true });
  return outcome.kind === 'done' ? nothing : notDone('the comment that nothing is due', outcome);
}

/** The thread of the lane's last run; an issue of the lane's own before there is one. */
async function threadOf(open: OpenLane): Promise<number | ProposeOutcome> {
  const lane = open.config.laneName;
  const last = runsOfLane(open.store.current().runs, lane)
    .toSorted((a, b) => a.proposedAt.localeCompare(b.proposedAt))
    .at(-1);
  if (last !== undefined) return approversThread(last);
  return laneIssueWithoutRuns(open);
}
