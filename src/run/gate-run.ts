/** Evaluates a run's gates on the facts of one moment. */

import { findResumePoint, findStartPoint, type ResumePoint, type StartPoint } from '../checkpoints/start.ts';
import { fillLane } from '../config/lane-of-file.ts';
import type { Actor } from '../domain/actor.ts';
import type { SearchedRoot } from '../domain/checkpoint/stored.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Contract } from '../domain/launch/contract.ts';
import { type Hold, listHoldsOnRun } from '../domain/launch/hold.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { attemptToContinue } from '../domain/launch/next-attempt.ts';
import type { Order } from '../domain/launch/order.ts';
import type { BotFix } from '../domain/launch/small-fix.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import {
  type Description,
  type PastAttempt,
  type RolledBack,
  type RunState,
  runsInLane,
} from '../domain/logbook/run-state.ts';
import { type Launch, listLaunches, type RentalSpending, sumRentedMoney } from '../domain/past-runs.ts';
import { type FactName, isNotAsked } from '../domain/reconcile-request.ts';
import {
  addDays,
  type DigestOf,
  type Instant,
  known,
  type Observed,
  type RunId,
  unknown,
  utcDate,
} from '../domain/values.ts';
import {
  type ApprovalFacts,
  approvalVerdicts,
  type ChangeGateFacts,
  type EarlierRun,
  type GateFacts,
} from '../gates/gate.ts';
import { changeVerdicts } from '../gates/run-gates.ts';
import { canonicalDigest } from '../logbook/chain.ts';
import { findAuthors } from './authors.ts';
import { containerFacts, readContract } from './contract.ts';
import { findForeignHolders } from './foreign-holders.ts';
import type { LaneScopedConfig } from './lane.ts';
import { buildManifestFrom } from './manifest-of.ts';

/** The first week of a month can start in the month before. */
const PERIOD_REACH_DAYS = 6;

export type GateEvaluation = {
  readonly manifest: Observed<Manifest>;
  /** The digests that an approval would bind to now. */
  readonly bound: GateFacts['bound'];
  /** Verdicts on the change and the lane, recorded in `gated`. */
  readonly verdicts: readonly Verdict[];
  /** Verdicts on the approvals, also required for a launch. */
  readonly approvals: readonly Verdict[];
  readonly facts: GateFacts;
};

type GateInput = {
  readonly run: RunId;
  readonly proposal: EventDataByType['proposed'];
  readonly holds: readonly Hold[];
  /** The failed attempt that the run may continue. */
  readonly failed?: PastAttempt | null;
  readonly owner?: Actor | null;
  /** The requested rollback after that attempt. */
  readonly rollback?: RolledBack | null;
  readonly contract?: Contract | null;
  /** The cluster's description of an adopted job. */
  readonly description?: Description | null;
  readonly ownFix?: BotFix | null;
  readonly approved: Manifest | null;
  readonly config: LaneScopedConfig;
  readonly repository: string;
  readonly now: Instant;
  readonly facts: GateReading;
  readonly digestOf: DigestOf;
};

export type GateReading = Pick<
  RunFacts,
  | 'pull'
  | 'issue'
  | 'comments'
  | 'change'
  | 'branchWork'
  | 'body'
  | 'checks'
  | 'configHealth'
  | 'recordedRuns'
  | 'journalHolds'
  | 'searchedRoots'
  | 'containerImage'
>;

/** Facts that the gates need and that were not read yet. */
export function listUnreadFacts(
  facts: Pick<GateReading, 'change' | 'branchWork' | 'searchedRoots'>,
): readonly FactName[] {
  return (['change', 'branchWork', 'searchedRoots'] as const).filter((name) => isNotAsked(facts[name]));
}

/** Evaluates all gates. */
export function gateRun(input: GateInput & { readonly approvals: Observed<ApprovalFacts> }): GateEvaluation {
  const facts = { ...buildGateFacts(input), approvals: input.approvals };
  const [verdicts, approvals] = [changeVerdicts(facts), approvalVerdicts(facts)];
  return { manifest: facts.manifest, bound: facts.bound, verdicts, approvals, facts };
}

