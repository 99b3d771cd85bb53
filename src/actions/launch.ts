/** The action *launch*: submits one attempt of a run under the id that its order names, or adopts the job that already has this id. */

import type { Engine, JobLocator, JobSpec, SubmitOutcome } from '../domain/engine.ts';
import { filterIncidents, type IncidentCode, type IncidentFacts, incidentDraft } from '../domain/incidents.ts';
import type { RefusalCode } from '../domain/launch/verdict.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { IssuedOrder, RunState } from '../domain/logbook/run-state.ts';
import { assertNever, type DigestOf, type Instant } from '../domain/values.ts';
import { findEarlierJobFault } from './earlier-jobs.ts';
import { mintSubmission } from './mint.ts';
import {
  type Action,
  type ClaimBasis,
  type EarlierClaimStatus,
  type Ending,
  type Refusal,
  type Refused,
  redactAndCut,
} from './pipeline.ts';
import { findOrder, isClaimLost, isClaimStale, judgeOrder, type OrderFacts } from './verify-order.ts';

export type Submitted = { readonly kind: 'submitted'; readonly jobId: string; readonly adopted: boolean };

/** The files of the approved tree, shipped and ready to start. */
export type ShippedJob = {
  readonly kind: 'shipped';
  readonly spec: JobSpec;
  readonly scrubbedCommand: readonly string[];
  readonly urlsOf: (jobId: string) => Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string | number>>;
  /** Removes the shipped files, unless a job runs in them. `runsIn`: the folder in which the job runs. */
  readonly removeFiles: (runsIn: string | null) => Promise<void>;
};

/** Why an order is rejected while its files are shipped. */
export type ShipRefusal = Refusal & { readonly code: RefusalCode };

export type Launch = {
  readonly orderDigest: string;
  readonly repository: string;
  readonly digestOf: DigestOf;
  readonly workflowRun: number;
  readonly workflowRunUrl: string;
  /** Why this machine keeps no record of a job of the cluster; null or left out if it keeps one. */
  readonly stateProblem?: string | null;
  /** The cluster of the run's lane, and its engine; null if this runner has no engine for it. */
  readonly cluster: string;
  readonly engine: Engine | null;
  /** The run in the verified record at this moment. */
  readonly state: () => RunState | null;
  /** The other runs of the same lane to check. */
  readonly others: (state: RunState) => readonly RunState[];
  readonly facts: (state: RunState) => Promise<OrderFacts>;
  readonly ship: (state: RunState, order: IssuedOrder) => Promise<ShippedJob | ShipRefusal>;
  readonly now: () => Instant;
  readonly sleep: (durationMs: number) => Promise<void>;
  readonly boundary: (kind: string, moment: 'before' | 'after') => void;
  readonly redact: (text: string) => string;
};

export type Target = { readonly state: RunState; readonly order: IssuedOrder };

/** A launch as an action of the pipeline. */
export function launchAction(launch: Launch): Action<Target, ShippedJob, Submitted> {
  return {
    find: () => {
      const state = launch.state();
      const found = findOrder(state, launch.orderDigest, launch);
      if (found.kind === 'refused') return found;
      return { kind: 'found', target: found, isClaimed: found.order.status === 'claimed' };
    },
    verify: async ({ state }) => {
      const { cluster, engine, stateProblem = null } = launch;
      // This may wait, so it comes before the facts are read.
      const live =
        engine === null
          ? null
          : await findEarlierJobFault(state, launch.others(state), { cluster, engine, clock: launch });
      const judged = judgeOrder(state, launch.orderDigest, await launch.facts(state));
      if (judged !== null) return judged;
      return stateProblem === null
        ? live
        : { kind: 'refused', code: 'no-state-directory', effect: 'ending', why: stateProblem };
    },
    prepare: async ({ state, order }) => {
      const shipped = await launch.ship(state, order);
      return shipped.kind === 'refused' ? shipped : { kind: 'ready', ready: shipped };
    },
    claim: (target) => claim(launch, target),
    perform: (target, shipped, under) => submit(launch, target, shipped, under),
    checkEarlierClaim: (target) => checkEarlierClaim(launch, target),
    recordRefusal: (target, refusal) => recordRefusal(launch, target, refusal),
    discard: (shipped) => shipped.removeFiles(null),
  };
}

