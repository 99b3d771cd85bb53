/** Evaluates a run's gates: the manifest, its digest, and every verdict on the facts of one moment. */

import type { LabConfig } from '../config/schema.ts';
import type { EventDataByType } from '../domain/event.ts';
import type { RunFacts } from '../domain/facts.ts';
import { type Hold, holdsOn } from '../domain/hold.ts';
import type { Digest, Instant, RunId } from '../domain/ids.ts';
import type { Manifest } from '../domain/manifest.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { isLive } from '../domain/run-state.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { GatePolicy } from '../gates/gate.ts';
import { runGates } from '../gates/run-gates.ts';
import { manifestOf } from './manifest-of.ts';

const MS_PER_HOUR = 3_600_000;

/** SHA-256 over UTF-8 text, given by the host. */
export type DigestOf = (text: string) => Digest;

export type Gated = {
  readonly manifest: Observed<Manifest>;
  readonly verdicts: readonly Verdict[];
};

/** The gates of one run on these facts. */
export function gateRun(input: {
  readonly run: RunId;
  readonly proposal: EventDataByType['proposed'];
  readonly holds: readonly Hold[];
  readonly config: LabConfig;
  readonly repository: string;
  readonly now: Instant;
  readonly facts: RunFacts;
}): Gated {
  const { facts, config, proposal } = input;
  const manifest = manifestFrom(input);
  const verdicts = runGates({
    repository: input.repository,
    now: input.now,
    proposal,
    policy: gatePolicyOf(config),
    pull: facts.pull,
    issue: facts.issue,
    change: facts.change,
    body: facts.body,
    checks: facts.checks,
    configHealth: facts.configHealth,
    issueToldAt: issueToldAt(facts),
    liveRuns: liveOthers(facts, input.run),
    holds: holdsFor(input),
    manifest,
  });
  return { manifest, verdicts };
}

function manifestFrom(input: Parameters<typeof gateRun>[0]): Observed<Manifest> {
  const { change, body } = input.facts;
  if (change.kind === 'unknown') return unknown(change.why);
  if (body.kind === 'unknown') return unknown(body.why);
  return manifestOf({
    run: input.run,
    repository: input.repository,
    proposal: input.proposal,
    config: input.config,
    change: change.value,
    body: body.value,
  });
}

/** The newest of the issue's text and what people wrote there; ferrybot's own comments tell of a run, not of a change. */
function issueToldAt({ issue, comments }: RunFacts): Observed<Instant> {
  if (issue.kind === 'unknown') return issue;
  if (comments.kind === 'unknown') return comments;
  const { number, writtenAt } = issue.value;
  const said = comments.value.filter((comment) => comment.thread === number && !comment.byUs);
  return known(said.map(({ createdAt }) => createdAt).reduce(later, writtenAt));
}

function later(a: Instant, b: Instant): Instant {
  return a < b ? b : a;
}

function liveOthers(facts: RunFacts, run: RunId): Observed<readonly string[]> {
  if (facts.laneRuns.kind === 'unknown') return facts.laneRuns;
  return known(
    facts.laneRuns.value.filter((other) => other.run !== run && isLive(other)).map((other) => other.run),
  );
}

/** The run's own holds, and the lane's that concern its day. */
function holdsFor({ holds, facts, proposal }: Parameters<typeof gateRun>[0]): Observed<readonly Hold[]> {
  if (facts.laneHolds.kind === 'unknown') return facts.laneHolds;
  return known([...holds, ...holdsOn(facts.laneHolds.value, proposal.date)]);
}

/** The lane's config as the gates read it. */
export function gatePolicyOf(config: LabConfig): GatePolicy {
  const lane = config.lanes.daily;
  return {
    targetBranch: lane.targetBranch,
    experiment: lane.experiment,
    scope: lane.scope,
    cluster: lane.cluster,
    knobsMax: lane.budget.knobs,
    enforceBudget: lane.budget.enforce,
    scaleKnobs: lane.scaleKnobs,
    preconditions: lane.checklist.preconditions,
    runNamePattern: lane.runName,
    ships: lane.ships,
    freshnessMs: lane.freshnessHours * MS_PER_HOUR,
    requiredChecks: lane.requiredChecks,
    costBudget: lane.costBudget,
  };
}
