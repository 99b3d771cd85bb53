/** Events about the end of a run, and incidents. */

import * as z from 'zod';
import { listClaimedActions } from '../../actions/action.ts';
import { readFacts, readIncident } from '../../incidents.ts';
import { stateAtLastLaunch } from '../../launch/next-attempt.ts';
import {
  actorText,
  byPerson,
  code,
  type DataOf,
  defineEvents,
  type EventOf,
  moment,
  prose,
  scalarsText,
} from '../define.ts';
import { listHoldings } from '../holdings.ts';
import { isBilled } from '../job-state.ts';
import { integerOrNull, scalars, sha, text, texts } from '../parts.ts';
import { type RunState, voidOrder, withOrder } from '../run-state.ts';
import { sealedCheckpoint } from './checkpoint-events.ts';

const closurePull = integerOrNull.describe('`null` if this kind of run opens none');

const data = {
  sealed: z.object({
    tag: text,
    commit: sha,
    verdict: z.enum(['pass', 'accepted']),
    accept: text.nullable(),
    closurePull,
    metrics: texts,
    checkpoint: sealedCheckpoint.exactOptional().describe('the final one; missing if none was found'),
  }),
  closed: z.object({
    outcome: z
      .enum(['failed', 'rejected', 'withdrawn', 'lost', 'unsealed'])
      .describe(
        '`lost`: a person gave the run up, and its result is unknown; `unsealed`: no decision within the time limit of the lane',
      ),
    reason: text,
    closurePull,
  }),
  incident: z.object({ code: text, detail: scalars }),
};

export type ClosureEventData = DataOf<typeof data>;

export const closureEvents = defineEvents(data, {
  sealed: {
    title: 'final seal',
    meaning: 'A person seals the run. No entry follows.',
    writers: ['control'],
    isByPerson: true,
    isDecisive: true,
    rule: checkSealed,
    apply: (state, event) => ({ ...state, seal: { ...event.data, ...byPerson(event) } }),
    describe: ({ data, actor }) => ({
      status: `sealed by ${actorText(actor)}: ${data.verdict}`,
      evidence: `tag ${code(data.tag)} on commit ${code(data.commit)}${data.closurePull === null ? '' : `, closure #${data.closurePull}`}${checkpointText(data)}`,
      decision: data.accept === null ? 'the record is complete' : `accepted: ${prose(data.accept)}`,
      next: 'no entry follows',
    }),
  },
  closed: {
    title: 'closed',
    meaning: 'The run ends without a seal. No entry follows.',
    writers: ['control'],
    isDecisive: true,
    rule: checkClosed,
    apply: (state, event) => ({ ...stateAtLastLaunch(voidOrder(state)), closed: { ...event.data, ...moment(event) } }),
    describe: ({ data }) => ({
      status: `closed: ${data.outcome}`,
      evidence: data.closurePull === null ? '' : `closure #${data.closurePull}`,
      decision: prose(data.reason),
      next: 'no entry follows',
    }),
  },
  incident: {
    title: 'incident',
    meaning: 'Something went wrong that a person must see.',
    writers: ['control', 'runner', 'watch'],
    isInJournal: true,
    isDecisive: true,
    apply: addIncident,
    describe: ({ data }) => ({
      status: `incident ${code(data.code)}`,
      evidence: scalarsText(data.detail),
      decision: 'a person must see it',
      next: 'a person finds the cause',
    }),
  },
});

function checkSealed(state: RunState, { data }: EventOf<'sealed'>): string | null {
  if (state.end === null) return 'sealed before the end';
  if (listClaimedActions(state.actions).length > 0) return 'sealed while the cluster is being changed';
  if (isBilled(state)) return 'sealed while the run holds something';
  if (state.end.status === 'FAILED') return 'a failed run gets no seal';
  if (data.verdict === 'accepted' && data.accept === null) return 'accepted without saying why';
  // Later runs are compared with these metrics, so a stolen control key must not seal others (threat T176).
  if (data.commit !== state.submission?.commit) return 'seals another commit than was launched';
  const { metrics } = state.end;
  const names = [...Object.keys(metrics), ...Object.keys(data.metrics)];
  return names.every((name) => metrics[name] === data.metrics[name])
    ? null
    : 'seals other metrics than the job ended with';
}

/** A claimed order may already have started a job, so the run stays open until the runner reports. */
function checkClosed(state: RunState, event: EventOf<'closed'>): string | null {
  if (listClaimedActions(state.actions).length > 0) return 'closed while the cluster is being changed';
  if (event.data.outcome === 'lost') return checkClosedAsLost(state, event);
  const [held] = listHoldings(state);
  if (held === undefined) return null;
  if (held.kind === 'machine') return 'closed while a rented machine is there, or may be';
  return held.kind === 'launch' ? 'closed while the runner submits' : `closed while the ${held.kind} runs`;
}

/** A person can give up a job only while its state is unknown. */
function checkClosedAsLost(state: RunState, { actor }: EventOf<'closed'>): string | null {
  if (state.end !== null) return 'lost after the end';
  if (state.submission === null && state.order?.status !== 'claimed') return 'lost before anything was started';
  const seen = state.observation?.status;
  if (seen !== undefined && seen !== 'UNKNOWN') return 'lost while the job is seen';
  return actor === undefined ? 'closed names no person' : null;
}

/** After these refusals, a launch needs a new order and a new approval. */
const ORDER_ENDING: readonly string[] = ['runner-refused', 'submit-rejected', 'submit-conflict', 'dispatch-failed'];

function addIncident(state: RunState, event: EventOf<'incident'>): RunState {
  const { code, detail } = event.data;
  const next = { ...state, incidents: [...state.incidents, readIncident(event.data, event)] };
  // Ignores other facts that another version may have recorded.
  const orderDigest = readFacts({ orderDigest: 'text?' }, detail)?.orderDigest;
  // While dispatches remain, the same order is dispatched again.
  const isLast = code === 'launch-failed' && detail['left'] === 0;
  const endsOrder =
    (isLast || ORDER_ENDING.includes(code)) && orderDigest === state.order?.digest && state.submission === null;
  if (endsOrder) return { ...withOrder(next, { status: 'failed' }), approvals: [] };
  if (code === 'card-edited') {
    const cardEdit = { seq: event.seq, comment: readFacts({ comment: 'integer' }, detail)?.comment ?? 0 };
    return { ...next, shown: null, cardEdit };
  }
  return code === 'order-expired' ? voidOrder(next) : next;
}

function checkpointText({ checkpoint }: ClosureEventData['sealed']): string {
  if (checkpoint === undefined) return '';
  const unseen = checkpoint.unseen.length === 0 ? '' : `; not looked at: ${prose(checkpoint.unseen.join(', '))}`;
  return `, final checkpoint ${code(checkpoint.path)} of step ${checkpoint.step}${unseen}`;
}