/** The facts of all gates except those over approvals. */
export function buildGateFacts(input: GateInput): ChangeGateFacts {
  const { facts, config, proposal } = input;
  const [start, resume] = [findStart(input), findResume(input)];
  const manifest = buildManifest(input, start);
  return {
    repository: input.repository,
    now: input.now,
    proposal: currentProposal(input),
    fixOf: input.failed?.submission.attempt ?? null,
    lane: config.lane,
    kindGates: config.kind.gates,
    onePersonIsEnough: config.approvals.onePersonIsEnough,
    ...contractFact(input),
    ...(config.machine === undefined ? {} : { machine: config.machine }),
    ...(input.description == null ? {} : { adoptedJob: input.description }),
    ...(start === null ? {} : { start }),
    ...(resume === null ? {} : { resume }),
    ...containerFacts(config, facts.containerImage),
    owner: input.owner ?? null,
    ranBefore: findEarlierAttempt(input),
    pull: facts.pull,
    issue: facts.issue,
    change: facts.change,
    body: facts.body,
    authors: findAuthors(
      { run: input.run, proposal, ownFix: input.ownFix?.commit ?? null },
      facts,
      config,
      input.digestOf,
    ),
    checks: facts.checks,
    configHealth: facts.configHealth,
    issueChangedAt: issueUpdatedAt(facts, input.ownFix ?? null),
    // Adopted jobs do not block each other.
    liveRuns: config.kind.adoption === undefined ? listOtherLiveRuns(facts, input.run, proposal.lane) : known([]),
    ...findForeignHolders(
      { ...input, ...facts, plan: config.checkpoints, searchedRoots: requireListedRoots(facts) },
      manifest,
    ),
    holds: listHoldsOnRun(input, input.facts.journalHolds),
    sealedPasses: listPasses(facts, proposal.lane),
    launches: listLaunchesFor(input),
    rentals: listRentalsFor(input),
    manifest,
    approved: input.approved,
    bound: bindingDigests(manifest, facts, input.digestOf),
  };
}

/** An unlisted root counts as unreadable. */
function requireListedRoots({ searchedRoots }: Pick<GateReading, 'searchedRoots'>): readonly SearchedRoot[] {
  return searchedRoots.kind === 'known' ? searchedRoots.value : [];
}

/** A contract may rename the run until its launch. */
function currentProposal({ run, proposal, contract = null, config }: GateInput): GateInput['proposal'] {
  if (contract === null) return proposal;
  return { ...proposal, runName: fillLane(config.lane, { run, date: proposal.date }).runName };
}

function contractFact({ contract = null, config, facts, proposal }: GateInput): Pick<GateFacts, 'contract'> {
  const read = readContract(config, facts, proposal);
  return contract === null || read === null ? {} : { contract: { recorded: contract, read } };
}

/** Null without a checkpoint plan. After an attempt, the manifest keeps that attempt's start point, unless a person rolled back. */
function findStart(input: GateInput): Observed<StartPoint> | null {
  const { checkpoints } = input.config;
  const { failed = null, rollback = null, facts } = input;
  if (checkpoints === null) return null;
  const roots = requireListedRoots(facts);
  if (rollback !== null) {
    const { checkpoint } = rollback;
    const from = checkpoint === null ? null : { path: checkpoint.path, run: input.run };
    return findStartPoint(from, roots, facts.recordedRuns);
  }
  if (failed === null) return findStartPoint(checkpoints.from, roots, facts.recordedRuns);
  const { initializeFrom: path = null, initializeStep: step = 0 } = failed.order.manifest?.resume ?? {};
  return known(path === null ? { kind: 'anew' } : { kind: 'proven', path, step, run: null, attempt: null });
}

/** Null before a failed attempt, and after a rollback. */
function findResume({ run, config, failed = null, rollback = null, facts }: GateInput): Observed<ResumePoint> | null {
  const { checkpoints } = config;
  if (checkpoints === null || failed === null || rollback !== null) return null;
  if (facts.recordedRuns.kind === 'unknown') return facts.recordedRuns;
  const state = facts.recordedRuns.value.find((one) => one.run === run);
  if (state === undefined) return unknown(`${run} is not among the runs that are read`);
  const { command, environment } = config.lane;
  return findResumePoint(state, {
    plan: checkpoints,
    roots: requireListedRoots(facts),
    runs: facts.recordedRuns.value,
    command: [...Object.values(environment), ...command],
  });
}

function bindingDigests(manifest: Observed<Manifest>, { body }: GateReading, digestOf: DigestOf): GateFacts['bound'] {
  if (manifest.kind === 'unknown') return manifest;
  if (body.kind === 'unknown') return body;
  return known({ digest: canonicalDigest(manifest.value, digestOf), body: body.value.fingerprint });
}

function buildManifest(input: GateInput, start: Observed<StartPoint> | null): Observed<Manifest> {
  const { change, body } = input.facts;
  if (change.kind === 'unknown') return unknown(change.why);
  if (body.kind === 'unknown') return unknown(body.why);
  if (start?.kind === 'unknown') return start;
  if (start?.value.kind === 'refused') return unknown('the checkpoint to begin from is not proven');
  return buildManifestFrom({
    run: input.run,
    repository: input.repository,
    proposal: input.proposal,
    config: input.config,
    change: change.value,
    body: body.value,
    start: start?.value.kind === 'proven' ? start.value : null,
    rolledBackAttempt: input.rollback?.attempt ?? input.failed?.order.manifest?.resume.rolledBackAttempt ?? null,
  });
}

