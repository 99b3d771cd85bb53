/** fold: events in order become the state of a run; an illegal event stops it and names the entry. */

import type { Actor } from '../actor.ts';
import { assertNever } from '../assert.ts';
import { branded, isRunId, type Sha } from '../ids.ts';
import { readIncident } from '../incidents.ts';
import { asLaunched, pastAttempt, unfollowedAttempt } from '../launch/next-attempt.ts';
import { preApproval } from '../launch/pre-approval.ts';
import { readFacts } from '../payload.ts';
import { fail, ok, type Result } from '../result.ts';
import { momentOf, said } from './define.ts';
import { definitionOf, isDefined } from './definitions.ts';
import type { EventOf, LogbookEvent } from './event.ts';
import { NO_RENTAL } from './events/rental-events.ts';
import { NO_WATCH, type Taken, takenAfter, watchOfNextAttempt } from './events/watch-events.ts';
import { holdsAfter } from './journal-state.ts';
import { observed } from './observed-state.ts';
import { commandKey, type IssuedOrder, type RunState, type SeenCommand } from './run-state.ts';
import { illegalAfter } from './transition.ts';

/** The entry at which folding stopped and the rule that it breaks. */
export type IllegalEvent = { readonly seq: number; readonly rule: string };

/** Folds a run's events from the first. An empty list has no state: the run is not known here, which is not *new*. */
export function fold(events: readonly LogbookEvent[]): Result<RunState | null, IllegalEvent> {
  let state: RunState | null = null;
  for (const event of events) {
    const step = foldOne(state, event);
    if (!step.ok) return step;
    state = step.value;
  }
  return ok(state);
}

/** One more event on a state that was folded before. */
export function foldOne(state: RunState | null, event: LogbookEvent): Result<RunState, IllegalEvent> {
  const rule = illegalAfter(state, event);
  if (rule !== null) return fail({ seq: event.seq, rule });
  if (state === null)
    return event.type === 'proposed'
      ? ok(begin(event))
      : fail({ seq: event.seq, rule: 'a run begins with proposed' });
  return ok({ ...applied(state, event), head: { seq: event.seq, hash: event.hash, at: event.at } });
}

function begin(event: EventOf<'proposed'>): RunState {
  return {
    run: branded(event.run, isRunId),
    head: { seq: event.seq, hash: event.hash, at: event.at },
    proposal: event.data,
    proposedAt: event.at,
    contract: null,
    description: null,
    gate: null,
    shown: null,
    cardEdit: null,
    approvals: [],
    drops: [],
    order: null,
    dispatches: [],
    submission: null,
    observation: null,
    firstEval: null,
    firstTracker: null,
    trace: [],
    paces: [],
    fence: 0,
    stop: null,
    end: null,
    attempts: [],
    relaunchAsked: null,
    rollback: null,
    acknowledged: null,
    seal: null,
    closed: null,
    incidents: [],
    holds: [],
    commands: new Map(),
    mutations: [],
    rejections: [],
    milestones: [],
    notices: [],
    deliveries: [],
    taken: null,
    watch: NO_WATCH,
    rental: NO_RENTAL,
  };
}

function applied(state: RunState, event: LogbookEvent): RunState {
  if (isDefined(event)) return definitionOf(event).apply(state, event);
  const moment = momentOf(event);
  switch (event.type) {
    case 'proposed':
      return state;
    case 'contracted':
      return { ...state, contract: event.data.contract };
    case 'gated':
      return {
        ...state,
        gate: { ...event.data, ...moment },
        shown: shownStill(state, event),
        approvals: approvalsStill(state, event.data.commit),
      };
    case 'shown':
      return { ...state, shown: { ...event.data, ...moment } };
    case 'approved':
      return { ...state, approvals: [...state.approvals, { ...event.data, ...said(event) }] };
    case 'approval-dropped':
      return dropped(state, event);
    case 'ordered':
      return {
        ...afterAttempt(state, event.at),
        order: {
          order: event.data.order,
          digest: event.data.orderDigest,
          status: 'open',
          manifest: state.gate?.manifest ?? null,
          ...moment,
          claim: null,
        },
      };
    case 'dispatched':
      return { ...state, dispatches: [...state.dispatches, { ...event.data, ...moment }] };
    case 'claimed':
      return withOrder(state, { status: 'claimed', claim: { ...event.data, at: event.at } });
    case 'submitted':
      // rule ML-24
      return { ...withOrder(state, { status: 'submitted' }), submission: { ...event.data, ...moment } };
    case 'observed':
      return observed(state, event);
    case 'stop-requested':
      return stopped(state, event);
    case 'ended':
      return { ...state, end: { ...event.data, ...moment }, fence: event.data.fence };
    case 'sealed':
      return { ...state, seal: { ...event.data, ...said(event) } };
    case 'closed':
      return { ...asLaunched(voided(state)), closed: { ...event.data, ...moment } };
    case 'incident':
      return incident(state, event);
    case 'held':
      return { ...voided(state), holds: holdsAfter(state.holds, event) };
    case 'released':
      return { ...state, holds: holdsAfter(state.holds, event) };
    case 'command-seen':
      return withCommand(state, commandKey(event.data), { ...event.data, ...said(event), answer: null });
    case 'command-answered':
      return answered(state, event);
    default:
      return assertNever(event);
  }
}

/** A new order after a job that failed begins anew; what was is kept. */
function afterAttempt(state: RunState, at: string): RunState {
  const past = pastAttempt(state);
  if (past === null) return state;
  const fresh = {
    submission: null,
    observation: null,
    firstEval: null,
    firstTracker: null,
    end: null,
    acknowledged: null,
    watch: watchOfNextAttempt(state.watch, at),
  };
  return { ...state, ...fresh, trace: [], paces: [], attempts: [...state.attempts, past] };
}

