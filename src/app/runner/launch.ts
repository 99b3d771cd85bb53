/** mode: launch, on the runner that holds the cluster's credentials: one order, verified, claimed, submitted, recorded. */

import { mintSubmission } from '../../actions/mint.ts';
import {
  isClaimForgotten,
  isClaimStale,
  judgeOrder,
  type OrderJudgement,
} from '../../actions/verify-order.ts';
import { type LaunchHome, type LaunchPlace, misplaced } from '../../actions/verify-place.ts';
import { anyLane } from '../../config/lane-scope.ts';
import { assertNever } from '../../domain/assert.ts';
import { cutText } from '../../domain/cut-text.ts';
import type { Engine, JobLocator, SubmitOutcome } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import {
  type IncidentCode,
  type IncidentFacts,
  incidentDraft,
  incidentsWith,
} from '../../domain/incidents.ts';
import { citationKey } from '../../domain/launch/order.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import type { IssuedOrder, RunState } from '../../domain/logbook/run-state.ts';
import type { EngineOf } from '../lab.ts';
import { type OpenLab, type OpenLane, openForRun } from '../open-lab.ts';
import { claim, engineFor } from './claim.ts';
import { gatherOrderFacts } from './order-facts.ts';
import { recordFault } from './record-fault.ts';
import { type ShippedJob, shipJob } from './ship-job.ts';
import type { ShipTree } from './ship-tree.ts';

/** What a launcher records about an order. */
type LaunchIncident = Extract<IncidentCode, 'runner-refused' | 'launch-unreadable' | `submit-${string}`>;

export type LaunchOutcome =
  | { readonly kind: 'submitted'; readonly jobId: string; readonly adopted: boolean }
  | { readonly kind: 'refused'; readonly code: string; readonly why: string }
  | { readonly kind: 'failed'; readonly code: LaunchIncident | 'logbook-busy'; readonly why: string };

export type LaunchInput = {
  readonly run: string;
  readonly orderDigest: string;
  /** What GitHub says about the workflow run: only the default branch's launcher may launch. */
  readonly place: LaunchPlace;
  readonly defaultBranch: string;
  readonly workflowRun: number;
  readonly engineOf: EngineOf;
  /** Folder that outlives the checkout: where a job of this machine keeps its records and runs. */
  readonly stateDirectory: string;
  /** What the runner empties after each job. */
  readonly temporaryDirectory: string;
  readonly shipTree: ShipTree;
  /** The runner's environment, of which the job gets what the config names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes every secret out of a text, those passed to the job included. */
  readonly redact: (text: string) => string;
};

/** Carries out one order. Every refusal has its code; nothing is submitted before the claim was pushed. */
export async function launch(lab: OpenLab, input: LaunchInput): Promise<LaunchOutcome> {
  const recorded = stateOf(lab, input.run);
  const open = recorded === null ? { ...lab, config: anyLane(lab.config) } : openForRun(lab, recorded);
  const wrong = misplaced(input.place, homeOf(open, input));
  if (wrong !== null) return { kind: 'refused', ...wrong };
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const untrusted = recordFault(open.keeper.current(), input.run);
    if (untrusted !== null) return untrusted;
    const state = stateOf(open, input.run);
    const facts = await gatherOrderFacts(open, state);
    const judgement = judgeOrder(state, input.orderDigest, facts);
    if (judgement.kind === 'refuse') return refused(open, input, state, judgement);
    if (state === null) throw new Error('an order without a run was not refused');
    if (judgement.kind === 'resume') return resume(open, input, state, judgement);
    const shipped = await shipJob(open, state, judgement.order, engineFor(open, input), input);
    if (shipped.kind === 'refused') return refused(open, input, state, shipped);
    const claimed = await claim(open, input, judgement.order);
    if (typeof claimed !== 'object') await open.keeper.load();
    // Read once more behind the claim: a branch that was put back under it is told by its marks.
    const lost = recordFault(open.keeper.current(), input.run);
    if (claimed === 'claimed' && lost === null) return submit(open, input, judgement.order, shipped);
    await shipped.leave(null);
    if (typeof claimed === 'object') return claimed;
    if (lost !== null) return lost;
  }
  return { kind: 'failed', code: 'logbook-busy', why: 'the logbook kept moving' };
}

