/** Events of a run from its proposal to the job. */

import * as z from 'zod';
import { isIssueFirst } from '../../actor.ts';
import type { GatedFacts } from '../../launch/change-facts.ts';
import { manifestSchema } from '../../launch/manifest.ts';
import { canBeFixed, isBeforeLaunch, isFixPushed, lastEnded } from '../../launch/next-attempt.ts';
import { orderSchema } from '../../launch/order.ts';
import { canBeApprovedAgain, canStartAgain } from '../../launch/response.ts';
import { findPreApproval } from '../../launch/small-fix.ts';
import { verdictSchema } from '../../launch/verdict.ts';
import {
  actorText,
  byPerson,
  code,
  type DataOf,
  defineEvents,
  type EventOf,
  type EventText,
  moment,
  prose,
} from '../define.ts';
import { awaitsAdoption } from '../holdings.ts';
import { checkOrdered } from '../order-rules.ts';
import { digest, integer, scalars, sha, text, texts } from '../parts.ts';
import { type RunState, voidOrder, withOrder } from '../run-state.ts';
import { proposed } from './proposal-events.ts';
import { resetWatch } from './watch-events.ts';

/** Not validated field by field: control signed the facts, and only `backtest` reads them. */
const gatedFacts = z.custom<GatedFacts>((value) => typeof value === 'object' && value !== null);

const fixedAttempt = z.object({
  attempt: integer,
  commit: sha.describe('what it launched'),
  files: z.array(text).nullable().describe('the first files that differ; `null` if the commit cannot be read'),
  more: integer,
});

/**
 * Why an approval does not count: its comment was changed, it is too old, or its author may not approve. The runner refuses orders with
 * the same codes.
 */
const APPROVAL_FAULT_CODES = ['approval-invalid', 'approval-outdated', 'approver-not-permitted'] as const;
export type ApprovalFaultCode = (typeof APPROVAL_FAULT_CODES)[number];

/** Why a recorded approval no longer counts. */
export const DROP_REASONS = [
  ...APPROVAL_FAULT_CODES,
  'manifest-changed',
  'gate-fails',
  'runner-refused',
  'revoked',
  'held',
] as const;

const data = {
  proposed,
  gated: z.object({
    digest: digest.nullable(),
    manifest: manifestSchema.nullable(),
    commit: sha,
    body: digest,
    verdicts: z.array(verdictSchema),
    facts: gatedFacts
      .exactOptional()
      .describe('facts of the gates; missing if they could not be read or are longer than 20,000 characters'),
    fix: fixedAttempt.exactOptional().describe('the failed attempt that this one continues'),
  }),
  shown: z.object({
    digest,
    body: digest,
    thread: integer,
    comment: integer,
    text: text.describe("SHA-256 of the card's text below its marker"),
    shownAt: text.describe('when GitHub last changed the card'),
  }),
  approved: z.object({
    digest,
    comment: integer,
    surface: z.enum(['comment', 'review']),
    bodyDigest: digest,
    body: digest,
  }),
  'approval-dropped': z.object({ reason: z.enum(DROP_REASONS), digest, users: z.array(integer) }),
  ordered: z.object({ order: orderSchema, orderDigest: digest }),
  claimed: z.object({ orderDigest: digest, attempt: integer, workflowRun: integer, engineSession: text }),
  submitted: z.object({
    orderDigest: digest,
    attempt: integer,
    engine: text,
    jobId: text,
    cluster: text,
    command: z.array(text),
    commit: sha,
    adopted: z.boolean(),
    urls: texts,
    details: scalars,
  }),
};

export type LaunchEventData = DataOf<typeof data>;
type Proposed = LaunchEventData['proposed'];
export type Objective = Proposed['objective'];
export type IntervalStart = Proposed['interval'];
export type ProposalRequest = NonNullable<Proposed['request']>;

