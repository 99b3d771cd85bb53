/** The facts recorded with each gate evaluation. */

import type { ChangeFacts, GatedFacts } from '../../domain/launch/change-facts.ts';
import type { Manifest } from '../../domain/launch/manifest.ts';
import { type Launch, launchesOf } from '../../domain/launch/spending.ts';
import type { Gate, RunState } from '../../domain/logbook/run-state.ts';
import { type Instant, known, type Observed, unknown } from '../../domain/values.ts';
import type { GateFacts } from '../../gates/gate.ts';
import type { LaneScopedConfig } from '../lane-scope.ts';
import { manifestOf } from '../manifest-of.ts';

/** Larger changes are not recorded in full. */
const RECORDED_CHARS_MAX = 20_000;

/** What `gated` records; empty if a fact is unknown or the facts are too large. */
export function factsToRecord({
  pull,
  change,
  body,
  checks,
}: Pick<GateFacts, 'pull' | 'change' | 'body' | 'checks'>): { readonly facts?: GatedFacts } {
  if (pull.kind === 'unknown' || change.kind === 'unknown') return {};
  if (body.kind === 'unknown' || checks.kind === 'unknown') return {};
  const { number, state, merged, isDraft, baseBranch, headRepository } = pull.value;
  const { sinceAttempt: _, size, ...read } = change.value;
  const facts = {
    pull: { number, state, merged, isDraft, baseBranch, headRepository },
    change: {
      ...read,
      size:
        size?.kind === 'known'
          ? { ...size, parameters: String(size.parameters), flops: String(size.flops) }
          : size,
    },
    body: body.value,
    checks: checks.value,
  };
  return JSON.stringify(facts).length > RECORDED_CHARS_MAX ? {} : { facts };
}

/** `state`: just after the evaluation; `others`: earlier launches of the lane's other runs. */
export type RecordedLook = {
  readonly state: RunState;
  readonly gate: Gate;
  readonly at: Instant;
  readonly config: LaneScopedConfig;
  readonly others: readonly Launch[];
};

/** The recorded facts under this config's settings; everything else is unknown. */
export function recordedFacts({ state, gate, at, config, others }: RecordedLook, then: Manifest): GateFacts {
  const { proposal, run } = state;
  const { repository } = then;
  const { facts } = gate;
  const change = facts === undefined ? NOT_RECORDED : changeFor(facts, then, config);
  return {
    repository,
    now: at,
    proposal,
    fixOf: gate.fix?.attempt ?? null,
    lane: config.lane,
    own: config.kind.gates,
    onePersonIsEnough: config.approvals.onePersonIsEnough,
    pull: facts === undefined ? NOT_RECORDED : known(facts.pull),
    change,
    body: facts === undefined ? NOT_RECORDED : known(facts.body),
    checks: facts === undefined ? NOT_RECORDED : known(facts.checks),
    launches: known([...others, ...launchesOf(state)]),
    manifest:
      facts === undefined || change.kind === 'unknown'
        ? NOT_RECORDED
        : manifestOf({
            ...{ run, repository, proposal, config, body: facts.body, change: change.value },
            ...startIn(then),
          }),
    bound: NOT_RECORDED,
    approvals: NOT_RECORDED,
    approved: null,
    issue: NOT_RECORDED,
    authors: NOT_RECORDED,
    configHealth: NOT_RECORDED,
    issueToldAt: NOT_RECORDED,
    liveRuns: NOT_RECORDED,
    rootHolder: NOT_RECORDED,
    trackerHolder: NOT_RECORDED,
    holds: NOT_RECORDED,
    passes: NOT_RECORDED,
  };
}

const NOT_RECORDED = unknown('not recorded');
/** Settings that decide which parts of a change are read. */
const READ_BY = ['lane.experiment', 'lane.scale', 'lane.targetBranch'] as const;

/** Unknown if this config reads another branch or other files. */
function changeFor(
  { change }: GatedFacts,
  { policy, trees }: Manifest,
  { kind, lane }: LaneScopedConfig,
): Observed<ChangeFacts> {
  const now: Manifest['policy'] = { ...kind.policy(lane), 'lane.targetBranch': lane.targetBranch };
  const isSame =
    READ_BY.every((key) => policy[key] === now[key]) &&
    Object.keys(trees).length === lane.ships.length &&
    lane.ships.every((path) => Object.hasOwn(trees, path));
  if (!isSame) return NOT_RECORDED;
  const { size } = change;
  return known({
    ...change,
    size:
      size?.kind === 'known'
        ? { ...size, parameters: Number(size.parameters), flops: Number(size.flops) }
        : size,
    // No gate with settings reads it.
    sinceAttempt: null,
  });
}

function startIn({ resume }: Manifest): Pick<Parameters<typeof manifestOf>[0], 'start' | 'backAfter'> {
  const { initializeFrom: path, initializeStep: step = 0, backAfter = null } = resume;
  return { start: path === null ? null : { path, step }, backAfter };
}
