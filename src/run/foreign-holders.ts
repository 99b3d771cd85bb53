/** Conflicts with other runs: the output root and the tracker identity. */

import { findWriters, inspectRootContents } from '../checkpoints/start.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import { listStoragePaths } from '../contracts/fields.ts';
import { findRootHolder, type SearchedRoot } from '../domain/checkpoint/stored.ts';
import type { CheckpointPlan } from '../domain/launch/contract.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { listOrders, type PastAttempt, type RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, withoutEndSlashes } from '../domain/values.ts';
import type { GateFacts } from '../gates/gate.ts';

type HolderQuery = {
  readonly run: string;
  readonly proposal: Pick<EventDataByType['proposed'], 'continues' | 'issue'>;
  readonly plan: CheckpointPlan | null;
  readonly searchedRoots: readonly SearchedRoot[];
  readonly failed?: PastAttempt | null;
  readonly recordedRuns: Observed<readonly RunState[]>;
  readonly config: { readonly lane: Pick<LaneConfig, 'checkpointRoots'> };
};
type ForeignHolders = Pick<GateFacts, 'rootHolder' | 'trackerHolder' | 'rootContents' | 'othersPaths'>;

/** Other runs that use this run's output root or tracker identity. Unknown if the record or the manifest is unknown. */
export function findForeignHolders(asking: HolderQuery, manifest: Observed<Manifest>): ForeignHolders {
  const { run, proposal, plan, recordedRuns } = asking;
  const { checkpointRoots } = asking.config.lane;
  if (recordedRuns.kind === 'unknown') return { rootHolder: recordedRuns, trackerHolder: recordedRuns };
  if (manifest.kind === 'unknown') return { rootHolder: manifest, trackerHolder: manifest };
  const { outputRoot: root, cluster, tracker } = manifest.value;
  // With a new identity, the run shares nothing with the run that it continues.
  const isInLineage = (one: RunState): boolean =>
    proposal.continues === undefined && (one.run === plan?.from?.run || one.proposal.issue === proposal.issue);
  const mine = { run, lineage: isInLineage };
  const places = { roots: [root, ...(plan?.named ?? [])], cluster, shared: listCommonRoots(checkpointRoots, root) };
  const before = recordedRuns.value.filter((one) => one.run !== run && isInLineage(one));
  return {
    rootHolder: known(findRootHolder(recordedRuns.value, places, mine)),
    trackerHolder: known(findTrackerHolder(recordedRuns.value, tracker, mine)),
    othersPaths: listStoragePaths({ environment: {}, command: manifest.value.command }).filter((path) =>
      findWriters(path, recordedRuns.value).some((one) => one.run !== run),
    ),
    ...inspectContents(asking, places.shared, before),
  };
}

/** The lane's shared checkpoint roots, except this run's own output root. */
function listCommonRoots(templates: readonly string[], outputRoot: string): readonly string[] {
  const own = withoutEndSlashes(outputRoot);
  return templates
    .filter((template) => !template.includes('{'))
    .map(withoutEndSlashes)
    .filter((root) => root !== own);
}

/** Judged only before the first attempt: later the run finds its own checkpoints there. Shared roots are ignored. */
function inspectContents(
  { plan, searchedRoots, failed = null }: HolderQuery,
  common: readonly string[],
  lineage: readonly RunState[],
): Pick<ForeignHolders, 'rootContents'> {
  if (plan === null || failed !== null) return {};
  const own = { ...plan, roots: plan.roots.filter((root) => !common.includes(root)) };
  return { rootContents: inspectRootContents(own, searchedRoots, lineage) };
}

type Tracker = Manifest['tracker'];

/** Another launched or ordered run with this tracker identity, or null. `lineage`: runs that may share theirs. */
export function findTrackerHolder(
  runs: readonly RunState[],
  tracker: Tracker,
  { run, lineage }: { readonly run: string; readonly lineage: (state: RunState) => boolean },
): string | null {
  const holder = runs.find(
    (state) => state.run !== run && !lineage(state) && listTrackerIdentities(state).some((one) => isSame(one, tracker)),
  );
  return holder?.run ?? null;
}

function listTrackerIdentities(state: RunState): readonly Tracker[] {
  return listOrders(state)
    .filter(({ status, claim }) => status === 'open' || claim !== null)
    .flatMap(({ manifest }) => (manifest === null ? [] : [manifest.tracker]));
}

function isSame(one: Tracker, other: Tracker): boolean {
  return one.runId === other.runId && one.entity === other.entity && one.project === other.project;
}
