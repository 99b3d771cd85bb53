// Drafts of a run's events that follow from its state, for the run builder.

import type { Actor, Surface } from '../../src/domain/actor.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { buildSubmissionId, type Order } from '../../src/domain/launch/order.ts';
import type { EventDataByType, EventDraft } from '../../src/domain/logbook/define.ts';
import type { DropReason } from '../../src/domain/logbook/events/launch-events.ts';
import { listCurrentApprovals, type RunState } from '../../src/domain/logbook/run-state.ts';
import {
  addMs,
  brandAs,
  type Digest,
  type Instant,
  isDigest,
  isSha,
  type Sha,
  shortDigestHex,
  toRfc3339,
} from '../../src/domain/values.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { aManifest, passingVerdicts } from './run-parts.ts';

export const alice: Actor = { id: 101, login: 'alice' };
export const bob: Actor = { id: 102, login: 'bob' };
export const labBot: Actor = { id: 900, login: 'lab-bot[bot]' };
export const digestOf = (text: string): Digest => brandAs(`sha256:${sha256Hex(text)}`, isDigest);
export const toSha = (text: string): Sha => brandAs(sha256Hex(text).slice(0, 40), isSha);

const ORDER_MS = 2 * 60 * 60 * 1_000;

/** A recorded command with its answer. */
export type CommandInput = {
  readonly by: Actor;
  readonly name: string;
  readonly args?: Readonly<Record<string, string>>;
  readonly code: string;
  readonly detail?: { readonly [name: string]: string | number };
  readonly comment?: number;
  readonly index?: number;
  readonly surface?: Surface;
};

function buildManifestFor(state: RunState): Manifest {
  const { lane, runName, repository } = state.proposal;
  return aManifest({ lane, runName, repository });
}

/** Every gate passes, on a manifest of this run. */
export function gatedData(state: RunState): EventDataByType['gated'] {
  const manifest = buildManifestFor(state);
  return {
    digest: canonicalDigest(manifest, digestOf),
    manifest,
    commit: toSha('launch commit'),
    body: digestOf('the body'),
    verdicts: passingVerdicts(state.proposal),
  };
}

/** The card with the last gated manifest, read back at that moment. */
export function shownDraft({ gate, proposal }: RunState): EventDraft {
  if (gate?.digest == null) throw new Error('nothing to show');
  const { digest, body, at } = gate;
  const data = { digest, body, thread: proposal.pull, comment: 499, text: 'a'.repeat(64), shownAt: at };
  return { type: 'shown', role: 'control', data };
}

/** A command that was seen and answered, in the thread of the run. */
export function commandDrafts(state: RunState, command: CommandInput): readonly EventDraft[] {
  const place = {
    comment: command.comment ?? 500 + state.commands.size,
    surface: command.surface ?? 'comment',
    index: command.index ?? 0,
  };
  const thread = state.proposal.pull;
  const bodyDigest = digestOf('a comment');
  const { by, name, args = {}, code, detail = {} } = command;
  return [
    { type: 'command-seen', role: 'control', actor: by, data: { ...place, name, args, thread, bodyDigest } },
    { type: 'command-answered', role: 'control', data: { ...place, thread, code, detail } },
  ];
}

/** `/approve-launch` by `by` for the last gated manifest: seen, answered, and the approval itself. */
export function approvalDrafts(state: RunState, by: Actor, naming?: 'named'): readonly EventDraft[] {
  const digest = gateDigest(state);
  const comment = 600 + state.commands.size;
  const count = listCurrentApprovals(state).length + 1;
  const quorum = Number(state.gate?.manifest?.policy['approvals.quorum'] ?? 1);
  const [seen, answered] = commandDrafts(state, {
    by,
    name: 'approve-launch',
    ...(naming === 'named' ? { args: { digest: shortDigestHex(digest) } } : {}),
    code: count < quorum ? 'approved-waiting-for-more' : 'approved',
    detail: { digest: digest.slice(7, 19), count, quorum },
    comment,
  });
  if (seen === undefined || answered === undefined) throw new Error('a command has two events');
  const data = {
    digest,
    comment,
    surface: 'comment',
    bodyDigest: digestOf('a comment'),
    body: state.gate?.body ?? digestOf(''),
  } as const;
  return [seen, { type: 'approved', role: 'control', actor: by, data }, answered];
}

function gateDigest(state: RunState): Digest {
  const digest = state.gate?.digest ?? null;
  if (digest === null) throw new Error('gate the run first');
  return digest;
}

/** Drops all approvals. */
export function dropData(state: RunState, reason: DropReason): EventDataByType['approval-dropped'] {
  return { reason, digest: gateDigest(state), users: listCurrentApprovals(state).map((a) => a.actor.id) };
}