/** A gate that answers otherwise on the same manifest and text shows nothing new to whoever approves it. */
function shownStill({ shown }: RunState, { data }: EventOf<'gated'>): RunState['shown'] {
  return shown !== null && shown.digest === data.digest && shown.body === data.body ? shown : null;
}

/** Whoever approved an attempt that has failed has approved nothing of what is pushed after it, but a fix that its manifest names. */
function approvalsStill(state: RunState, commit: Sha): RunState['approvals'] {
  const { approvals, end } = state;
  if (end === null) return approvals;
  const fix = preApproval(state);
  const named = fix?.commit === commit ? fix.digest : null;
  return approvals.filter(({ seq, digest }) => seq > end.seq || digest === named);
}

function withOrder(state: RunState, change: Partial<IssuedOrder>): RunState {
  return state.order === null ? state : { ...state, order: { ...state.order, ...change } };
}

/** What takes away the ground of an order takes the order with it, unless the runner has claimed it already. */
function voided(state: RunState): RunState {
  return state.order?.status === 'open' ? withOrder(state, { status: 'void' }) : state;
}

function dropped(state: RunState, event: EventOf<'approval-dropped'>): RunState {
  const users = new Set(event.data.users);
  const kept = state.approvals.filter((a) => !(a.digest === event.data.digest && users.has(a.actor.id)));
  return { ...voided(state), approvals: kept, drops: [...state.drops, event] };
}

/** A stop before the launch takes the approvals with it: launching after all is a new decision. */
function stopped(state: RunState, event: EventOf<'stop-requested'>): RunState {
  const stop = { ...said(event), comment: event.data.comment };
  return { ...voided(state), stop, approvals: state.submission === null ? [] : state.approvals };
}

/** Refusals of the runner end the order that it was given: a new launch needs a new order, and a new approval. */
const ORDER_ENDING: readonly string[] = [
  'runner-refused',
  'submit-rejected',
  'submit-conflict',
  'dispatch-failed',
];

function incident(state: RunState, event: EventOf<'incident'>): RunState {
  const { code, detail } = event.data;
  const next = { ...state, incidents: [...state.incidents, readIncident(event.data, event)] };
  // What follows from a code follows whatever else another version recorded with it.
  const orderDigest = readFacts({ orderDigest: 'text?' }, detail)?.orderDigest;
  // While dispatches are left, the launch is started again under the same order.
  const isLast = code === 'launch-failed' && detail['left'] === 0;
  const endsOrder =
    (isLast || ORDER_ENDING.includes(code)) &&
    orderDigest === state.order?.digest &&
    state.submission === null;
  if (endsOrder) return { ...withOrder(next, { status: 'failed' }), approvals: [] };
  if (code === 'card-edited') {
    const cardEdit = { seq: event.seq, comment: readFacts({ comment: 'integer' }, detail)?.comment ?? 0 };
    return { ...next, shown: null, cardEdit };
  }
  return code === 'order-expired' ? voided(next) : next;
}

function withCommand(state: RunState, key: string, command: SeenCommand): RunState {
  return { ...state, commands: new Map([...state.commands, [key, command]]) };
}

function answered(state: RunState, event: EventOf<'command-answered'>): RunState {
  const key = commandKey(event.data);
  const seen = state.commands.get(key);
  if (seen === undefined) throw new Error('an answer without its command passed the transition check');
  const { code, detail } = event.data;
  const next = withCommand(state, key, { ...seen, answer: { code, detail, at: event.at, seq: event.seq } });
  const asked = nextAsked(state, seen, event);
  // Whoever goes back takes what was ordered before that with it.
  if (asked !== null) return 'rollback' in asked ? { ...voided(next), ...asked } : { ...next, ...asked };
  return takenByAnswer(next, code, { actor: seen.actor, at: event.at, seq: event.seq });
}

/** What a person's answered command says of the attempt that comes next: the same again, or from an earlier checkpoint. Null where the answer says nothing of it. */
function nextAsked(
  state: RunState,
  seen: SeenCommand,
  { seq, data: { code, detail } }: EventOf<'command-answered'>,
): Pick<RunState, 'relaunchAsked'> | Pick<RunState, 'rollback'> | null {
  const last = unfollowedAttempt(state);
  if (last === null) return null;
  const { attempt } = last.submission;
  const { actor, comment, surface, bodyDigest } = seen;
  if (code === 'relaunch-asked' && state.submission !== null && surface !== 'review-comment')
    return { relaunchAsked: { attempt, actor, comment, surface, bodyDigest, seq } };
  const back = code === 'rolled-back' ? readFacts({ step: 'integer', path: 'text?' }, detail) : null;
  if (back === null) return null;
  const checkpoint = back.path === undefined ? null : { path: back.path, step: back.step };
  return { rollback: { attempt, checkpoint, actor, seq } };
}

/** The answers by which it is taken in the run's own thread. */
const BY_ANSWER: ReadonlyMap<string, Taken> = new Map([
  ['incident-taken', 'incidents'],
  ['watch-end-taken', 'watch-end'],
  ['acknowledged', 'end'],
]);

type By = { readonly actor: Actor; readonly at: string; readonly seq: number };

/** The state after an answer of this code; the same where it takes nothing. */
function takenByAnswer(state: RunState, code: string, by: By): RunState {
  const what = BY_ANSWER.get(code);
  return what === undefined ? state : takenAfter(state, what, by);
}