async function claim(
  launch: Launch,
  { order }: Target,
): Promise<{ readonly kind: 'claim'; readonly draft: EventDraft } | Refusal> {
  const { engine, workflowRun } = launch;
  const session = engine === null ? null : await engine.session();
  // Without the session id, no later check could decide whether the engine has forgotten a job of this claim.
  if (engine?.forgetsWithSession === true && session?.kind === 'unknown') {
    const why = `the cluster does not answer, so nothing was claimed: ${session.message}`;
    return { kind: 'refused', code: 'submit-unknown', effect: 'standing', why };
  }
  const engineSession = session?.kind === 'session' ? session.id : '';
  const { attempt } = order.order;
  const data = { orderDigest: order.digest, attempt, workflowRun, engineSession };
  return { kind: 'claim', draft: { type: 'claimed', role: 'runner', data } };
}

/** Allows a submission only if the engine answers *absent*, in time and in the session of the claim. */
async function checkEarlierClaim(launch: Launch, { order }: Target): Promise<EarlierClaimStatus<Submitted>> {
  const { engine } = launch;
  if (engine === null) return { kind: 'over', ending: endWithoutEngine(launch) };
  // Without the folder of the claim, a missing job proves nothing.
  if (launch.stateProblem) return { kind: 'over', ending: endAsUnknown(launch, launch.stateProblem) };
  // No submission was recorded, so a missing job is *absent* and not *lost*.
  const found = await engine.observe(order.order.submissionId, null);
  if (found.kind === 'unknown') return { kind: 'over', ending: endAsUnknown(launch, found.message) };
  if (found.kind === 'state-lost')
    return { kind: 'over', ending: endAsFailed(launch, 'submit-unknown', found.message) };
  // A waiting job may only have a claimed start, or may be starting already: the two cannot be distinguished.
  if (found.kind === 'found') return { kind: found.status === 'PENDING' ? 'waits' : 'under-way' };
  const { claim: claimed } = order;
  if (isClaimLost(order, engine, found.session)) {
    const why = `the cluster restarted after the claim (${claimed?.engineSession ?? ''} then, ${found.session ?? ''} now) and knows nothing of before`;
    return { kind: 'not-begun', bar: endAsFailed(launch, 'submit-unknown', why) };
  }
  const why = 'the order was claimed two hours ago and never submitted';
  const isStale = isClaimStale(order, launch.now());
  return { kind: 'not-begun', bar: isStale ? endAsFailed(launch, 'submit-rejected', why) : null };
}

/** Adopts a job that was found before. If that job has disappeared since, no other job is started. */
async function submit(
  launch: Launch,
  { order }: Target,
  shipped: ShippedJob,
  under: ClaimBasis,
): Promise<Ending<Submitted | Refused>> {
  const { engine } = launch;
  if (engine === null) return endWithoutEngine(launch);
  const claimed = launch.state();
  if (claimed === null) throw new Error(`the claimed run ${order.order.run} is not in the logbook`);
  const now = launch.now();
  const capability = mintSubmission(claimed, shipped.spec, now);
  launch.boundary('submit-job', 'before');
  const isBegun = under.kind === 'begun-before';
  const spec = isBegun ? { ...shipped.spec, adoptOnly: true } : shipped.spec;
  const outcome = await engine.submit(spec, { capability, now });
  launch.boundary('submit-job', 'after');
  await shipped.removeFiles(unsafeReasonFor(outcome, shipped));
  if (outcome.kind === 'absent' && isBegun && under.refusal !== null) return under.refusal;
  return endingForOutcome(launch, { order, shipped, engine }, outcome);
}

/** The folder on this machine in which a job runs or may run; null if there is none. */
function unsafeReasonFor(outcome: SubmitOutcome, { spec }: ShippedJob): string | null {
  if (outcome.kind === 'unknown') return spec.workingDirectory;
  if (outcome.kind !== 'submitted' && outcome.kind !== 'adopted') return null;
  const { locator } = outcome.job;
  return locator.kind === 'process' ? locator.workingDirectory : null;
}

type PreparedLaunch = { readonly order: IssuedOrder; readonly shipped: ShippedJob; readonly engine: Engine };