/** The newest update of the issue by people. ferrybot's comments report on runs, not on changes. */
function issueUpdatedAt({ issue, comments, change }: GateReading, ownFix: BotFix | null): Observed<Instant> {
  if (issue.kind === 'unknown') return issue;
  if (comments.kind === 'unknown') return comments;
  const { number, writtenAt } = issue.value;
  // Exception: ferrybot's comment about its own fix.
  const isOurs = change.kind === 'known' && change.value.headSha === ownFix?.commit;
  const said = comments.value.filter(
    ({ thread, isByOwnLogin, marker }) =>
      thread === number &&
      (!isByOwnLogin || (isOurs && marker?.kind === 'incident' && marker.key === String(ownFix.seq))),
  );
  const all = [writtenAt, ...said.map(({ createdAt }) => createdAt)];
  return known(all.toSorted((a, b) => b - a)[0] ?? writtenAt);
}

function listOtherLiveRuns(facts: GateReading, run: RunId, lane: string): Observed<readonly string[]> {
  if (facts.recordedRuns.kind === 'unknown') return facts.recordedRuns;
  return known(
    runsInLane(facts.recordedRuns.value, lane)
      .filter((other) => other.run !== run && isLive(other))
      .map((other) => other.run),
  );
}

function listPasses({ recordedRuns }: GateReading, lane: string): Observed<readonly string[]> {
  if (recordedRuns.kind === 'unknown') return recordedRuns;
  return known(
    runsInLane(recordedRuns.value, lane).flatMap(({ run, seal }) => (seal?.verdict === 'pass' ? [run] : [])),
  );
}

/** Only the newest runs of a lane are read, so older launches may be missing. */
function listLaunchesFor({ facts: { recordedRuns }, proposal, now }: GateInput): Observed<readonly Launch[]> {
  if (recordedRuns.kind === 'unknown') return recordedRuns;
  const runs = runsInLane(recordedRuns.value, proposal.lane).filter(({ order }) => order !== null);
  const monthBegins = addDays(`${utcDate(now).slice(0, 7)}-01`, -PERIOD_REACH_DAYS);
  const isWhole = runs.length < limits.runsReadMax || runs.some((run) => run.proposal.date < monthBegins);
  return isWhole
    ? known(runs.flatMap(listLaunches))
    : unknown(`the lane has launched more runs this month than the ${limits.runsReadMax} that are read`);
}

/** Rentals of all lanes, because they share the account. The run itself is left out: it has its own cap. */
function listRentalsFor({ facts: { recordedRuns }, run }: GateInput): Observed<readonly RentalSpending[]> {
  if (recordedRuns.kind === 'unknown') return recordedRuns;
  return known(recordedRuns.value.flatMap((one) => (one.run === run ? [] : (sumRentedMoney(one) ?? []))));
}

type EarlierAttemptQuery = {
  readonly proposal: Pick<EventDataByType['proposed'], 'continues'>;
  readonly failed?: PastAttempt | null;
  readonly facts: { readonly recordedRuns: Observed<readonly RunState[]> };
};

/**
 * The manifest to compare the next attempt with: the previous attempt's, or the continued run's last one. Null if nothing ran before;
 * unknown if the record lacks it.
 */
function findEarlierAttempt({ proposal, failed = null, facts }: EarlierAttemptQuery): Observed<EarlierRun> | null {
  if (failed !== null) {
    const { manifest } = failed.order;
    return manifest === null ? null : known({ manifest, isOfAnotherRun: false });
  }
  if (proposal.continues === undefined) return null;
  const { recordedRuns } = facts;
  if (recordedRuns.kind === 'unknown') return recordedRuns;
  const manifest = attemptToContinue(proposal, recordedRuns.value)?.order.manifest ?? null;
  return manifest === null
    ? unknown(`the record does not say what ${proposal.continues.run} ran last`)
    : known({ manifest, isOfAnotherRun: true });
}

/**
 * The checkpoint that an attempt resumes from. Control writes it into the order; the runner recomputes it. Null: from scratch, or the job
 * selects it. Gates block invalid checkpoints.
 */
export function checkpointToContinue({
  start,
  resume,
}: Pick<GateFacts, 'start' | 'resume'>): Observed<NonNullable<Order['checkpoint']> | null> {
  if (resume !== undefined) {
    if (resume.kind === 'unknown') return resume;
    const { value: point } = resume;
    // rule HR-51
    return known(point.kind === 'from' ? { path: point.path, step: point.step } : null);
  }
  if (start === undefined) return known(null);
  if (start.kind === 'unknown') return start;
  const { value: point } = start;
  return known(point.kind === 'proven' ? { path: point.path, step: point.step } : null);
}