export const launchEvents = defineEvents(data, {
  proposed: {
    title: 'proposed',
    meaning: 'A run begins.',
    writers: ['control'],
    isDecisive: true,
    rule: () => 'a run is proposed once',
    apply: (state) => state,
    describe: ({ data }) => ({
      status: `proposed as ${code(data.runName)} in lane ${code(data.lane)}`,
      evidence: isIssueFirst(data)
        ? `issue #${data.issue}, no pull request`
        : `issue #${data.issue}, pull request #${data.pull}, interval since ${intervalText(data.interval)}`,
      decision: `${data.objective.kind} run: ${prose(data.objective.text)}${continuesText(data)}`,
      next: 'gates are evaluated',
    }),
  },
  gated: {
    title: 'gates evaluated',
    meaning: 'The verdicts of the gates about the manifest and the description.',
    writers: ['control'],
    rule: (state, { data }) => {
      if (awaitsAdoption(state)) return 'gated before the job was taken over';
      return state.submission === null || isFixPushed(state, data.commit) ? null : 'gated after the job was submitted';
    },
    apply: (state, event) => ({
      ...state,
      gate: { ...event.data, ...moment(event) },
      shown: keepShown(state, event),
      approvals: keepApprovals(state, event),
    }),
    describe: ({ data }) => describeGates(data),
  },
  shown: {
    title: 'manifest shown',
    meaning:
      'Control read the card back from GitHub, unchanged and with this manifest. The entry counts until a `gated` entry has another manifest or body, or until an incident `card-edited`. Without it, the manifest cannot be approved.',
    writers: ['control'],
    rule: checkShown,
    apply: (state, event) => ({ ...state, shown: { ...event.data, ...moment(event) } }),
    describe: ({ data }) => ({
      status: 'the card shows the manifest',
      evidence: `comment ${data.comment} in #${data.thread}, read back from GitHub as of ${data.shownAt}`,
      decision: `manifest ${code(data.digest)} may be approved`,
      next: 'a person approves',
    }),
  },
  approved: {
    title: 'approved',
    meaning: 'A person approves the manifest that the card shows.',
    writers: ['control'],
    isByPerson: true,
    isDecisive: true,
    rule: (state, { data }) => {
      if (!isBeforeLaunch(state) && !canBeApprovedAgain(state)) return 'approved after the job was submitted';
      return state.gate?.digest === data.digest ? null : 'approved a manifest that was not shown';
    },
    apply: (state, event) => ({ ...state, approvals: [...state.approvals, { ...event.data, ...byPerson(event) }] }),
    describe: ({ data, actor }) => ({
      status: `approved by ${actorText(actor)}`,
      evidence: `${data.surface} ${data.comment}`,
      decision: `manifest ${code(data.digest)} may be launched`,
      next: 'control issues an order when enough people approved and every gate passes',
    }),
  },
  'approval-dropped': {
    title: 'approval dropped',
    meaning: 'Approvals of these users no longer count.',
    writers: ['control'],
    isDecisive: true,
    rule: (state) =>
      state.submission === null || canBeFixed(state) || canStartAgain(state)
        ? null
        : 'approval-dropped after the job was submitted',
    apply: (state, event) => ({
      ...voidOrder(state),
      approvals: state.approvals.filter(
        ({ digest, actor }) => digest !== event.data.digest || !event.data.users.includes(actor.id),
      ),
      drops: [...state.drops, event],
    }),
    describe: ({ data }) => ({
      status: 'an approval no longer counts',
      evidence: `manifest ${code(data.digest)}, approved by user ${data.users.join(', ')}`,
      decision: `dropped: ${code(data.reason)}`,
      next: 'a person approves the current manifest',
    }),
  },
  ordered: {
    title: 'launch ordered',
    meaning: 'Control orders the launch of one attempt.',
    writers: ['control'],
    isDecisive: true,
    rule: checkOrdered,
    apply: (state, event) => ({
      ...startNextAttempt(state, event.at),
      order: {
        order: event.data.order,
        digest: event.data.orderDigest,
        status: 'open',
        manifest: state.gate?.manifest ?? null,
        ...moment(event),
        claim: null,
      },
    }),
    describe: ({ data: { order, orderDigest } }) => ({
      status: `attempt ${order.attempt} is ordered${order.parent === undefined ? '' : `, after attempt ${order.parent.attempt}`}${order.checkpoint === undefined ? '' : `; it starts at step ${order.checkpoint.step}, ${code(order.checkpoint.path)}`}`,
      evidence: `order ${code(orderDigest)}, manifest ${code(order.digest)}, commit ${code(order.commit)}`,
      decision: `submit as ${code(order.submissionId)} before ${order.expiresAt}`,
      next: 'the runner checks the order and claims it',
    }),
  },
  claimed: {
    title: 'order claimed by the runner',
    meaning: 'The runner claims the order before it submits anything.',
    writers: ['runner'],
    isDecisive: true,
    rule: checkClaimed,
    apply: (state, event) => withOrder(state, { status: 'claimed', claim: { ...event.data, at: event.at } }),
    describe: ({ data }) => ({
      status: `the runner claimed the order of attempt ${data.attempt}`,
      evidence: `workflow run ${data.workflowRun}, engine session ${code(data.engineSession)}`,
      decision: 'submit once',
      next: 'the runner submits the job, or records why it did not',
    }),
  },
  submitted: {
    title: 'launch',
    meaning: 'The job was submitted, or found running.',
    writers: ['runner'],
    isDecisive: true,
    rule: checkSubmitted,
    apply: (state, event) => ({
      ...withOrder(state, { status: 'submitted' }),
      // rule ML-24
      submission: { ...event.data, ...moment(event) },
    }),
    describe: ({ data }) => ({
      status: `job ${code(data.jobId)} ${data.adopted ? 'was found running and adopted' : 'was submitted'}`,
      evidence: `engine ${code(data.engine)} on ${code(data.cluster)}, commit ${code(data.commit)}${Object.entries(
        data.urls,
      )
        .map(([name, url]) => `, ${prose(name)} ${code(url)}`)
        .join('')}`,
      decision: `watch attempt ${data.attempt}`,
      next: 'the watch records its observations',
    }),
  },
});

