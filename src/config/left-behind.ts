/** What the record has and a config has no place for: jobs on a cluster that it does not have, holds on a lane that it does not have. */

import type { Hold } from '../domain/launch/hold.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { missingCluster } from './engine-traits.ts';
import type { LabConfig } from './schema.ts';

export type LeftBehind =
  | { readonly kind: 'job'; readonly run: string; readonly cluster: string }
  | { readonly kind: 'hold'; readonly hold: StrayHold }
  /** What the record says could not be read. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A hold on one lane, of which the config knows nothing: it holds nothing back. */
export type StrayHold = Hold & { readonly lane: string };

/** What nobody could watch, stop or be held back by under this config. `today` is YYYY-MM-DD. */
export function leftBehind(
  config: Pick<LabConfig, 'clusters' | 'lanes'>,
  runs: Observed<readonly RunState[]>,
  holds: Observed<readonly Hold[]>,
  today: string,
): readonly LeftBehind[] {
  const unknown = [runs, holds].flatMap((all) =>
    all.kind === 'unknown' ? [{ kind: 'unknown', why: all.why } as const] : [],
  );
  const jobs = (runs.kind === 'known' ? runs.value : []).flatMap((state) => {
    const cluster = missingCluster(state, config);
    return cluster === null ? [] : [{ kind: 'job', run: state.run, cluster } as const];
  });
  const stray = strayOf(holds.kind === 'known' ? holds.value : [], Object.keys(config.lanes), today);
  return [...unknown, ...jobs, ...stray.map((hold) => ({ kind: 'hold', hold }) as const)];
}

/** The holds that stand from today on and whose lane is none of these. */
export function strayOf(
  holds: readonly Hold[],
  lanes: readonly string[],
  today: string,
): readonly StrayHold[] {
  return holds.flatMap((hold) => {
    const { lane, date } = hold;
    return lane === null || lanes.includes(lane) || (date !== null && date < today)
      ? []
      : [{ ...hold, lane }];
  });
}
