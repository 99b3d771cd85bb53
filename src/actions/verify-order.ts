/**
 * What the runner checks before it claims an order (architecture, D5). It trusts no part of the order. The order must be in the
 * verified logbook, open, complete, for this repository, and in time. Its approvals must still be valid. The pull request
 * must be open and unchanged, and so must its description. The manifest from the runner's own checkout must give the digest.
 * The gates over the change and the lane must pass on facts that the runner read itself.
 */

import { permits } from '../domain/actor.ts';
import type { CommentFacts, PullFacts } from '../domain/facts.ts';
import type { Detail } from '../domain/incidents.ts';
import { type Hold, listHoldsOnRun } from '../domain/launch/hold.ts';
import { stateAtLastLaunch } from '../domain/launch/next-attempt.ts';
import { buildSubmissionId, citationKey, type Order } from '../domain/launch/order.ts';
import { decideResponse, findRunWithSameFailure, pendingRelaunchRequest } from '../domain/launch/response.ts';
import { isRunnerGate, type RefusalCode, unknownReason } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import type { IssuedOrder, RelaunchAsked, RunState } from '../domain/logbook/run-state.ts';
import { type Digest, type DigestOf, fromRfc3339, type Instant, type Observed } from '../domain/values.ts';
import type { ChangeGateFacts } from '../gates/gate.ts';
import { evaluateRunnerGates } from '../gates/run-gates.ts';
import { canonicalDigest } from '../logbook/chain.ts';
import { checkpointToContinue } from '../run/gate-run.ts';
import type { Brake } from '../run/open-brakes.ts';
import type { Refusal } from './pipeline.ts';
import {
  type ApprovalFacts,
  type ApprovalFault,
  approvalFault,
  citedComment,
  type FixCheck,
  findBrakeFault,
  preApprovalFault,
} from './verify-approval.ts';

export type OrderFacts = ApprovalFacts & {
  readonly repository: string;
  readonly journalHolds: Observed<readonly Hold[]>;
  readonly digestOf: DigestOf;
  readonly pull: Observed<PullFacts>;
  /** Fingerprint of the pull request's current description. */
  readonly body: Observed<Digest>;
  /** The digest of the manifest, computed by the runner itself. */
  readonly digest: Observed<Digest>;
  /** What the runner found about a fix that was approved in advance. No other order is checked for one. */
  readonly fix: Observed<FixCheck>;
  readonly gates: Observed<ChangeGateFacts>;
  /** The runs of every lane that the runner verified, newest first. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** Comments since the newest approval that ask to hold the launch back. */
  readonly brakes: Observed<readonly Brake[]>;
  /** A comment that an approver may have mistaken for the card; null if there is none. */
  readonly secondCard: Observed<CommentFacts | null>;
};

/** Why the runner rejects an order. */
export type OrderRefusal = Refusal & { readonly code: RefusalCode };

/** Finds the order in the run's record. It must be complete, for this repository, and without a recorded end. */
export function findOrder(
  state: RunState | null,
  digest: string,
  { repository, digestOf }: Pick<OrderFacts, 'repository' | 'digestOf'>,
): { readonly kind: 'order'; readonly state: RunState; readonly order: IssuedOrder } | OrderRefusal {
  const order = state?.order ?? null;
  if (state === null || order === null || order.digest !== digest)
    return refuse('order-unknown', 'standing', 'the logbook has no such order');
  if (order.order.repository !== repository) return refuse('other-repository', 'standing', order.order.repository);
  const defect = findOrderDefect(state, order, digestOf);
  if (defect !== null) return refuse('order-forged', 'standing', defect);
  return state.submission !== null || order.status === 'submitted' || order.status === 'failed'
    ? refuse('order-used', 'standing', 'the order was carried out or refused before')
    : { kind: 'order', state, order };
}

