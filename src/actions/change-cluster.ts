/**
 * The action *change of a cluster*: carries out one approved proposal exactly once. A process that finds an earlier claim
 * makes no call; it only verifies the result.
 */

import { type ActionRecord, areSameSteps, type ChangeStep } from '../domain/actions/action.ts';
import type { Capability, Permit } from '../domain/actions/capability.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { addMs, fromRfc3339, type Instant } from '../domain/values.ts';
import { mintAction } from './mint.ts';
import { type Action, type Ending, type Refusal, type Refused, redactAndCut } from './pipeline.ts';
import { type ActionFacts, type ActionFaultCode, findActionFault } from './verify-action.ts';

export type ChangeEnd = Pick<EventDataByType['action-ended'], 'outcome' | 'code' | 'detail'>;

/** `changed`: the target is no longer as proposed. `unknown`: it could not be read, and a retry may succeed. */
export type TargetCheck =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'changed';
      readonly code: 'target-changed' | 'steps-changed' | 'list-changed';
      readonly why: string;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/** `stop`: the change ends here with this outcome; null: the next step may follow. */
export type StepEnd = { readonly report: string; readonly stop: Pick<ChangeEnd, 'outcome' | 'code'> | null };

/** The operations of one kind of change. No method throws for an expected outcome. */
export type Executor = {
  /** Checks the target before the claim and again after it. */
  readonly check: () => Promise<TargetCheck>;
  /** Makes the one call of a step. `index` counts from 0. */
  readonly perform: (step: ChangeStep, permit: Permit, index: number) => Promise<StepEnd>;
  /** Checks the result. `wasInterrupted`: an earlier runner claimed the change and did not report its end. */
  readonly verify: (claimedAt: Instant, wasInterrupted: boolean) => Promise<ChangeEnd>;
};

export type Clock = { readonly now: () => Instant; readonly sleep: (durationMs: number) => Promise<void> };

/** The surroundings in which steps are performed; tests stop the process at a `boundary`. */
export type StepContext = Pick<Clock, 'now'> & {
  readonly boundary: (kind: string, moment: 'before' | 'after') => void;
};

/** Performs each step once, in order. The first unsuccessful step ends the change; otherwise the executor verifies the result. */
export async function performSteps(
  { now, boundary }: StepContext,
  executor: Executor,
  steps: readonly ChangeStep[],
  { capability, claimedAt }: { readonly capability: Capability; readonly claimedAt: Instant },
): Promise<ChangeEnd> {
  const until = addMs(claimedAt, limits.actionLifetimeMs);
  const detail: Record<string, string | number> = {};
  for (const [index, step] of steps.entries()) {
    boundary(step.kind, 'before');
    const { report, stop } =
      now() < until ? await executor.perform(step, { capability, now: now() }, index) : OUT_OF_TIME;
    boundary(step.kind, 'after');
    detail[`step ${index + 1}`] = report;
    if (stop === null) continue;
    const outcome = stop.outcome === 'refused' && index > 0 ? 'failed' : stop.outcome;
    return { outcome, code: stop.code, detail };
  }
  const end = await executor.verify(claimedAt, false);
  return { ...end, detail: { ...detail, ...end.detail } };
}

const OUT_OF_TIME: StepEnd = {
  report: 'not begun: the hour since the claim was over',
  stop: { outcome: 'refused', code: 'out-of-time' },
};

/** The fault to report if the steps are no longer those that the proposal showed, or null. */
export function findStepChange(
  shown: readonly ChangeStep[],
  now: readonly ChangeStep[],
): Extract<TargetCheck, { kind: 'changed' }> | null {
  if (areSameSteps(shown, now)) return null;
  return { kind: 'changed', code: 'steps-changed', why: 'the config has other steps by now' };
}

/** Polls until `isFound` or until `waitMs` is over, and returns the last observation. */
export async function pollUntil<Seen>(
  { now, sleep }: Clock,
  { waitMs, periodMs }: { readonly waitMs: number; readonly periodMs: number },
  look: () => Promise<Seen>,
  isFound: (seen: Seen) => boolean,
): Promise<Seen> {
  const until = addMs(now(), waitMs);
  for (;;) {
    const seen = await look();
    if (isFound(seen) || now() >= until) return seen;
    await sleep(Math.min(periodMs, Math.max(1, until - now())));
  }
}

export type ChangeResult = { readonly kind: 'ended'; readonly outcome: ChangeEnd['outcome']; readonly code: string };

export type ClusterChange = {
  /** A run, or `journal`. */
  readonly file: string;
  /** Digest of the proposal: the only input about it from the workflow. */
  readonly digest: string;
  readonly workflowRun: number;
  /** The verified record at this moment. `state` is null for the journal. `actions` is null if there is no such run. */
  readonly record: () => { readonly state: RunState | null; readonly actions: readonly ActionRecord[] | null };
  readonly facts: (target: ChangeTarget) => Promise<ActionFacts>;
  /** Null if this runner cannot carry out the change: it belongs to another cluster, or the config has no connection to it. */
  readonly executorFor: (action: ActionRecord) => Executor | null;
  readonly place: StepContext;
  readonly redact: (text: string) => string;
};

