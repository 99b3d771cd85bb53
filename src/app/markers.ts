/** Seals markers of posted texts and verifies them. */

import type { CommentFacts } from '../domain/facts.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { ReadMarker } from '../domain/marker.ts';
import type { RunId } from '../domain/values.ts';
import type { ThreadReading } from '../github/thread-comments.ts';
import { ownBotLogins, type ProposalPlace } from '../github/threads.ts';
import { UNNUMBERED, verifyMarker } from '../logbook/mark.ts';
import type { LabConfig, LaneScopedConfig } from '../run/lane.ts';
import type { AttemptCache } from '../run/step.ts';
import type { Lab } from './lab.ts';

/** Verifies markers with the config's keys that were valid at the marker's time. */
export function createMarkerVerifier(lab: Lab, config: LabConfig): ReadMarker {
  const { repository, hash, verifySignature } = lab;
  const known = { keys: config.keys, hash, verifySignature };
  return (thread, body) => verifyMarker(body, { repository, thread }, known);
}

/** Verifies the marker of an issue, which may have been sealed before the issue had a number. */
export function issueMarkerReader(lab: Lab, config: LabConfig): ReadMarker {
  const read = createMarkerVerifier(lab, config);
  return (thread, body) => read(thread, body) ?? read(UNNUMBERED, body);
}

/** How to read this lab's threads: digests, own bots and own workflows. */
export function threadReading(lab: Lab, config: LabConfig): ThreadReading {
  return {
    digestOf: lab.digestOf,
    ownBots: ownBotLogins(config.appSlug),
    ownWorkflows: Object.values(config.workflows),
    markerOf: createMarkerVerifier(lab, config),
    issueMarkerOf: issueMarkerReader(lab, config),
  };
}

/** The threads of a recorded proposal. */
export function proposalPlace(
  { issue, pull, headBranch }: EventDataByType['proposed'],
  config: LaneScopedConfig,
): ProposalPlace {
  const { pinned, lane } = config;
  return { issue, pull, headBranch, baseBranch: lane.targetBranch, pinned };
}

export type PostedCache = {
  /** When this process last saw a text outside a run's threads (epoch ms), by thread and marker, marker and text, or check and commit. */
  readonly texts: Map<string, number>;
  /** Runs with entries of this process that are not posted yet, in order of arrival. */
  readonly unposted: Set<RunId>;
  readonly runs: Map<RunId, PostedRun>;
};

/** `ours`: ferrybot's comments in the run's threads (null: read them again). `entries`: number of own entries already posted. */
export type PostedRun = {
  readonly ownComments: readonly CommentFacts[] | null;
  readonly memory: AttemptCache;
  readonly entries: number;
};

/** Maximum number of runs in memory; an evicted run costs requests. */
const RUNS_MAX = 2_000;

/** Stores the result of a run's turn. Only completed effects are kept, so the next turn can retry failed ones. */
export function rememberRun({ runs }: PostedCache, run: RunId, { memory, ...rest }: PostedRun): void {
  const outcomes = new Map([...memory.outcomes].filter(([, { kind }]) => kind === 'done'));
  runs.delete(run);
  runs.set(run, { ...rest, memory: { ...memory, outcomes, tries: new Map() } });
  const oldest = runs.keys().next();
  if (runs.size > RUNS_MAX && oldest.done !== true) runs.delete(oldest.value);
}

/** The memory of a process that has posted nothing. */
export function createPostedCache(): PostedCache {
  return { texts: new Map(), unposted: new Set(), runs: new Map() };
}
