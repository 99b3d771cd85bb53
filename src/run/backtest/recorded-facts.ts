/** The facts of a recorded look, as far as the record has them, with the settings of another config: what gates are asked over again. */

import type { BodyFacts, ChangeFacts, PullFacts } from '../../domain/facts.ts';
import { branded, type Instant, isInstant, isRunId, isSha, isTreeId } from '../../domain/ids.ts';
import { BUCKETS, type Delta } from '../../domain/launch/delta.ts';
import type { Manifest, ManifestChange } from '../../domain/launch/manifest.ts';
import { type Launch, launchesOf } from '../../domain/launch/spending.ts';
import type { Gate, RunState } from '../../domain/logbook/run-state.ts';
import { known, unknown } from '../../domain/observed.ts';
import { dateOf } from '../../domain/time.ts';
import type { GateFacts } from '../../gates/gate.ts';
import type { LaneScopedConfig } from '../lane-scope.ts';
import { manifestOf, PYTHON_POLICY } from '../manifest-of.ts';

/** `state`: as it was just after the look; `others`: what the other runs of the lane have launched, whenever. */
export type RecordedLook = {
  readonly state: RunState;
  readonly gate: Gate;
  readonly at: Instant;
  readonly config: LaneScopedConfig;
  readonly others: readonly Launch[];
};

/**
 * What the manifest of that look says. The rest is as it mostly is, or unknown: a gate that reads of it what the config
 * decides about says itself what may have been (`Replay`).
 */
export function recordedFacts({ state, gate, at, config, others }: RecordedLook, then: Manifest): GateFacts {
  const { proposal, run } = state;
  const { initializeFrom: path, initializeStep: step = 0, backAfter = null } = then.resume;
  const [change, body] = [changeThen(gate, then, config), bodyThen(gate, then)];
  const start = path === null ? null : { path, step };
  const { repository } = then;
  const launches = [...others, ...launchesOf(state)].filter(({ date }) => date <= dateOf(at));
  return {
    repository,
    now: at,
    proposal,
    fixOf: gate.fix?.attempt ?? null,
    lane: config.lane,
    own: config.kind.gates,
    onePersonIsEnough: config.approvals.onePersonIsEnough,
    pull: known(pullThen(state, gate, repository)),
    change: known(change),
    body: known(body),
    launches: known(launches),
    manifest: manifestOf({ run, repository, proposal, config, change, body, backAfter, start }),
    bound: unknown(NOT_RECORDED),
    approvals: unknown(NOT_RECORDED),
    approved: null,
    issue: unknown(NOT_RECORDED),
    authors: unknown(NOT_RECORDED),
    checks: unknown(NOT_RECORDED),
    configHealth: unknown(NOT_RECORDED),
    issueToldAt: unknown(NOT_RECORDED),
    liveRuns: unknown(NOT_RECORDED),
    rootHolder: unknown(NOT_RECORDED),
    trackerHolder: unknown(NOT_RECORDED),
    holds: unknown(NOT_RECORDED),
    passes: unknown(NOT_RECORDED),
  };
}

const NOT_RECORDED = 'not recorded';
const NO_OBJECT = '0'.repeat(40);
const EARLIEST: Instant = branded(0, isInstant);

/** What is shipped now and was not shipped then is supposed to be there. */
function changeThen(gate: Gate, then: Manifest, { lane }: LaneScopedConfig): ChangeFacts {
  const base = branded(NO_OBJECT, isSha);
  const at = (path: string): string => then.trees[path] ?? NO_OBJECT;
  return {
    headSha: gate.commit,
    baseSha: base,
    mergeBase: base,
    isPastTip: known(true),
    python: then.policy[PYTHON_POLICY] ?? '',
    changedPaths: [],
    trees: Object.fromEntries(lane.ships.map((path) => [path, branded(at(path), isTreeId)])),
    delta: deltaOf(then.delta),
    base:
      then.base === undefined
        ? null
        : {
            run: branded(then.base.run, isRunId),
            commit: branded(then.base.commit, isSha),
            delta: deltaOf(then.base.changes),
            notTaken: [],
          },
    headAt: EARLIEST,
    mergeBaseAt: EARLIEST,
    laterCommits: [],
    size: null,
    sinceAttempt: null,
  };
}

function deltaOf(rows: readonly ManifestChange[]): Delta {
  if (rows.length === 0) return { kind: 'none' };
  const changes = rows.map((row) => ({
    ...row,
    bucket: BUCKETS.find((bucket) => bucket === row.bucket) ?? null,
    line: 0,
  }));
  return { kind: 'knobs', changes };
}

function bodyThen({ body }: Gate, { preconditions }: Manifest): BodyFacts {
  return {
    fingerprint: body,
    risk: null,
    objectiveKind: null,
    linksLastFerry: true,
    hasDeltaTable: true,
    mismatches: [],
    boxes: preconditions.map((box) => ({ ...box, line: 0 })),
  };
}

function pullThen({ proposal }: RunState, { body, commit }: Gate, repository: string): PullFacts {
  return {
    number: proposal.pull,
    nodeId: '',
    state: 'open',
    merged: false,
    isDraft: false,
    title: '',
    body: '',
    bodyDigest: body,
    author: proposal.author,
    authorIsBot: true,
    versions: [],
    headSha: commit,
    headBranch: proposal.headBranch,
    headRepository: repository,
    baseBranch: proposal.baseBranch,
    labels: [],
  };
}