function endingForOutcome(
  launch: Launch,
  { order, shipped, engine }: PreparedLaunch,
  outcome: SubmitOutcome,
): Ending<Submitted | Refused> {
  switch (outcome.kind) {
    case 'submitted':
    case 'adopted': {
      const { jobId, locator, session } = outcome.job;
      const adopted = outcome.kind === 'adopted';
      const data = {
        orderDigest: order.digest,
        attempt: order.order.attempt,
        engine: engine.name,
        jobId,
        cluster: launch.cluster,
        command: shipped.scrubbedCommand,
        commit: order.order.commit,
        adopted,
        urls: { ...locatorPageUrl(locator), ...shipped.urlsOf(jobId) },
        details: { ...shipped.details, ...locatorDetails(locator), session: session ?? '' },
      };
      return { draft: { type: 'submitted', role: 'runner', data }, outcome: { kind: 'submitted', jobId, adopted } };
    }
    case 'conflict': {
      const whose = outcome.found?.run ?? 'unknown origin';
      return endAsFailed(launch, 'submit-conflict', `a job of ${whose} runs under our id`);
    }
    case 'rejected':
      return endAsFailed(launch, 'submit-rejected', `${outcome.code}: ${outcome.message}`);
    case 'unknown':
      return endAsUnknown(launch, outcome.message);
    case 'absent':
      return endAsFailed(
        launch,
        'submit-unknown',
        'the job was seen there, is there no more, and was not started again',
      );
    default:
      return assertNever(outcome);
  }
}

/** The job's page in the engine's dashboard, for people. */
function locatorPageUrl(locator: JobLocator): Readonly<Record<string, string>> {
  return locator.kind === 'dashboard' && locator.url !== '' ? { dashboard: locator.url } : {};
}

function locatorDetails(locator: object): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(locator).filter(
      (pair): pair is [string, string | number] => typeof pair[1] === 'string' || typeof pair[1] === 'number',
    ),
  );
}

/** Ends a claimed order that provably started no job as a rejected submission. Reports an unreadable fact once. */
function recordRefusal(launch: Launch, { state, order }: Target, { code, effect, why }: Refusal): EventDraft | null {
  if (effect === 'ending') {
    if (order.status === 'claimed') return buildIncident(launch, 'submit-rejected', { why: `${code}: ${why}` });
    return buildIncident(launch, 'runner-refused', { reason: code, why, url: launch.workflowRunUrl });
  }
  return code === 'unreadable' && !isRefusalReported(state, launch.orderDigest)
    ? buildIncident(launch, 'launch-unreadable', { why })
    : null;
}

/** The incident stays open, so a retry does not repeat it. */
function isRefusalReported(state: RunState, orderDigest: string): boolean {
  const told = filterIncidents(state.incidents, 'launch-unreadable');
  return told.some(({ detail }) => detail.orderDigest === orderDigest);
}

function endWithoutEngine(launch: Launch): Ending<Refused> {
  return endAsFailed(launch, 'submit-rejected', `no engine for ${launch.cluster} on this runner`);
}

/** It is unknown whether the job started: record nothing, so that the next try checks again. */
function endAsUnknown({ redact }: Launch, why: string): Ending<Refused> {
  return { draft: null, outcome: { kind: 'refused', code: 'submit-unknown', why: redact(why) } };
}

function endAsFailed(launch: Launch, code: Extract<LaunchIncident, `submit-${string}`>, why: string): Ending<Refused> {
  return { draft: buildIncident(launch, code, { why }), outcome: { kind: 'refused', code, why: launch.redact(why) } };
}

/** The incidents that a launcher records about an order. */
type LaunchIncident = Extract<IncidentCode, 'runner-refused' | 'launch-unreadable' | `submit-${string}`>;

/** An incident of this order. Program and server output is redacted before it is cut, so that no part of a secret remains. */
function buildIncident<Code extends LaunchIncident>(
  launch: Launch,
  code: Code,
  facts: IncidentFacts<Code>,
): EventDraft {
  const draft = incidentDraft('runner', code, facts);
  const clean = Object.entries(draft.data.detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? redactAndCut(launch, value) : value,
  ]);
  const detail = { orderDigest: launch.orderDigest, ...Object.fromEntries(clean) };
  return { ...draft, data: { code, detail } };
}
