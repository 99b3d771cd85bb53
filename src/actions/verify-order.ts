/**
 * What the runner checks before it claims an order (architecture, D5): it trusts nothing about it. The order must be in the
 * verified logbook, open, whole, for this repository, in time; the approvals must stand as they were given; the pull
 * request must be open, unmoved and described as it was; the manifest from its own checkout must give the digest; and the
 * gates over the change and the lane must let it through on the runner's own reading.
 */

import { permits } from '../domain/actor.ts';
import type { CommentFacts, PullFacts } from '../domain/facts.ts';
import type { Detail } from '../domain/incidents.ts';
import { type Hold, holdsOver } from '../domain/launch/hold.ts';
import { asLaunched } from '../domain/launch/next-attempt.ts';
import { citationKey, type Order, submissionIdOf } from '../domain/launch/order.ts';
import { askedFor, failedAlike, responseTo } from '../domain/launch/response.ts';
import { isRunnerGate, type RefusalCode, whyUnknown } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import type { IssuedOrder, RelaunchAsked, RunState } from '../domain/logbook/run-state.ts';
import { type Digest, type DigestOf, fromRfc3339, type Instant, type Observed } from '../domain/values.ts';
import type { ChangeGateFacts } from '../gates/gate.ts';
import { runnerVerdicts } from '../gates/run-gates.ts';
import { canonicalDigest } from '../logbook/chain.ts';
import { goesOnFrom } from '../run/gate-run.ts';
import type { Brake } from '../run/open-brakes.ts';
import type { Refusal } from './pipeline.ts';
import {
  type ApprovalFacts,
  type ApprovalFault,
  approvalFault,
  brakeFault,
  citedComment,
  type FixInTree,
  preApprovalFault,
} from './verify-approval.ts';

export type OrderFacts = ApprovalFacts & {
  readonly repository: string;
  /** The holds of the journal at this moment. */
  readonly journalHolds: Observed<readonly Hold[]>;
  readonly digestOf: DigestOf;
  readonly pull: Observed<PullFacts>;
  /** Fingerprint of the pull request's description as it is now. */
  readonly body: Observed<Digest>;
  /** The digest of the manifest that the runner computed itself. */
  readonly digest: Observed<Digest>;
  /** What it finds of a fix that is said to have been approved beforehand; of every other order nobody asks. */
  readonly fix: Observed<FixInTree>;
  /** What the gates look at, as the runner reads it. */
  readonly gates: Observed<ChangeGateFacts>;
  /** The runs of every lane as the runner verified them, newest first. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** What was commented to hold it back since the newest approval. */
  readonly brakes: Observed<readonly Brake[]>;
  /** A comment that an approver may have read in place of the card; null where there is none. */
  readonly secondCard: Observed<CommentFacts | null>;
};

/** Why an order is not carried out. */
export type OrderRefusal = Refusal & { readonly code: RefusalCode };

/** The order in the run's record, where it is whole, for this repository, and nobody has told its end. */
export function findOrder(
  state: RunState | null,
  digest: string,
  { repository, digestOf }: Pick<OrderFacts, 'repository' | 'digestOf'>,
): { readonly kind: 'order'; readonly state: RunState; readonly order: IssuedOrder } | OrderRefusal {
  const order = state?.order ?? null;
  if (state === null || order === null || order.digest !== digest)
    return refuse('order-unknown', 'standing', 'the logbook has no such order');
  if (order.order.repository !== repository)
    return refuse('other-repository', 'standing', order.order.repository);
  const defect = orderDefect(state, order, digestOf);
  if (defect !== null) return refuse('order-forged', 'standing', defect);
  return state.submission !== null || order.status === 'submitted' || order.status === 'failed'
    ? refuse('order-used', 'standing', 'the order was carried out or refused before')
    : { kind: 'order', state, order };
}

/** Why the order of this digest may not be carried out now, or null. A claimed order has no end in time. */
export function judgeOrder(given: RunState | null, digest: string, facts: OrderFacts): OrderRefusal | null {
  const found = findOrder(given, digest, facts);
  if (found.kind === 'refused') return found;
  const { state, order } = found;
  if (order.status === 'claimed') return judgeGround(state, order, facts);
  if (order.status === 'void') return refuse('order-void', 'standing', 'what the order rested on fell');
  if (facts.now >= expiryOf(order)) return refuse('order-expired', 'standing', order.order.expiresAt);
  return judgeGround(state, order, facts);
}

/**
 * Whether a claimed order is too old to be started: counted from its claim, since what was claimed in time is not
 * forfeited by a machine that came back after the order's own end. A claim without a valid time is.
 */
export function isClaimStale(order: IssuedOrder, now: Instant): boolean {
  const claimedAt = fromRfc3339(order.claim?.at ?? '');
  return claimedAt === null || now >= claimedAt + limits.orderLifetimeMs;
}

