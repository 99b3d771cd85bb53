/**
 * The act *change of a cluster*: one proposal that somebody consented to, carried out once for ever. Who finds it begun
 * calls nothing and looks what became of it.
 */

import type { ActionRecord } from '../domain/actions/action-state.ts';
import type { Instant } from '../domain/ids.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { mintAction } from './mint.ts';
import { type ChangeEnd, type Executor, performSteps, type StepPlace } from './perform-steps.ts';
import { type Action, bounded, type Ending, type Refusal, type Refused } from './pipeline.ts';
import { type ActionFacts, type ActionFaultCode, actionFault } from './verify-action.ts';

export type Changed = {
  readonly kind: 'ended';
  readonly outcome: ChangeEnd['outcome'];
  readonly code: string;
};

export type ClusterChange = {
  /** A run, or `journal`. */
  readonly file: string;
  /** Digest of the proposal. Nothing else about it is taken from the workflow. */
  readonly digest: string;
  readonly workflowRun: number;
  /** What the verified record has at this moment. `state` is null for the journal; `actions` null: there is no such run. */
  readonly record: () => {
    readonly state: RunState | null;
    readonly actions: readonly ActionRecord[] | null;
  };
  readonly facts: (target: ChangeTarget) => Promise<ActionFacts>;
  /** Null where this runner cannot carry it out: another cluster, or no place in the config. */
  readonly executorFor: (action: ActionRecord) => Executor | null;
  readonly place: StepPlace;
  readonly redact: (text: string) => string;
};

export type ChangeTarget = { readonly state: RunState | null; readonly action: ActionRecord };

/** Faults that leave the proposal as it is: it may still be carried out, or was never this runner's. */
const STANDING: ReadonlySet<ActionFaultCode> = new Set([
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

/** The change that one proposal is for. */
export function changeAction(change: ClusterChange): Action<Target, Executor, Changed> {
  return {
    find: () => find(change),
    verify: async (target) => {
      const { approvals: consents } = target.action;
      const fault = actionFault(await change.facts(target), consents.at(-1) ?? null);
      return fault === null ? null : refusal(fault.code, fault.why, STANDING.has(fault.code));
    },
    prepare: async ({ executor }) => {
      const look = await executor.look();
      if (look.kind === 'unknown') return refusal('unreadable', look.why, true);
      if (look.kind === 'changed') return refusal(look.code, look.why, false);
      return { kind: 'ready', ready: executor };
    },
    claim: async ({ action }) => {
      const consent = action.approvals.at(-1);
      if (consent === undefined) throw new Error('a change without a consent was not refused');
      const data = { proposal: action.digest, consent: consent.seq, workflowRun: change.workflowRun };
      return { kind: 'claim', draft: { type: 'action-claimed', role: 'runner', data } };
    },
    // The claim stands: everything is asked once more, and what comes of it is recorded whatever it is.
    perform: async (_target, executor, claim) => {
      const found = find(change);
      if (found.kind === 'refused') return { draft: null, outcome: found };
      if (claim.kind !== 'claimed') throw new Error('a change that was not begun here');
      const { action } = found.target;
      const minted = mintAction(await change.facts(found.target), claim.claim);
      if (!minted.ok) return ended(change, action, refusedEnd(minted.error));
      const look = await executor.look();
      if (look.kind !== 'same') return ended(change, action, refusedEnd({ code: 'unreadable', ...look }));
      const under = { capability: minted.value, claimedAt: begunAt(action) };
      return ended(change, action, await performSteps(change.place, executor, action.proposal.steps, under));
    },
    lookBack: async ({ action, executor }) => ({
      kind: 'over',
      ending: ended(change, action, await executor.verify(begunAt(action), true)),
    }),
    refused: ({ action }, { effect, code, why }) =>
      effect === 'standing' ? null : ended(change, action, refusedEnd({ code, why })).draft,
    discard: async () => undefined,
  };
}

function find(change: ClusterChange): ReturnType<Action<Target, Executor, Changed>['find']> {
  const { state, actions } = change.record();
  if (actions === null) return refusal('not-proposed', `there is no run ${change.file}`, true);
  const action = actions.find(({ digest }) => digest === change.digest);
  if (action === undefined) return refusal('not-proposed', 'the record has no such proposal', true);
  if (action.ended !== null) return refusal('already-over', action.ended.code, true);
  if (state !== null && isOver(state)) return refusal('already-over', `${change.file} is over`, true);
  const executor = change.executorFor(action);
  if (executor === null)
    return refusal('no-executor', `nothing here changes ${action.proposal.cluster}`, true);
  return { kind: 'found', target: { state, action, executor }, isClaimed: action.claim !== null };
}

function refusal(code: string, why: string, isStanding: boolean): Refusal {
  return { kind: 'refused', code, why, effect: isStanding ? 'standing' : 'ending' };
}

function begunAt({ claim: begun }: ActionRecord): Instant {
  const at = fromRfc3339(begun?.at ?? '');
  if (at === null) throw new Error('a claim without a time');
  return at;
}

function refusedEnd({ code, why }: Pick<Refusal, 'code' | 'why'>): ChangeEnd {
  return { outcome: 'refused', code, detail: { why } };
}

function ended(change: ClusterChange, { digest }: ActionRecord, end: ChangeEnd): Ending<Changed | Refused> {
  const { outcome, code } = end;
  const detail = Object.fromEntries(
    Object.entries(end.detail).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : bounded(change, value),
    ]),
  );
  const data = { proposal: digest, outcome, code, detail };
  return {
    draft: { type: 'action-ended', role: 'runner', data },
    outcome: { kind: 'ended', outcome, code },
  };
}
