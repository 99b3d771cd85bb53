/** Conflicts with other runs: the output root and the tracker identity. */

import { rootContents, writersOf } from '../checkpoints/start.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import { pathsIn } from '../contracts/fields.ts';
import { rootHolder, type SearchedRoot } from '../domain/checkpoint/stored.ts';
import type { CheckpointPlan } from '../domain/launch/contract.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { ordersOf, type PastAttempt, type RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, withoutEndSlashes } from '../domain/values.ts';
import type { GateFacts } from '../gates/gate.ts';

type Asking = {
  readonly run: string;
  readonly proposal: Pick<EventDataByType['proposed'], 'continues' | 'issue'>;
  /** The contract's checkpoint plan, or null. */
  readonly plan: CheckpointPlan | null;
  readonly searchedRoots: readonly SearchedRoot[];
  /** The failed attempt. */
  readonly failed?: PastAttempt | null;
  readonly recordedRuns: Observed<readonly RunState[]>;
  readonly config: { readonly lane: Pick<LaneConfig, 'checkpointRoots'> };
};
type Held = Pick<GateFacts, 'rootHolder' | 'trackerHolder' | 'rootContents' | 'othersPaths'>;

/** Other runs that use this run's output root or tracker identity. Unknown if the record or the manifest is unknown. */
export function heldElsewhere(asking: Asking, manifest: Observed<Manifest>): Held {
  const { run, proposal, plan, recordedRuns } = asking;
  const { checkpointRoots } = asking.config.lane;
  if (recordedRuns.kind === 'unknown') return { rootHolder: recordedRuns, trackerHolder: recordedRuns };
  if (manifest.kind === 'unknown') return { rootHolder: manifest, trackerHolder: manifest };
  const { outputRoot: root, cluster, tracker } = manifest.value;
  // With a new identity, the run shares nothing with the run that it continues.
  const lineage = (one: RunState): boolean =>
    proposal.continues === undefined && (one.run === plan?.from?.run || one.proposal.issue === proposal.issue);
  const mine = { run, lineage };
  const places = {
    roots: [root, ...(plan?.named ?? [])],
    cluster,
    common: commonRoots(checkpointRoots, root),
  };
  const before = recordedRuns.value.filter((one) => one.run !== run && lineage(one));
  return {
    rootHolder: known(rootHolder(recordedRuns.value, places, mine)),
    trackerHolder: known(trackerHolder(recordedRuns.value, tracker, mine)),
    othersPaths: pathsIn({ environment: {}, command: manifest.value.command }).filter((path) =>
      writersOf(path, recordedRuns.value).some((one) => one.run !== run),
    ),
    ...contentsOf(asking, places.common, before),
  };
}

/** The lane's shared checkpoint roots, except this run's own output root. */
function commonRoots(templates: readonly string[], outputRoot: string): readonly string[] {
  const own = withoutEndSlashes(outputRoot);
  return templates
    .filter((template) => !template.includes('{'))
    .map(withoutEndSlashes)
    .filter((root) => root !== own);
}

/** Judged only before the first attempt: later the run finds its own checkpoints there. Shared roots are ignored. */
function contentsOf(
  { plan, searchedRoots, failed = null }: Asking,
  common: readonly string[],
  lineage: readonly RunState[],
): Pick<Held, 'rootContents'> {
  if (plan === null || failed !== null) return {};
  const own = { ...plan, roots: plan.roots.filter((root) => !common.includes(root)) };
  return { rootContents: rootContents(own, searchedRoots, lineage) };
}

type Tracker = Manifest['tracker'];

/** Another launched or ordered run with this tracker identity, or null. `lineage`: runs that may share theirs. */
export function trackerHolder(
  runs: readonly RunState[],
  tracker: Tracker,
  { run, lineage }: { readonly run: string; readonly lineage: (state: RunState) => boolean },
): string | null {
  const holder = runs.find(
    (state) => state.run !== run && !lineage(state) && identitiesOf(state).some((one) => isSame(one, tracker)),
  );
  return holder?.run ?? null;
}

function identitiesOf(state: RunState): readonly Tracker[] {
  return ordersOf(state)
    .filter(({ status, claim }) => status === 'open' || claim !== null)
    .flatMap(({ manifest }) => (manifest === null ? [] : [manifest.tracker]));
}

function isSame(one: Tracker, other: Tracker): boolean {
  return one.runId === other.runId && one.entity === other.entity && one.project === other.project;
}
