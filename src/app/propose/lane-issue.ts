/** Keeps the one issue of a lane: opened when there is something to tell, written when what it tells has changed. */

import { launchesOf, rentedMoneyOf } from '../../domain/launch/spending.ts';
import { limits } from '../../domain/limits.ts';
import { isOver, runsOfLane } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import {
  laneIssueMarker,
  laneIssueTitle,
  renderLaneHistory,
  renderLaneWithoutRuns,
} from '../../render/lane-history.ts';
import { historyOf } from '../../run/lane-history.ts';
import type { Failed } from '../../run/proposing.ts';
import type { OwedIssue } from '../../run/publications.ts';
import type { OpenLane } from '../open-lab.ts';
import { keepIssue, openIssue } from '../outbox.ts';

/** Label by which the issues are found again: nothing else has it, so that they never stand behind a hundred others. */
export const LANE_LABEL = 'ferrybot-lane';

/** Opens the issue of a lane that has had no run, or adopts the one that is there. */
export async function laneIssueWithoutRuns(open: OpenLane): Promise<number | Failed> {
  const { laneName } = open.config;
  const { marker, title, label } = issueOf(laneName);
  const body = renderLaneWithoutRuns(laneName);
  return openIssue(open, 'the issue of the lane', { marker, title, body, labels: [label] });
}

/**
 * Brings the issue to what the record tells of runs that are over. One request where nothing has changed, and none before
 * the first of them; a record of which a part does not verify says nothing new.
 */
export async function keepLaneHistory(open: OpenLane): Promise<void> {
  const { lab, store, config } = open;
  const { runs, broken } = store.current();
  const lane = config.laneName;
  const over = runsOfLane(runs, lane).filter(isOver);
  if (broken.length > 0 || over.length === 0) return;
  const keys = config.lane.metrics.map(({ key }) => key);
  const rows = historyOf(over, { lane, most: limits.historyRows, keys });
  const rented = over.flatMap((state) => rentedMoneyOf(state) ?? []);
  const launches = over.flatMap(launchesOf);
  const body = renderLaneHistory({ lane, rows, metric: keys[0] ?? null, launches, rented });
  const why = await keepIssue(open, { ...issueOf(lane), body });
  if (why !== null) lab.log(`the issue of the lane ${lane}: ${why}`);
}

/** Nobody closes or opens it: that is for people. */
function issueOf(lane: string): Omit<OwedIssue, 'body'> {
  const marker = markerIdentity(laneIssueMarker(lane));
  return { label: LANE_LABEL, marker, title: laneIssueTitle(lane), state: null };
}
