// Runs in any state: `aRun().gated().approved(alice).ordered().submitted().state` folds real, signed events.

import type { Actor } from '../../src/domain/actor.ts';
import type { Dispatch } from '../../src/domain/effect.ts';
import type { Order } from '../../src/domain/launch/order.ts';
import type { EventDataByType, EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import type { DropReason } from '../../src/domain/logbook/events/launch-events.ts';
import { foldEvent } from '../../src/domain/logbook/fold.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { addMs, brandAs, type Instant, isInstant } from '../../src/domain/values.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { sealEvents } from '../../src/logbook/append.ts';
import { keys, signers } from '../logbook/sample-logbook.ts';
import {
  approvalDrafts,
  type CommandInput,
  claimDraft,
  commandDrafts,
  dropData,
  endedData,
  gatedData,
  incidentDraft,
  labBot,
  observedData,
  orderData,
  sealedData,
  shownDraft,
  submittedData,
} from './run-drafts.ts';

const STEP_MS = 60_000;

/** Every method returns a new builder with more events, a minute apart; the old builder is unchanged. */
export type RunBuilder = {
  readonly state: RunState;
  readonly events: readonly LogbookEvent[];
  readonly later: (ms: number) => RunBuilder;
  readonly add: (...drafts: readonly EventDraft[]) => RunBuilder;
  readonly gated: (change?: Partial<EventDataByType['gated']>) => RunBuilder;
  /** The card shows the gates' result, since it was known. */
  readonly shown: () => RunBuilder;
  readonly commanded: (command: CommandInput) => RunBuilder;
  /** `named`: the record has the digest in the comment. */
  readonly approved: (by: Actor, naming?: 'named') => RunBuilder;
  readonly dropped: (reason: DropReason) => RunBuilder;
  readonly ordered: (change?: Partial<Order>) => RunBuilder;
  readonly claimed: () => RunBuilder;
  /** Claims the order first, if it is unclaimed. */
  readonly submitted: (change?: Partial<EventDataByType['submitted']>) => RunBuilder;
  readonly observed: (change?: Partial<EventDataByType['observed']>) => RunBuilder;
  readonly dispatched: (workflow: Dispatch['workflow'], subject: string, workflowRun?: number) => RunBuilder;
  readonly stopRequested: (by: Actor) => RunBuilder;
  readonly ended: (change?: Partial<EventDataByType['ended']>) => RunBuilder;
  readonly sealed: (by: Actor, change?: Partial<EventDataByType['sealed']>) => RunBuilder;
  readonly closed: (change?: Partial<EventDataByType['closed']>) => RunBuilder;
  readonly incident: (code: string, detail?: EventDataByType['incident']['detail']) => RunBuilder;
};

/** A proposed daily ferry of 2026-11-21 that raises the learning rate. */
export function aRun(change: Partial<EventDataByType['proposed']> & { readonly run?: string } = {}): RunBuilder {
  const { run: given, ...proposal } = change;
  const date = proposal.date ?? '2026-11-21';
  const run = given ?? `ferry-daily-${date.replaceAll('-', '')}`;
  const data: EventDataByType['proposed'] = {
    lane: 'daily',
    date,
    runName: `daily-125m-${date}`,
    repository: 'lab/models',
    issue: 12,
    pull: 13,
    baseBranch: 'main',
    headBranch: `ferrybot/proposal/${run}`,
    experiment: 'experiments/ferries/daily.py',
    objective: { kind: 'integration', text: 'daily integration check' },
    interval: { sinceCommit: null, sinceDate: '2026-11-14', fallback: true, lastRun: null },
    candidate: 'lr-up',
    author: labBot,
    requestedBy: null,
    keys: [],
    ...proposal,
  };
  const first: EventDraft = { type: 'proposed', role: 'control', data };
  return grown({ run, events: [], state: null, now: brandAs(Date.parse(`${date}T09:00:00.000Z`), isInstant) }, [first]);
}

type Growth = {
  readonly run: string;
  readonly events: readonly LogbookEvent[];
  readonly state: RunState | null;
  readonly now: Instant;
};

function grown(before: Growth, drafts: readonly EventDraft[]): RunBuilder {
  const head = before.events.at(-1);
  const sealed = sealEvents(
    {
      run: before.run,
      head: head === undefined ? null : { seq: head.seq, hash: head.hash },
      at: before.now,
      signers,
      keys,
      hash: sha256Hex,
    },
    drafts,
  );
  let state = before.state;
  for (const { event } of sealed) {
    const next = foldEvent(state, event);
    if (!next.ok) throw new Error(`entry ${next.error.seq}: ${next.error.rule}`);
    state = next.value;
  }
  if (state === null) throw new Error('a run without events');
  const events = [...before.events, ...sealed.map(({ event }) => event)];
  return builderOf({ run: before.run, events, state, now: addMs(before.now, STEP_MS) }, state);
}

function builderOf(growth: Growth, state: RunState): RunBuilder {
  const add = (...drafts: readonly EventDraft[]): RunBuilder => grown(growth, drafts);
  return {
    state,
    events: growth.events,
    later: (ms) => builderOf({ ...growth, now: addMs(growth.now, ms) }, state),
    add,
    gated: (change = {}) => add({ type: 'gated', role: 'control', data: { ...gatedData(state), ...change } }),
    shown: () => add(shownDraft(state)),
    commanded: (command) => add(...commandDrafts(state, command)),
    approved: (by, naming) => add(...approvalDrafts(state, by, naming)),
    dropped: (reason) => add({ type: 'approval-dropped', role: 'control', data: dropData(state, reason) }),
    ordered: (change = {}) => add({ type: 'ordered', role: 'control', data: orderData(state, growth.now, change) }),
    claimed: () => add(claimDraft(state)),
    submitted: (change = {}) => {
      const claim = state.order?.status === 'open' ? [claimDraft(state)] : [];
      return add(...claim, { type: 'submitted', role: 'runner', data: { ...submittedData(state), ...change } });
    },
    observed: (change = {}) =>
      add({ type: 'observed', role: 'watch', data: { ...observedData(growth.now), ...change } }),
    dispatched: (workflow, subject, workflowRun = 77) =>
      add({ type: 'dispatched', role: 'control', data: { workflow, subject, workflowRun } }),
    stopRequested: (by) =>
      add({ type: 'stop-requested', role: 'control', actor: by, data: { comment: 700, surface: 'comment' } }),
    ended: (change = {}) => add({ type: 'ended', role: 'watch', data: { ...endedData(state), ...change } }),
    sealed: (by, change = {}) =>
      add({ type: 'sealed', role: 'control', actor: by, data: { ...sealedData(state), ...change } }),
    closed: (change = {}) =>
      add({
        type: 'closed',
        role: 'control',
        data: { outcome: 'failed', reason: 'exit code 1', closurePull: 14, ...change },
      }),
    incident: (code, detail = {}) => add(incidentDraft(code, detail)),
  };
}