/** Why the order with this digest may not be carried out now, or null. A claimed order does not expire. */
export function judgeOrder(given: RunState | null, digest: string, facts: OrderFacts): OrderRefusal | null {
  const found = findOrder(given, digest, facts);
  if (found.kind === 'refused') return found;
  const { state, order } = found;
  if (order.status === 'claimed') return findRunRefusal(state, order, facts);
  if (order.status === 'void') return refuse('order-void', 'standing', 'what the order rested on fell');
  if (facts.now >= orderExpiresAt(order)) return refuse('order-expired', 'standing', order.order.expiresAt);
  return findRunRefusal(state, order, facts);
}

/**
 * Whether a claimed order is too old to start. The age counts from the claim: an order that was claimed in time survives a
 * machine outage past its own expiry. A claim without a valid time is stale.
 */
export function isClaimStale(order: IssuedOrder, now: Instant): boolean {
  const claimedAt = fromRfc3339(order.claim?.at ?? '');
  return claimedAt === null || now >= claimedAt + limits.orderLifetimeMs;
}

/**
 * Whether the engine has forgotten a claimed order, so that a missing job does not prove that none was started. That is so if
 * the engine forgets jobs with its session and the session differs from the one in the claim.
 */
export function isClaimLost(
  order: IssuedOrder,
  engine: { readonly forgetsWithSession?: true },
  session: string | null,
): boolean {
  return engine.forgetsWithSession === true && session !== order.claim?.engineSession;
}

/** An order expires two hours after its entry in the logbook, even if it names a later time. */
function orderExpiresAt(order: IssuedOrder): number {
  const own = fromRfc3339(order.order.expiresAt) ?? 0;
  return Math.min(own, (fromRfc3339(order.at) ?? 0) + limits.orderLifetimeMs);
}

function findRunRefusal(state: RunState, issued: IssuedOrder, facts: OrderFacts): OrderRefusal | null {
  const { order } = issued;
  const held = findBrakeFault({
    stoppedBy: state.stop?.actor.login ?? null,
    holds: listHoldsOnRun(state, facts.journalHolds),
    brakes: facts.brakes,
  });
  if (held !== null) return refuseForFault(held);
  if (facts.pull.kind === 'unknown') return refuse('unreadable', 'standing', facts.pull.why);
  const pull = facts.pull.value;
  const moved = findPullFault(pull, order.commit, facts);
  if (moved !== null) return refuse(moved.code, 'ending', moved.why);
  const again = relaunchRefusal(state, issued, facts);
  if (again !== null) return again;
  const fault = approvalFault(state, order, facts) ?? preApprovalFault(state, order, facts.fix, facts);
  if (fault !== null) return refuseForFault(fault);
  const { body, digest } = facts;
  if (body.kind === 'unknown') return refuse('unreadable', 'standing', body.why);
  const approved = listApprovedBodies(state, issued);
  if (approved.includes(null)) return refuse('order-void', 'ending', 'an approval that it rests on fell');
  if (approved.some((fingerprint) => fingerprint !== body.value))
    return refuse('manifest-changed', 'ending', `#${pull.number}`);
  const gate = findGateRefusal(facts.gates);
  // Only this machine has the job's interpreter. It may reject a file, or miss a checkpoint, that passed the gates before: end the order.
  if (digest.kind === 'unknown')
    return gate?.code === 'delta-readable' || gate?.code === 'checkpoint-proven'
      ? gate
      : refuse('unreadable', 'standing', digest.why);
  if (digest.value !== order.digest) return refuse('manifest-changed', 'ending', digest.value);
  return gate ?? findCheckpointRefusal(order, facts.gates) ?? findSecondCardRefusal(facts);
}