export type ChangeTarget = { readonly state: RunState | null; readonly action: ActionRecord };

/** Faults that leave the proposal open: a retry may succeed, or the proposal was never for this runner. */
const RETRYABLE_FAULTS: ReadonlySet<ActionFaultCode> = new Set([
  'not-proposed',
  'other-repository',
  'other-record',
  'already-over',
  'no-consent',
  'approval-outdated',
  'pre-approval-used-up',
  'held',
  'unreadable',
]);

type Target = ChangeTarget & { readonly executor: Executor };

/** The action that carries out one proposal. */
export function changeAction(change: ClusterChange): Action<Target, Executor, ChangeResult> {
  return {
    find: () => findTarget(change),
    verify: async (target) => {
      const { approvals: consents } = target.action;
      const fault = findActionFault(await change.facts(target), consents.at(-1) ?? null);
      return fault === null ? null : buildRefusal(fault.code, fault.why, RETRYABLE_FAULTS.has(fault.code));
    },
    prepare: async ({ executor }) => {
      const look = await executor.check();
      if (look.kind === 'unknown') return buildRefusal('unreadable', look.why, true);
      if (look.kind === 'changed') return buildRefusal(look.code, look.why, false);
      return { kind: 'ready', ready: executor };
    },
    claim: async ({ action }) => {
      const consent = action.approvals.at(-1);
      if (consent === undefined) throw new Error('a change without a consent was not refused');
      const data = { proposal: action.digest, consent: consent.seq, workflowRun: change.workflowRun };
      return { kind: 'claim', draft: { type: 'action-claimed', role: 'runner', data } };
    },
    // The claim is in the record: check everything again, and record the outcome in any case.
    perform: async (_target, executor, claim) => {
      const found = findTarget(change);
      if (found.kind === 'refused') return { draft: null, outcome: found };
      if (claim.kind !== 'claimed') throw new Error('a change that was not begun here');
      const { action } = found.target;
      const minted = mintAction(await change.facts(found.target), claim.claim);
      if (!minted.ok) return endWith(change, action, refusalToEnd(minted.error));
      const look = await executor.check();
      if (look.kind !== 'same') return endWith(change, action, refusalToEnd({ code: 'unreadable', ...look }));
      const under = { capability: minted.value, claimedAt: claimTime(action) };
      return endWith(change, action, await performSteps(change.place, executor, action.proposal.steps, under));
    },
    checkEarlierClaim: async ({ action, executor }) => ({
      kind: 'over',
      ending: endWith(change, action, await executor.verify(claimTime(action), true)),
    }),
    recordRefusal: ({ action }, { effect, code, why }) =>
      effect === 'standing' ? null : endWith(change, action, refusalToEnd({ code, why })).draft,
    discard: async () => undefined,
  };
}

function findTarget(change: ClusterChange): ReturnType<Action<Target, Executor, ChangeResult>['find']> {
  const { state, actions } = change.record();
  if (actions === null) return buildRefusal('not-proposed', `there is no run ${change.file}`, true);
  const action = actions.find(({ digest }) => digest === change.digest);
  if (action === undefined) return buildRefusal('not-proposed', 'the record has no such proposal', true);
  if (action.ended !== null) return buildRefusal('already-over', action.ended.code, true);
  if (state !== null && isOver(state)) return buildRefusal('already-over', `${change.file} is over`, true);
  const executor = change.executorFor(action);
  if (executor === null) return buildRefusal('no-executor', `nothing here changes ${action.proposal.cluster}`, true);
  return { kind: 'found', target: { state, action, executor }, isClaimed: action.claim !== null };
}

function buildRefusal(code: string, why: string, isRetryable: boolean): Refusal {
  return { kind: 'refused', code, why, effect: isRetryable ? 'standing' : 'ending' };
}

function claimTime({ claim: begun }: ActionRecord): Instant {
  const at = fromRfc3339(begun?.at ?? '');
  if (at === null) throw new Error('a claim without a time');
  return at;
}

function refusalToEnd({ code, why }: Pick<Refusal, 'code' | 'why'>): ChangeEnd {
  return { outcome: 'refused', code, detail: { why } };
}

function endWith(change: ClusterChange, { digest }: ActionRecord, end: ChangeEnd): Ending<ChangeResult | Refused> {
  const { outcome, code } = end;
  const detail = Object.fromEntries(
    Object.entries(end.detail).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : redactAndCut(change, value),
    ]),
  );
  const data = { proposal: digest, outcome, code, detail };
  return { draft: { type: 'action-ended', role: 'runner', data }, outcome: { kind: 'ended', outcome, code } };
}