function homeOf({ lab, config }: OpenLab, { defaultBranch }: LaunchInput): LaunchHome {
  return { repository: lab.repository, defaultBranch, workflow: config.workflows.launch };
}

function stateOf(open: OpenLab, run: string): RunState | null {
  return open.keeper.current().runs.find((state) => state.run === run) ?? null;
}

async function refused(
  open: OpenLane,
  input: LaunchInput,
  state: RunState | null,
  refusal: { readonly code: string; readonly effect: 'standing' | 'ending'; readonly why: string },
): Promise<LaunchOutcome> {
  const { code, effect, why } = refusal;
  const approvals = (state?.order?.order.approvals ?? []).map(citationKey).join(' ');
  if (effect === 'ending')
    await record(open, input.run, incident(input, 'runner-refused', { reason: code, why, approvals }));
  else if (code === 'unreadable' && state !== null && !isTold(state, input.orderDigest))
    await record(open, input.run, incident(input, 'launch-unreadable', { why }));
  return { kind: 'refused', code, why: input.redact(why) };
}

/** What could not be checked is said once for an order: it stays open, and each further try would say the same. */
function isTold(state: RunState, orderDigest: string): boolean {
  return incidentsWith(state.incidents, 'launch-unreadable').some(
    ({ detail }) => detail.orderDigest === orderDigest,
  );
}

function withoutEngine(open: OpenLane, input: LaunchInput): Promise<LaunchOutcome> {
  const why = `no engine for ${open.config.lane.cluster} on this runner`;
  return fail(open, input, 'submit-rejected', why);
}

/** A claim was pushed and nobody recorded a submission: look under the id first; only a positive *absent* in time may submit. */
async function resume(
  open: OpenLane,
  input: LaunchInput,
  state: RunState,
  { order, ground }: Extract<OrderJudgement, { kind: 'resume' }>,
): Promise<LaunchOutcome> {
  const engine = engineFor(open, input);
  if (engine === null) return withoutEngine(open, input);
  // No submission was recorded, so the job was never seen: *nothing there* is *absent* and not *lost*.
  const found = await engine.observe(order.order.submissionId, null);
  if (found.kind === 'unknown')
    return { kind: 'failed', code: 'submit-unknown', why: input.redact(found.message) };
  if (found.kind === 'state-lost') return fail(open, input, 'submit-unknown', found.message);
  const isStarted = found.kind === 'found' && found.status !== 'PENDING';
  if (!isStarted && ground.kind === 'refuse') {
    if (ground.effect === 'standing') return refused(open, input, state, ground);
    return fail(open, input, 'submit-rejected', `${ground.code}: ${ground.why}`);
  }
  if (found.kind === 'absent' && isClaimForgotten(order, engine, found.session))
    return fail(
      open,
      input,
      'submit-unknown',
      `the cluster restarted after the claim (${order.claim?.engineSession ?? ''} then, ${found.session ?? ''} now) and knows nothing of before`,
    );
  if (found.kind === 'absent' && isClaimStale(order, open.lab.now()))
    return fail(open, input, 'submit-rejected', 'the order was claimed two hours ago and never submitted');
  const shipped = await shipJob(open, state, order, engine, input);
  if (shipped.kind === 'shipped') return submit(open, input, order, shipped);
  if (shipped.effect === 'standing') return refused(open, input, state, shipped);
  return fail(open, input, 'submit-rejected', `${shipped.code}: ${shipped.why}`);
}

async function submit(
  open: OpenLane,
  input: LaunchInput,
  order: IssuedOrder,
  shipped: ShippedJob,
): Promise<LaunchOutcome> {
  const engine = engineFor(open, input);
  if (engine === null) return withoutEngine(open, input);
  const claimed = stateOf(open, input.run);
  if (claimed === null) throw new Error(`the claimed run ${input.run} is not in the logbook`);
  const now = open.lab.now();
  const capability = mintSubmission(claimed, shipped.spec, now);
  open.lab.boundary('submit-job', 'before');
  const outcome = await engine.submit(shipped.spec, { capability, now });
  open.lab.boundary('submit-job', 'after');
  await shipped.leave(mayRunIn(outcome, shipped));
  return recordSubmit(open, input, order, shipped, engine, outcome);
}

