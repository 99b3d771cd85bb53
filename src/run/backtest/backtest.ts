/** Recorded ferries replayed against a changed config: which decisions would have been others. */

import { configOfLane, type LaneScopedConfig } from '../../config/lane-scope.ts';
import type { LabConfig } from '../../config/schema.ts';
import type { SealedMetrics } from '../../domain/facts.ts';
import { branded, isRunId } from '../../domain/ids.ts';
import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { type Backtest, isChanged, isUntold } from '../../domain/replayed.ts';
import { replayRun } from './replay-run.ts';

/** `runs`: the verified events of each run, in any order. What belongs to no run is left out. */
export function backtest(runs: readonly (readonly LogbookEvent[])[], config: LabConfig): Backtest {
  const inOrder = runs
    .filter((events) => events[0]?.type === 'proposed')
    .toSorted((a, b) => (a[0]?.at ?? '').localeCompare(b[0]?.at ?? ''));
  const replayed = inOrder.flatMap((events) => {
    const ofLane = inOrder.filter((other) => isOfSameLane(events, other));
    const scoped = configOf(config, events);
    const run = scoped === null ? null : replayRun(events, scoped, sealedBefore(ofLane, events));
    return run === null ? [] : [run];
  });
  const all = replayed.flatMap(({ decisions }) => decisions);
  return {
    runs: replayed,
    decisions: all.length,
    changed: all.filter(isChanged).length,
    unknown: all.filter(isUntold).length,
  };
}

function isOfSameLane([a]: readonly LogbookEvent[], [b]: readonly LogbookEvent[]): boolean {
  return a?.type === 'proposed' && b?.type === 'proposed' && a.data.lane === b.data.lane;
}

/** The changed config for the lane of a run; null where the config has no such lane any more: then nothing of it would run. */
function configOf(config: LabConfig, [first]: readonly LogbookEvent[]): LaneScopedConfig | null {
  return first?.type === 'proposed' ? configOfLane(config, first.data.lane) : null;
}

/** Metrics of the ferries that were sealed when this one was judged, newest first. */
function sealedBefore(
  runs: readonly (readonly LogbookEvent[])[],
  events: readonly LogbookEvent[],
): readonly SealedMetrics[] {
  const judgedAt = events.find(({ type }) => type === 'sealed' || type === 'closed')?.at ?? '';
  return runs
    .filter((other) => other !== events)
    .flatMap((other) => {
      const first = other[0];
      const seal = other.find((event) => event.type === 'sealed');
      return first?.type === 'proposed' && seal !== undefined && seal.at < judgedAt
        ? [
            {
              at: seal.at,
              run: branded(seal.run, isRunId),
              date: first.data.date,
              metrics: seal.data.metrics,
            },
          ]
        : [];
    })
    .toSorted((a, b) => b.at.localeCompare(a.at));
}
