/** Whose a run of the tracker is: two runs under one identity mix their metrics, and nobody can tell later which is whose. */

import type { RunState } from '../logbook/run-state.ts';
import type { Manifest } from './manifest.ts';

type Tracker = Manifest['tracker'];

/** Another run of the record that was launched, or is about to be, under this identity; null: none was. `lineage`: runs that may share theirs. */
export function trackerHolder(
  runs: readonly RunState[],
  tracker: Tracker,
  { run, lineage }: { readonly run: string; readonly lineage: (state: RunState) => boolean },
): string | null {
  const holder = runs.find(
    (state) =>
      state.run !== run && !lineage(state) && identitiesOf(state).some((one) => isSame(one, tracker)),
  );
  return holder?.run ?? null;
}

function identitiesOf({ attempts, order }: RunState): readonly Tracker[] {
  const orders = [...attempts.map((past) => past.order), ...(order === null ? [] : [order])];
  return orders
    .filter(({ status, claim }) => status === 'open' || claim !== null)
    .flatMap(({ manifest }) => (manifest === null ? [] : [manifest.tracker]));
}

function isSame(one: Tracker, other: Tracker): boolean {
  return one.runId === other.runId && one.entity === other.entity && one.project === other.project;
}