/** The folder on this machine that a job runs in, or may; null: in none of ours. */
function mayRunIn(outcome: SubmitOutcome, { spec }: ShippedJob): string | null {
  if (outcome.kind === 'unknown') return spec.workingDirectory;
  if (outcome.kind !== 'submitted' && outcome.kind !== 'adopted') return null;
  const { locator } = outcome.job;
  return locator.kind === 'process' ? locator.workingDirectory : null;
}

async function recordSubmit(
  open: OpenLane,
  input: LaunchInput,
  order: IssuedOrder,
  shipped: ShippedJob,
  engine: Engine,
  outcome: SubmitOutcome,
): Promise<LaunchOutcome> {
  switch (outcome.kind) {
    case 'submitted':
    case 'adopted': {
      const { jobId } = outcome.job;
      const adopted = outcome.kind === 'adopted';
      const data = {
        orderDigest: order.digest,
        attempt: order.order.attempt,
        engine: engine.name,
        jobId,
        cluster: open.config.lane.cluster,
        command: shipped.scrubbedCommand,
        commit: order.order.commit,
        adopted,
        urls: { ...pageOf(outcome.job.locator), ...shipped.urlsOf(jobId) },
        details: {
          ...shipped.details,
          ...detailsOf(outcome.job.locator),
          session: outcome.job.session ?? '',
        },
      };
      await record(open, order.order.run, { type: 'submitted', role: 'runner', data });
      return { kind: 'submitted', jobId, adopted };
    }
    case 'conflict':
      return fail(
        open,
        input,
        'submit-conflict',
        `a job of ${outcome.found?.run ?? 'unknown origin'} runs under our id`,
      );
    case 'rejected':
      return fail(open, input, 'submit-rejected', `${outcome.code}: ${outcome.message}`);
    case 'unknown':
      return { kind: 'failed', code: 'submit-unknown', why: input.redact(outcome.message) };
    default:
      return assertNever(outcome);
  }
}

/** The engine's own page of the job, for people. */
function pageOf(locator: JobLocator): Readonly<Record<string, string>> {
  return locator.kind === 'dashboard' && locator.url !== '' ? { dashboard: locator.url } : {};
}

function detailsOf(locator: object): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(locator).filter(
      (pair): pair is [string, string | number] => typeof pair[1] === 'string' || typeof pair[1] === 'number',
    ),
  );
}

async function fail(
  open: OpenLane,
  input: LaunchInput,
  code: Exclude<LaunchIncident, 'runner-refused'>,
  why: string,
): Promise<LaunchOutcome> {
  await record(open, input.run, incident(input, code, { why }));
  return { kind: 'failed', code, why: input.redact(why) };
}

/** An incident of this order. What a program or a server said is redacted before it is cut: half a secret is one too. */
function incident<Code extends LaunchIncident>(
  { orderDigest, redact }: LaunchInput,
  code: Code,
  facts: IncidentFacts<Code>,
): EventDraft {
  const draft = incidentDraft('runner', code, facts);
  const bounded = Object.entries(draft.data.detail).map(([name, value]) => [
    name,
    cutText(redact(String(value)), limits.messageCharactersMax),
  ]);
  return { ...draft, data: { code, detail: { orderDigest, ...Object.fromEntries(bounded) } } };
}

/** Appends what has happened; a lost race is read again and appended again, because it has happened. */
async function record(open: OpenLane, run: string, draft: EventDraft): Promise<void> {
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const state = stateOf(open, run);
    if (state === null) throw new Error(`the run ${run} is not in the logbook`);
    if (draft.type === 'submitted' && state.submission !== null) return;
    const result = await open.keeper.append(state.run, [draft], open.lab.now());
    if (result.kind === 'appended') return;
    // What has happened stands in no record yet: the next try of this order looks under its id and finds it.
    if (result.kind === 'refused')
      throw new GitError('failed', `${draft.type} could not be recorded: ${result.message}`);
    if (result.kind === 'failed')
      throw new Error(`the logbook of ${run} could not be written: ${result.message}`);
    await open.keeper.load();
  }
  throw new Error(`the logbook of ${run} kept moving`);
}