/**
 * Whether the engine's memory of a claimed order is gone, so that *nothing there* does not mean that nothing was started:
 * the engine forgets with its session, and the session is not the one of the claim.
 */
export function isClaimForgotten(
  order: IssuedOrder,
  engine: { readonly forgetsWithSession?: true },
  session: string | null,
): boolean {
  return engine.forgetsWithSession === true && session !== order.claim?.engineSession;
}

/** An order lives two hours from its entry in the logbook, also where it says that it lives longer. */
function expiryOf(order: IssuedOrder): number {
  const own = fromRfc3339(order.order.expiresAt) ?? 0;
  return Math.min(own, (fromRfc3339(order.at) ?? 0) + limits.orderLifetimeMs);
}

function judgeGround(state: RunState, issued: IssuedOrder, facts: OrderFacts): OrderRefusal | null {
  const { order } = issued;
  const held = brakeFault({
    stoppedBy: state.stop?.actor.login ?? null,
    holds: holdsOver(state, facts.journalHolds),
    brakes: facts.brakes,
  });
  if (held !== null) return refuseFor(held);
  if (facts.pull.kind === 'unknown') return refuse('unreadable', 'standing', facts.pull.why);
  const pull = facts.pull.value;
  const moved = pullFault(pull, order.commit, facts);
  if (moved !== null) return refuse(moved.code, 'ending', moved.why);
  const again = relaunchRefusal(state, issued, facts);
  if (again !== null) return again;
  const fault = approvalFault(state, order, facts) ?? preApprovalFault(state, order, facts.fix, facts);
  if (fault !== null) return refuseFor(fault);
  const { body, digest } = facts;
  if (body.kind === 'unknown') return refuse('unreadable', 'standing', body.why);
  const approved = approvedBodies(state, issued);
  if (approved.includes(null)) return refuse('order-void', 'ending', 'an approval that it rests on fell');
  if (approved.some((fingerprint) => fingerprint !== body.value))
    return refuse('manifest-changed', 'ending', `#${pull.number}`);
  const gate = gateRefusal(facts.gates);
  // The job's own interpreter is here and not where the gates passed: what it would not compile is no order to keep, nor is one whose checkpoint is gone.
  if (digest.kind === 'unknown')
    return gate?.code === 'delta-readable' || gate?.code === 'checkpoint-proven'
      ? gate
      : refuse('unreadable', 'standing', digest.why);
  if (digest.value !== order.digest) return refuse('manifest-changed', 'ending', digest.value);
  return gate ?? checkpointRefusal(order, facts.gates) ?? secondCardRefusal(facts);
}

/** The same manifest again is control's decision, and the record is what it rests on: it is decided here once more. */
function relaunchRefusal(state: RunState, { order }: IssuedOrder, facts: OrderFacts): OrderRefusal | null {
  const { recordedRuns } = facts;
  if (state.attempts.at(-1)?.order.order.digest !== order.digest) return null;
  const before = asLaunched(state);
  const response = responseTo(before);
  if (response?.kind !== 'relaunch')
    return refuse(
      'relaunch-not-due',
      'ending',
      response?.kind === 'ask' ? response.why.reason : 'no failure',
    );
  const asked = askedFor(before);
  if (asked !== null) return askedRefusal(state, asked, facts);
  if (recordedRuns.kind === 'unknown') return refuse('unreadable', 'standing', recordedRuns.why);
  const alike = failedAlike(before, recordedRuns.value);
  return alike === null ? null : refuse('relaunch-not-due', 'ending', `${alike.run} failed so`);
}

