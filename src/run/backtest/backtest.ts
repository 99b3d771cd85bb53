/** Replays runs under a changed config. */

import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { fold } from '../../domain/logbook/fold.ts';
import { type Backtest, isChanged, isUnclear } from '../../domain/replayed.ts';
import { configOfLane, type LabConfig } from '../lane-scope.ts';
import { replayRun } from './replay-run.ts';

/**
 * Replays recorded runs under a changed config. `runs`: the verified events of each run, in any order. Skips runs of lanes that the config
 * no longer has.
 */
export function backtest(runs: readonly (readonly LogbookEvent[])[], config: LabConfig): Backtest {
  const inOrder = runs
    .filter((events) => events[0]?.type === 'proposed')
    .toSorted((a, b) => (a[0]?.at ?? '').localeCompare(b[0]?.at ?? ''));
  const states = inOrder.flatMap((events) => {
    const folded = fold(events);
    return folded.ok && folded.value !== null ? [folded.value] : [];
  });
  const newestFirst = states.toReversed();
  const replayed = inOrder.flatMap((events) => {
    const [first] = events;
    if (first?.type !== 'proposed' || configOfLane(config, first.data.lane) === null) return [];
    return replayRun(events, config, newestFirst) ?? [];
  });
  const all = replayed.flatMap(({ decisions }) => decisions);
  return {
    runs: replayed,
    decisions: all.length,
    changed: all.filter(isChanged).length,
    unknown: all.filter(isUnclear).length,
  };
}