/** Relaunching the same manifest was control's decision, based on the record. The runner decides it again here. */
function relaunchRefusal(state: RunState, { order }: IssuedOrder, facts: OrderFacts): OrderRefusal | null {
  const { recordedRuns } = facts;
  if (state.attempts.at(-1)?.order.order.digest !== order.digest) return null;
  const before = stateAtLastLaunch(state);
  const response = decideResponse(before);
  if (response?.kind !== 'relaunch')
    return refuse('relaunch-not-due', 'ending', response?.kind === 'ask' ? response.why.reason : 'no failure');
  const asked = pendingRelaunchRequest(before);
  if (asked !== null) return findRequestRefusal(state, asked, facts);
  if (recordedRuns.kind === 'unknown') return refuse('unreadable', 'standing', recordedRuns.why);
  const alike = findRunWithSameFailure(before, recordedRuns.value);
  return alike === null ? null : refuse('relaunch-not-due', 'ending', `${alike.run} failed so`);
}

/** Verifies a person's relaunch request: the comment must be unedited, and its author must still have the permission to stop a job. */
function findRequestRefusal(
  { proposal, attempts }: RunState,
  asked: RelaunchAsked,
  { cited, permissions, config }: OrderFacts,
): OrderRefusal | null {
  const permission = permissions.get(asked.actor.id);
  const where = { ...asked, user: asked.actor.id, threads: [proposal.pull, proposal.issue] };
  const comment = citedComment(
    cited.get(citationKey(asked)),
    where,
    config.otherBots,
    ({ name }) => name === 'relaunch',
  );
  if (!comment.ok)
    return comment.error.code === 'unreadable'
      ? refuse('unreadable', 'standing', comment.error.why)
      : refuse('relaunch-not-due', 'ending', comment.error.why);
  if (comment.value.createdAt <= (fromRfc3339(attempts.at(-1)?.end.at ?? '') ?? Number.POSITIVE_INFINITY))
    return refuse('relaunch-not-due', 'ending', 'it was asked for before the attempt had ended');
  if (permission === undefined || permission.kind === 'unknown')
    return refuse('unreadable', 'standing', permission?.why ?? 'the permission was not asked for');
  return permits(permission.value, config.permissions.stop)
    ? null
    : refuse('relaunch-not-due', 'ending', `${asked.actor.login} may not ask for it`);
}

/** Control's recorded verdicts are not enough: the runner evaluates the gates itself. An unknown verdict leaves the order open. */
function findGateRefusal(gates: OrderFacts['gates']): OrderRefusal | null {
  if (gates.kind === 'unknown') return refuse('unreadable', 'standing', gates.why);
  const verdicts = evaluateRunnerGates(gates.value);
  for (const { gate, outcome, code, found } of verdicts) {
    if (outcome === 'fail' && isRunnerGate(gate))
      return refuse(gate, 'ending', [code, ...describeFound(found)].join(', '));
  }
  const open = verdicts.find(({ outcome }) => outcome === 'unknown');
  return open === undefined
    ? null
    : refuse('unreadable', 'standing', `${open.gate}: ${unknownReason(open) || open.code}`);
}

/** A relaunched manifest does not name the checkpoint to resume from. The runner must find the same one in its own listing. */
function findCheckpointRefusal({ checkpoint }: Order, gates: OrderFacts['gates']): OrderRefusal | null {
  if (gates.kind === 'unknown') return refuse('unreadable', 'standing', gates.why);
  const own = checkpointToContinue(gates.value);
  if (own.kind === 'unknown') return refuse('unreadable', 'standing', own.why);
  const [said, found] = [checkpoint ?? null, own.value];
  return said?.path === found?.path && said?.step === found?.step
    ? null
    : refuse('checkpoint-proven', 'ending', `${found?.path ?? 'none'} in place of ${said?.path ?? 'none'}`);
}

function findSecondCardRefusal({ secondCard }: OrderFacts): OrderRefusal | null {
  if (secondCard.kind === 'unknown') return refuse('unreadable', 'standing', secondCard.why);
  if (secondCard.value === null) return null;
  const { surface, id, thread, author } = secondCard.value;
  return refuse('second-card', 'ending', `${surface} ${id} by ${author.login} in #${thread}`);
}

