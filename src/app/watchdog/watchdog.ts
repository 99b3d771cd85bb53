/** `mode: watchdog`, on a hosted machine: reports a silent watch once per silence and restarts it. */

import { missingCluster } from '../../config/engine-traits.ts';
import type { RunId } from '../../domain/ids.ts';
import { incidentDraft } from '../../domain/incidents.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { synchronizeClock } from '../../github/call.ts';
import { transactRun } from '../../logbook/transact.ts';
import { configFor } from '../../run/run-config.ts';
import {
  isSilenceTold,
  judgeRestart,
  type MonitorHealth,
  monitorHealth,
  type Restart,
  type RunHealth,
  runHealth,
  wasStarted,
} from '../../watch/watchdog.ts';
import { perform } from '../control/perform.ts';
import { reportTroubles } from '../control/report-corrupt-logbook.ts';
import type { OpenLab } from '../open-lab.ts';
import { postOwed } from '../outbox.ts';
import { contained, containedEach, type Trouble, type Where } from '../trouble.ts';

/** The state of a live run's watch, and what was done. */
export type WatchdogFinding = {
  readonly run: RunId;
  readonly monitor: MonitorHealth['kind'];
  readonly health: RunHealth;
  readonly silentMs: number;
  readonly done:
    | 'nothing'
    | 'restarted'
    | 'restart-refused'
    | 'cluster-missing'
    | Exclude<Restart, 'restart'>;
};

/** Checks every live run. Errors of single runs are contained in `troubles`. Two watchdogs at once are harmless. */
export async function lookAfterWatches(
  open: OpenLab,
  troubles: Trouble[],
): Promise<readonly WatchdogFinding[]> {
  const { lab, config, store } = open;
  const healthOf = (state: RunState): MonitorHealth =>
    monitorHealth(state, configFor(config, state).lane.cadence, lab.now());
  const { runs } = store.current();
  const whereOf = ({ run }: RunState): Where => ({ run, thread: null });
  const isStale = (state: RunState): boolean => healthOf(state).kind === 'stale';
  // Check silence again with GitHub's clock.
  if (containedEach(open, troubles, runs, whereOf, (state) => [isStale(state)]).includes(true))
    await synchronizeClock(lab.client);
  const findings: WatchdogFinding[] = [];
  for (const { run } of runs) {
    const state = store.current().runs.find((one) => one.run === run);
    if (state === undefined) continue;
    const found = await contained(open, troubles, whereOf(state), () =>
      lookAfter(open, state, healthOf(state)),
    );
    if (found !== null) findings.push(found);
  }
  await postOwed(open, troubles);
  await reportTroubles(open, troubles);
  return findings;
}

/** Null if the run needs no watch. */
async function lookAfter(
  open: OpenLab,
  state: RunState,
  monitor: MonitorHealth,
): Promise<WatchdogFinding | null> {
  const { lab, config } = open;
  const { run } = state;
  if (monitor.kind === 'none') return null;
  const finding = {
    run,
    monitor: monitor.kind,
    health: runHealth(state, monitor),
    silentMs: monitor.silentMs,
  };
  if (monitor.kind === 'fresh') return { ...finding, done: 'nothing' };
  // A new watch could not reach the cluster either. Control posts the reason.
  if (missingCluster(state, config) !== null) return { ...finding, done: 'cluster-missing' };
  const dispatches = open.store.current().runs.flatMap((one) => one.dispatches);
  if (wasStarted(state, dispatches)) await recordSilence(open, run, monitor);
  const judged = judgeRestart(state, monitor.silentMs, dispatches, lab.now());
  return { ...finding, done: judged === 'restart' ? await start(open, state) : judged };
}

async function recordSilence(
  open: OpenLab,
  run: RunId,
  monitor: Extract<MonitorHealth, { kind: 'fresh' | 'stale' }>,
): Promise<void> {
  const recorded = await transactRun(open, run, (state) => {
    if (isSilenceTold(state, monitor.since)) return [];
    const now = monitorHealth(state, configFor(open.config, state).lane.cadence, open.lab.now());
    return now.kind === 'stale' ? [silence(now)] : [];
  });
  // Without a record nothing is posted; the failing job notifies people.
  if (recorded.kind === 'refused')
    throw new Error(`the silence of ${run} could not be recorded: ${recorded.message}`);
}

function silence({ since, silentMs }: Extract<MonitorHealth, { kind: 'fresh' | 'stale' }>): EventDraft {
  const minutes = Math.round(silentMs / 60_000);
  const detail = { since, why: `nothing was recorded for ${minutes} min` };
  return incidentDraft('control', 'monitor-stale', detail);
}

async function start(open: OpenLab, state: RunState): Promise<WatchdogFinding['done']> {
  const { config } = open;
  const cluster = state.submission?.cluster ?? '';
  const outcome = await perform(open, {
    kind: 'dispatch-workflow',
    workflow: config.workflows.watch,
    ref: configFor(config, state).lane.targetBranch,
    inputs: { cluster },
  });
  if (outcome.kind !== 'done' || outcome.number === null) return 'restart-refused';
  const data = { workflow: 'watch', subject: cluster, workflowRun: outcome.number } as const;
  const isKnown = ({ dispatches }: RunState): boolean =>
    dispatches.some(({ workflowRun }) => workflowRun === data.workflowRun);
  await transactRun(open, state.run, (now) =>
    isKnown(now) ? [] : [{ type: 'dispatched', role: 'control', data }],
  );
  return 'restarted';
}
