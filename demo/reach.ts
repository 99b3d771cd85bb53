/** Waits for the stages of a played run in the logbook, and reports each once with its cost. */

import { type LogbookEntry, readLogbook } from './logbook-events.ts';
import { type OpenedLab, watchBroken } from './open-lab.ts';
import type { StageReport } from './play.ts';
import type { Stage } from './stages.ts';
import { botUsage, usageSince } from './usage.ts';

const POLL_MS = 200;
/** On an idle machine the longest stage takes a minute and a half. A much longer wait means that it will not come. */
const STAGE_TIMEOUT_MS = 400_000;
/** The number of latest events in an error report, which shows the state of a run. */
const TOLD_EVENTS = 12;

type Runs = ReadonlyMap<string, readonly LogbookEntry[]>;

export type Reach = <Value>(stage: Stage, done: (runs: Runs) => Promise<Value | null> | Value | null) => Promise<Value>;

/** Its message is the reason in the report. */
export class NotReached extends Error {}

/** Resolves with the result of `done`; rejects with `NotReached` when the lab breaks or on a timeout. */
export function createReach(lab: OpenedLab, lane: string, report: (stage: StageReport) => void): Reach {
  let usage = botUsage(lab.world);
  let since = performance.now();
  const broken = watchBroken(lab);
  const reported = new Set<Stage>();
  return async (stage, done) => {
    const until = performance.now() + STAGE_TIMEOUT_MS;
    while (performance.now() < until) {
      const value = await done(await readLogbook(lab.world));
      if (value !== null) {
        const now = botUsage(lab.world);
        const { contentWrites, ...requests } = usageSince(usage, now);
        const seconds = Math.round((performance.now() - since) / 100) / 10;
        if (!reported.has(stage)) report({ day: 1, lane, stage, seconds, requests, contentWrites });
        reported.add(stage);
        usage = now;
        since = performance.now();
        return value;
      }
      const reason = broken();
      if (reason !== null) throw new NotReached(reason);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new NotReached(`no-${stage}-in-time: ${runStates(await readLogbook(lab.world), lane)}`);
  };
}

/** The states of the lane's runs, to find out why a stage was not reached. */
function runStates(runs: Runs, lane: string): string {
  const states = [...runs]
    .filter(([, events]) => events.some(({ type, data }) => type === 'proposed' && data['lane'] === lane))
    .map(([run, events]) => `${run} ended on ${events.slice(-TOLD_EVENTS).map(describeEntry).join(', ')}`);
  return states.length === 0 ? `no run of ${lane} was proposed` : states.join('; ');
}

function describeEntry({ type, data }: LogbookEntry): string {
  const about = ['attempt', 'code', 'status', 'step']
    .filter((name) => data[name] !== undefined && data[name] !== null)
    .map((name) => `${name} ${String(data[name])}`);
  return about.length === 0 ? type : `${type} (${about.join(', ')})`;
}

/** The run that started from this issue. */
export function findRun(runs: Runs, issue: number): string | null {
  for (const [run, events] of runs)
    if (events.some(({ type, data }) => type === 'proposed' && data['issue'] === issue)) return run;
  return null;
}

/** Whether this event type occurs at least that often. */
export function findEvent(events: readonly LogbookEntry[], type: string, times = 1): true | null {
  return events.filter((event) => event.type === type).length >= times ? true : null;
}