function checkShown(state: RunState, { data }: EventOf<'shown'>): string | null {
  if (!isBeforeLaunch(state)) return 'shown after the job was submitted';
  if (state.shown !== null) return 'shown while it is on show';
  return state.gate?.digest === data.digest && state.gate.body === data.body
    ? null
    : 'shown another manifest than the gates know';
}

function checkClaimed({ order: issued }: RunState, { data, at }: EventOf<'claimed'>): string | null {
  if (issued === null || issued.digest !== data.orderDigest) return 'claimed an order that was not issued';
  if (issued.status !== 'open') return `claimed an order that is ${issued.status}`;
  if (data.attempt !== issued.order.attempt) return 'claimed another attempt than the ordered one';
  return at < issued.order.expiresAt ? null : 'claimed an expired order';
}

function checkSubmitted({ submission, order }: RunState, { data }: EventOf<'submitted'>): string | null {
  if (submission !== null) return 'submitted twice';
  if (order?.status !== 'claimed' || order.digest !== data.orderDigest) return 'submitted without a claimed order';
  if (data.attempt !== order.order.attempt) return 'submitted another attempt than the ordered one';
  return data.commit === order.order.commit ? null : 'submitted another commit than the ordered one';
}

/** A new order after a failed job resets the attempt's state and appends the past attempt to `attempts`. */
function startNextAttempt(state: RunState, at: string): RunState {
  const past = lastEnded(state);
  if (past === null) return state;
  const fresh = {
    submission: null,
    observation: null,
    firstEval: null,
    firstTracker: null,
    end: null,
    acknowledged: null,
    watch: resetWatch(state.watch, at),
  };
  return { ...state, ...fresh, trace: [], losses: [], paces: [], attempts: [...state.attempts, past] };
}

/** The card stays valid if only the verdicts changed: the approver saw the same manifest and body. */
function keepShown({ shown }: RunState, { data }: EventOf<'gated'>): RunState['shown'] {
  return shown !== null && shown.digest === data.digest && shown.body === data.body ? shown : null;
}

/** After an attempt ended, only newer approvals count. Exception: older approvals of the manifest that pre-approved this fix. */
function keepApprovals(state: RunState, { data: { commit } }: EventOf<'gated'>): RunState['approvals'] {
  const { approvals, end } = state;
  if (end === null) return approvals;
  const fix = findPreApproval(state);
  const named = fix?.commit === commit ? fix.digest : null;
  return approvals.filter(({ seq, digest }) => seq > end.seq || digest === named);
}

function describeGates({ verdicts, digest, commit }: LaunchEventData['gated']): EventText {
  const open = verdicts.filter(({ outcome }) => outcome === 'fail' || outcome === 'unknown');
  const evidence = `manifest ${digest === null ? 'not known' : code(digest)} at commit ${code(commit)}`;
  if (open.length === 0)
    return { status: 'all gates pass', evidence, decision: 'the run can launch once approved', next: 'approval' };
  return {
    status: `${open.length} of ${verdicts.length} gates do not pass`,
    evidence,
    decision: open.map((verdict) => `${verdict.gate}: ${code(verdict.code)}`).join(', '),
    next: 'these gates have to pass',
  };
}

function intervalText({ sinceCommit, sinceDate }: IntervalStart): string {
  return sinceCommit === null ? `${prose(sinceDate)} (date, no earlier ferry)` : code(sinceCommit);
}

/** The reason for the new run identity, with both names (policy HR-53). Contract and launch record checkpoint, output and commit. */
function continuesText({ continues, runName }: Proposed): string {
  // rule HR-53
  if (continues === undefined) return '';
  return `; ${code(continues.run)} goes on as ${code(runName)}: ${prose(continues.reason)}`;
}

export type DropReason = (typeof DROP_REASONS)[number];
