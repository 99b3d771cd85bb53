/** What another run of the record holds that this one would take: the place that it writes to, and its identity in the tracker. */

import type { LaneConfig } from '../config/lane-schema.ts';
import type { CheckpointPlan } from '../domain/launch/contract.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { rootHolder } from '../domain/launch/output-root.ts';
import { trackerHolder } from '../domain/launch/tracker-identity.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed } from '../domain/observed.ts';
import type { GateFacts } from '../gates/gate.ts';

type Asking = {
  readonly run: string;
  readonly proposal: Pick<EventDataByType['proposed'], 'continues' | 'issue'>;
  /** Where it begins and writes, by its contract; null: it has none. */
  readonly plan: CheckpointPlan | null;
  readonly recordedRuns: Observed<readonly RunState[]>;
  readonly config: { readonly lane: Pick<LaneConfig, 'checkpointRoots'> };
};

/** Unknown where the record or the manifest is. */
export function heldElsewhere(
  {
    run,
    proposal,
    plan,
    recordedRuns,
    config: {
      lane: { checkpointRoots },
    },
  }: Asking,
  manifest: Observed<Manifest>,
): Pick<GateFacts, 'rootHolder' | 'trackerHolder'> {
  if (recordedRuns.kind === 'unknown') return { rootHolder: recordedRuns, trackerHolder: recordedRuns };
  if (manifest.kind === 'unknown') return { rootHolder: manifest, trackerHolder: manifest };
  const { outputRoot: root, cluster, tracker } = manifest.value;
  // Under another identity it shares nothing with what it goes on from.
  const lineage = (one: RunState): boolean =>
    proposal.continues === undefined &&
    (one.run === plan?.from?.run || one.proposal.issue === proposal.issue);
  const mine = { run, lineage };
  const places = {
    roots: [root, ...(plan?.named ?? [])],
    cluster,
    common: checkpointRoots.filter((template) => !template.includes('{')),
  };
  return {
    rootHolder: known(rootHolder(recordedRuns.value, places, mine)),
    trackerHolder: known(trackerHolder(recordedRuns.value, tracker, mine)),
  };
}