function describeFound(found: Detail): readonly string[] {
  return Object.entries(found).map(([name, value]) => `${name} ${value}`);
}

function findPullFault(
  pull: PullFacts,
  commit: string,
  { repository, config }: OrderFacts,
): { readonly code: RefusalCode; readonly why: string } | null {
  if (pull.state !== 'open')
    return { code: 'pull-closed', why: `#${pull.number} is ${pull.merged ? 'merged' : 'closed'}` };
  if (pull.headRepository !== repository) return { code: 'fork', why: pull.headRepository ?? 'a deleted fork' };
  if (pull.baseBranch !== config.lane.targetBranch) return { code: 'manifest-changed', why: pull.baseBranch };
  return pull.headSha === commit ? null : { code: 'manifest-changed', why: pull.headSha };
}

/** Fingerprints of the descriptions that the cited people approved; null for an approval that was dropped since. */
function listApprovedBodies(state: RunState, { order }: IssuedOrder): readonly (Digest | null)[] {
  return order.approvals.map(
    (cited) =>
      state.approvals.find((given) => given.comment === cited.comment && given.surface === cited.surface)?.body ?? null,
  );
}

/** An unreadable fact leaves the order open for a retry. */
function refuseForFault({ code, why }: ApprovalFault): OrderRefusal {
  return refuse(code, code === 'unreadable' ? 'standing' : 'ending', why);
}

function refuse(code: RefusalCode, effect: 'standing' | 'ending', why: string): OrderRefusal {
  return { kind: 'refused', code, effect, why };
}

/**
 * Why an order, or the recorded manifest, does not match its digest or its run; null if it does. The fold checks most of this
 * too, but a runner that submits under an id checks it itself. The recorded manifest later decides how often the job is
 * relaunched and when its machine is destroyed, so it must be the approved one.
 */
function findOrderDefect(state: RunState, { order, digest, manifest }: IssuedOrder, digestOf: DigestOf): string | null {
  if (canonicalDigest(order, digestOf) !== digest) return 'its digest is that of another order';
  if (manifest !== null && canonicalDigest(manifest, digestOf) !== order.digest)
    return 'the record has another manifest than the one that it names';
  if (order.run !== state.run) return `it is for the run ${order.run}`;
  return order.submissionId === buildSubmissionId(state.run, order.attempt)
    ? null
    : `its submission id is ${order.submissionId}`;
}

/** GITHUB_EVENT_NAME, GITHUB_REF and GITHUB_WORKFLOW_REF (GitHub docs: default environment variables). */
export type WorkflowOrigin = {
  readonly event: string;
  readonly ref: string;
  /** `owner/name/.github/workflows/FILE@REF`. */
  readonly workflowRef: string;
};

/** Where launches must come from, by the default branch. `workflow` is the file name in the config. */
export type ExpectedOrigin = { readonly repository: string; readonly defaultBranch: string; readonly workflow: string };

/** Null if this workflow may carry out orders; otherwise the refusal and what was found. */
export function verifyWorkflowOrigin(
  place: WorkflowOrigin,
  home: ExpectedOrigin,
): { readonly code: RefusalCode; readonly why: string } | null {
  const branch = `refs/heads/${home.defaultBranch}`;
  if (place.event !== 'workflow_dispatch') return { code: 'wrong-origin', why: place.event };
  if (place.ref !== branch) return { code: 'wrong-origin', why: place.ref };
  if (place.workflowRef === '') return { code: 'unreadable', why: 'the runner does not say which workflow this is' };
  const [path = '', ref = ''] = splitAtLastMark(place.workflowRef, '@');
  if (path.toLowerCase() !== `${home.repository}/.github/workflows/${home.workflow}`.toLowerCase())
    return { code: 'wrong-origin', why: place.workflowRef };
  return ref === branch ? null : { code: 'wrong-origin', why: place.workflowRef };
}

function splitAtLastMark(text: string, mark: string): readonly string[] {
  const at = text.lastIndexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