/**
 * An order of the first attempt, or of the one in `change`, for the approved manifest; it expires two hours
 * after `now`.
 */
export function orderData(state: RunState, now: Instant, change: Partial<Order>): EventDataByType['ordered'] {
  const attempt = change.attempt ?? 1;
  const order: Order = {
    v: 1,
    run: state.run,
    repository: state.proposal.repository,
    attempt,
    digest: gateDigest(state),
    commit: state.gate?.commit ?? toSha(''),
    pull: state.proposal.pull,
    approvals: listCurrentApprovals(state).map((a) => ({
      comment: a.comment,
      surface: a.surface,
      user: a.actor.id,
      bodyDigest: a.bodyDigest,
    })),
    submissionId: buildSubmissionId(state.run, attempt),
    issuedAt: toRfc3339(now),
    expiresAt: toRfc3339(addMs(now, ORDER_MS)),
    ...change,
  };
  return { order, orderDigest: canonicalDigest(order, digestOf) };
}

function requireOrder(state: RunState): NonNullable<RunState['order']> {
  if (state.order === null) throw new Error('order the run first');
  return state.order;
}

/** The runner claims the current order. */
export function claimDraft(state: RunState): EventDraft {
  const { digest, order } = requireOrder(state);
  return {
    type: 'claimed',
    role: 'runner',
    data: { orderDigest: digest, attempt: order.attempt, workflowRun: 77, engineSession: 'boot-1' },
  };
}

/** The job of the claimed attempt runs under its deterministic id. */
export function submittedData(state: RunState): EventDataByType['submitted'] {
  const { digest, order } = requireOrder(state);
  return {
    orderDigest: digest,
    attempt: order.attempt,
    engine: 'local',
    jobId: order.submissionId,
    cluster: 'local',
    command: buildManifestFor(state).command,
    commit: order.commit,
    adopted: false,
    urls: { log: `https://cluster.example/jobs/${order.submissionId}/log` },
    details: { pid: 4711, processStart: '12345', exitRecord: `jobs/${order.submissionId}/exit.json` },
  };
}

/**
 * An observation of the first attempt's progressing job; the lease is valid for eleven minutes from `now`.
 */
export function observedData(now: Instant): EventDataByType['observed'] {
  return {
    attempt: 1,
    status: 'RUNNING',
    message: '',
    step: 4600,
    stepIsExact: false,
    totalSteps: 5155,
    loss: '3.517',
    firstStepCompleted: true,
    trackers: [{ id: 'abc123', url: 'https://wandb.example/lab/ferries/runs/abc123' }],
    evals: {},
    checkpointStep: 4500,
    signatures: [],
    logOffset: 4096,
    cadenceMs: 570_000,
    lease: { holder: 'watch-1', fence: 1, until: toRfc3339(addMs(now, 660_000)) },
  };
}

/** The job of the attempt succeeded at its last step. */
export function endedData(state: RunState): EventDataByType['ended'] {
  return {
    attempt: state.submission?.attempt ?? 1,
    status: 'SUCCEEDED',
    message: '',
    errorType: null,
    exitCode: 0,
    startedAt: '2026-11-21T09:10:00.000Z',
    endedAt: '2026-11-21T14:10:00.000Z',
    lastStep: 5153,
    totalSteps: 5155,
    metrics: { 'eval/loss': '3.46797', 'eval/paloma/macro_loss': '3.71091', global_step: '5153' },
    trackers: [{ id: 'abc123', url: 'https://wandb.example/lab/ferries/runs/abc123' }],
    signatures: [],
    checkpointStep: 5153,
    fence: state.fence,
  };
}

/** A seal of the ended run, with the tag that the policy requires. */
export function sealedData(state: RunState): EventDataByType['sealed'] {
  return {
    tag: `ferry/${state.proposal.lane}/${state.proposal.date.replaceAll('-', '')}/${state.run}`,
    commit: state.submission?.commit ?? toSha(''),
    verdict: 'pass',
    accept: null,
    closurePull: 14,
    metrics: state.end?.metrics ?? {},
  };
}

const RUNNER_INCIDENTS: readonly string[] = [
  'runner-refused',
  'launch-unreadable',
  'submit-rejected',
  'submit-conflict',
  'submit-unknown',
];
const WATCH_INCIDENTS: readonly string[] = [
  'failure-signature',
  'run-degraded',
  'run-alarm',
  'engine-state-lost',
  'engine-unreadable',
  'log-withheld',
];

/** An incident, signed by the role that records this code. */
export function incidentDraft(code: string, detail: EventDataByType['incident']['detail']): EventDraft {
  const role = RUNNER_INCIDENTS.includes(code) ? 'runner' : WATCH_INCIDENTS.includes(code) ? 'watch' : 'control';
  return { type: 'incident', role, data: { code, detail } };
}