/** That a person wants it is control's word too: the comment says it, unedited, and who wrote it may stop a job today. */
function askedRefusal(
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

/** Control's word that the gates passed is not enough either. What cannot be told leaves the order to another look. */
function gateRefusal(gates: OrderFacts['gates']): OrderRefusal | null {
  if (gates.kind === 'unknown') return refuse('unreadable', 'standing', gates.why);
  const verdicts = runnerVerdicts(gates.value);
  for (const { gate, outcome, code, found } of verdicts) {
    if (outcome === 'fail' && isRunnerGate(gate))
      return refuse(gate, 'ending', [code, ...told(found)].join(', '));
  }
  const open = verdicts.find(({ outcome }) => outcome === 'unknown');
  return open === undefined
    ? null
    : refuse('unreadable', 'standing', `${open.gate}: ${whyUnknown(open) || open.code}`);
}

/** What an attempt goes on from is in no manifest that is started again: the runner names it by its own listing, or nothing is started. */
function checkpointRefusal({ checkpoint }: Order, gates: OrderFacts['gates']): OrderRefusal | null {
  if (gates.kind === 'unknown') return refuse('unreadable', 'standing', gates.why);
  const own = goesOnFrom(gates.value);
  if (own.kind === 'unknown') return refuse('unreadable', 'standing', own.why);
  const [said, found] = [checkpoint ?? null, own.value];
  return said?.path === found?.path && said?.step === found?.step
    ? null
    : refuse('checkpoint-proven', 'ending', `${found?.path ?? 'none'} in place of ${said?.path ?? 'none'}`);
}

function secondCardRefusal({ secondCard }: OrderFacts): OrderRefusal | null {
  if (secondCard.kind === 'unknown') return refuse('unreadable', 'standing', secondCard.why);
  if (secondCard.value === null) return null;
  const { surface, id, thread, author } = secondCard.value;
  return refuse('second-card', 'ending', `${surface} ${id} by ${author.login} in #${thread}`);
}

function told(found: Detail): readonly string[] {
  return Object.entries(found).map(([name, value]) => `${name} ${value}`);
}

function pullFault(
  pull: PullFacts,
  commit: string,
  { repository, config }: OrderFacts,
): { readonly code: RefusalCode; readonly why: string } | null {
  if (pull.state !== 'open')
    return { code: 'pull-closed', why: `#${pull.number} is ${pull.merged ? 'merged' : 'closed'}` };
  if (pull.headRepository !== repository)
    return { code: 'fork', why: pull.headRepository ?? 'a deleted fork' };
  if (pull.baseBranch !== config.lane.targetBranch) return { code: 'manifest-changed', why: pull.baseBranch };
  return pull.headSha === commit ? null : { code: 'manifest-changed', why: pull.headSha };
}

/** The descriptions that the cited people approved, as fingerprints; null where an approval has fallen since. */
function approvedBodies(state: RunState, { order }: IssuedOrder): readonly (Digest | null)[] {
  return order.approvals.map(
    (cited) =>
      state.approvals.find((given) => given.comment === cited.comment && given.surface === cited.surface)
        ?.body ?? null,
  );
}

/** What could not be read is asked again. */
function refuseFor({ code, why }: ApprovalFault): OrderRefusal {
  return refuse(code, code === 'unreadable' ? 'standing' : 'ending', why);
}

function refuse(code: RefusalCode, effect: 'standing' | 'ending', why: string): OrderRefusal {
  return { kind: 'refused', code, effect, why };
}

/**
 * Why an order, or the manifest in the record, is not what it says it is; null where it is. The fold has compared most of
 * these as well; a runner that submits under an id compares them itself. What the record says of the manifest decides later
 * how often the job is started again and when its machine goes: it has to be what was approved.
 */
function orderDefect(
  state: RunState,
  { order, digest, manifest }: IssuedOrder,
  digestOf: DigestOf,
): string | null {
  if (canonicalDigest(order, digestOf) !== digest) return 'its digest is that of another order';
  if (manifest !== null && canonicalDigest(manifest, digestOf) !== order.digest)
    return 'the record has another manifest than the one that it names';
  if (order.run !== state.run) return `it is for the run ${order.run}`;
  return order.submissionId === submissionIdOf(state.run, order.attempt)
    ? null
    : `its submission id is ${order.submissionId}`;
}

/** As GitHub names them: GITHUB_EVENT_NAME, GITHUB_REF and GITHUB_WORKFLOW_REF (docs: default environment variables). */
export type LaunchPlace = {
  readonly event: string;
  readonly ref: string;
  /** `owner/name/.github/workflows/FILE@REF`. */
  readonly workflowRef: string;
};

/** What the default branch says about where launches come from. `workflow` is the file name of the config. */
export type LaunchHome = {
  readonly repository: string;
  readonly defaultBranch: string;
  readonly workflow: string;
};

/** Null where an order may be carried out; otherwise the refusal, with what was found. */
export function verifyWorkflowOrigin(
  place: LaunchPlace,
  home: LaunchHome,
): { readonly code: RefusalCode; readonly why: string } | null {
  const branch = `refs/heads/${home.defaultBranch}`;
  if (place.event !== 'workflow_dispatch') return { code: 'wrong-origin', why: place.event };
  if (place.ref !== branch) return { code: 'wrong-origin', why: place.ref };
  if (place.workflowRef === '')
    return { code: 'unreadable', why: 'the runner does not say which workflow this is' };
  const [path = '', ref = ''] = splitAtLast(place.workflowRef, '@');
  if (path.toLowerCase() !== `${home.repository}/.github/workflows/${home.workflow}`.toLowerCase())
    return { code: 'wrong-origin', why: place.workflowRef };
  return ref === branch ? null : { code: 'wrong-origin', why: place.workflowRef };
}

function splitAtLast(text: string, mark: string): readonly string[] {
  const at = text.lastIndexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
