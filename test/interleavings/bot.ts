// The bot's processes in the simulation: two controls with their own memory and view of the record, and the
// runner.

import { isClaimStale, judgeOrder, type OrderFacts } from '../../src/actions/verify-order.ts';
import type { CommentFacts, RunFacts } from '../../src/domain/facts.ts';
import { citationKey } from '../../src/domain/launch/order.ts';
import { limits } from '../../src/domain/limits.ts';
import { findApprovedManifest } from '../../src/domain/logbook/run-state.ts';
import { commentId, markerText } from '../../src/domain/marker.ts';
import { factKey } from '../../src/domain/reconcile-request.ts';
import { brandAs, isInstant, known, type Observed, unknown } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { gatherApprovalFacts } from '../../src/run/approvals.ts';
import { COMMENT_DELETED_MS } from '../../src/run/decide-commands.ts';
import { decideJournal } from '../../src/run/decide-journal.ts';
import { gateRun } from '../../src/run/gate-run.ts';
import type { LaneScopedConfig } from '../../src/run/lane.ts';
import { listPendingItems } from '../../src/run/pending-commands.ts';
import { reconcile } from '../../src/run/reconcile.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../../src/run/step.ts';
import { digestOf, labBot } from '../support/run-drafts.ts';
import {
  aBody,
  aChange,
  aComment,
  anIssue,
  aPull,
  aWorkflowRun,
  knownWorkflowRuns,
  someFacts,
  versionsEditedBy,
} from '../support/run-facts.ts';
import { aConfig } from '../support/run-parts.ts';
import { bodyFingerprint, changeOfContent, commitOfContent } from './content.ts';
import { ELSEWHERE, PULL, pushEvents, RUN, takeSnapshot, type Version, type World } from './world.ts';

/** A control process: its memory, and the version of the record that it read last. */
export type Control = { memory: AttemptCache; view: Version };

/** Restarts a crashed process: it has no memory and reads the record. */
export function restart(world: World): Control {
  return { memory: NO_ATTEMPTS, view: world.version };
}

const CONFIGS = new Map<number, LaneScopedConfig>();

function buildConfig(quorum: number): LaneScopedConfig {
  const made = CONFIGS.get(quorum) ?? aConfig();
  const config = { ...made, approvals: { ...made.approvals, quorum } };
  if (!CONFIGS.has(quorum)) CONFIGS.set(quorum, config);
  return CONFIGS.get(quorum) ?? config;
}

/** What a process reads from GitHub now; sometimes a part is unreadable. */
function buildFacts(world: World, view: Version): RunFacts {
  const isHidden = world.random.chance(0.04);
  const comments = world.comments.filter((comment) => comment.thread !== ELSEWHERE);
  const permissions = new Map(
    [...world.permissions].map(([id, held]) => [
      id,
      world.random.chance(0.03) ? unknown('GitHub is away') : known(held),
    ]),
  );
  const dispatched = world.dispatches.map((one) =>
    aWorkflowRun({ id: one.id, status: one.done ? 'completed' : 'queued', createdAt: one.at }),
  );
  return someFacts({
    pull: known(buildPull(world)),
    issue: known(anIssue({ updatedAt: world.now })),
    comments: isHidden ? unknown('GitHub is away') : known([...findCard(view), ...comments]),
    readAt: world.now,
    cited: new Map(view.state.approvals.map((approval) => findRequest(world, approval))),
    change: world.random.chance(0.03) ? unknown('git is away') : known(aChange(changeOfContent(world.content))),
    body: known(aBody({ fingerprint: bodyFingerprint(world.body) })),
    permissions,
    journalHolds: known(view.journal.holds),
    clusterActions: known([]),
    ...knownWorkflowRuns(...dispatched),
    failedJobs: new Map(dispatched.map(({ id }) => [id, unknown('GitHub is away')])),
  });
}

/** The card, which control updates with the gates: a slower process finds the card of a faster one. */
function findCard({ state: { gate, run } }: Version): readonly CommentFacts[] {
  if (gate?.digest == null) return [];
  const { digest, body, seq, at } = gate;
  const fields = { head: `${seq}:${'0'.repeat(12)}`, manifest: digest, body };
  const text = `${markerText({ run, kind: 'card', key: 'card', fields })}\n🤖`;
  const createdAt = brandAs(Math.floor(Date.parse(at) / 1_000) * 1_000, isInstant);
  return [aComment(labBot, text, { id: 1, thread: PULL, isByOwnLogin: true, authorIsBot: true, createdAt })];
}

/** One approving comment by its id, which GitHub returns even if its list lags. */
function findRequest(
  world: World,
  { surface, comment }: Version['state']['approvals'][number],
): readonly [string, Observed<CommentFacts | null>] {
  const found = world.comments.find(({ id }) => id === comment) ?? null;
  return [commentId({ surface, id: comment }), world.random.chance(0.03) ? unknown('GitHub is away') : known(found)];
}

function buildPull(world: World): ReturnType<typeof aPull> {
  const editors = world.editors.map((id) => ({ id, login: `user-${id}` }));
  return aPull({
    headSha: commitOfContent(world.content),
    bodyDigest: bodyFingerprint(world.body),
    versions: versionsEditedBy(...editors),
    state: world.isPullOpen ? 'open' : 'closed',
  });
}

/** One trigger of a control process; `stepsMax` interrupts it after any step. */
export function trigger(world: World, control: Control, stepsMax: number): void {
  control.view = world.version;
  readOtherThreads(world, control);
  const facts = buildFacts(world, control.view);
  const outcomes = [...control.memory.outcomes].filter(([, outcome]) => outcome.kind === 'done');
  control.memory = { ...control.memory, outcomes: new Map(outcomes), tries: new Map() };
  for (let index = 0; index < stepsMax; index += 1) {
    const { step } = reconcile({
      state: control.view.state,
      facts: { ...facts, journalHolds: known(control.view.journal.holds) },
      config: buildConfig(world.quorum),
      repository: 'lab/models',
      now: world.now,
      memory: control.memory,
      digestOf,
    });
    if (step === null) return;
    if (step.kind === 'append') {
      const seqs = pushEvents(world, control.view, step.drafts, step.journal);
      // Another process pushed first: read the record again, and decide again.
      control.view = world.version;
      if (seqs !== null)
        control.memory = { ...control.memory, appended: new Set([...control.memory.appended, ...seqs]) };
      continue;
    }
    if (step.kind === 'need') throw new Error(`${step.facts.map(factKey).join(', ')} was given from the start`);
    if (step.effect.kind !== 'dispatch-workflow') return;
    // The response may be lost after the dispatch, or the dispatch may never have arrived.
    const isMade = !world.random.chance(0.1);
    const isTold = isMade && !world.random.chance(0.1);
    if (isMade && step.effect.workflow === buildConfig(world.quorum).workflows.launch) {
      const order = step.effect.inputs['order'] ?? '';
      world.dispatches.push({ id: world.dispatches.length + 1, order, at: world.now, done: false });
    }
    const outcome = isTold
      ? ({ kind: 'done', number: world.dispatches.length } as const)
      : ({ kind: 'unknown', message: 'the answer was lost' } as const);
    const tries = new Map([...control.memory.tries, [step.key, (control.memory.tries.get(step.key) ?? 0) + 1]]);
    control.memory = { ...control.memory, outcomes: new Map([...control.memory.outcomes, [step.key, outcome]]), tries };
  }
}

function readOtherThreads(world: World, control: Control): void {
  const { journal, state } = control.view;
  const comments = world.comments.filter((comment) => comment.thread === ELSEWHERE);
  const config = buildConfig(world.quorum);
  const since = world.comments[0]?.createdAt ?? world.now;
  const permissions = new Map([...world.permissions].map(([id, held]) => [id, known(held)]));
  const { otherBots } = config;
  const items = listPendingItems(journal.commands, comments, { since, otherBots, permissions });
  if (items.length === 0) return;
  const drafts = decideJournal({
    items,
    knownCommands: journal.commands,
    journal: journal.commands,
    facts: {
      permissions,
      journalHolds: known(journal.holds),
      clusterActions: known([]),
      proposalTexts: new Map(),
      recordedRuns: known([state]),
    },
    config,
    laneHere: null,
    noRunAnswer: 'no-run-here',
    now: world.now,
  });
  if (drafts.length > 0) pushEvents(world, control.view, [], drafts);
  control.view = world.version;
}

/**
 * The runner executes one dispatch; `dieAt` 1 = after the claim, 2 = after the submission, before it is
 * recorded.
 */
export function launch(world: World, order: string, dieAt: 0 | 1 | 2): void {
  for (let tries = 0; tries < 3; tries += 1) {
    const view = world.version;
    const refusal = judgeOrder(view.state, order, orderFacts(world, view));
    const issued = view.state?.order ?? null;
    const isClaimed = issued?.digest === order && issued.status === 'claimed';
    if (issued === null || (refusal !== null && !isClaimed)) {
      if (refusal?.effect === 'ending') refuse(world, view, order, refusal.code);
      return;
    }
    const { order: given, digest, claim } = issued;
    if (!isClaimed) {
      const data = { orderDigest: digest, attempt: given.attempt, workflowRun: 1, engineSession: '' };
      const atClaim = takeSnapshot(world);
      const claimedAt = world.now;
      if (pushEvents(world, view, [{ type: 'claimed', role: 'runner', data }]) === null) continue;
      if (dieAt === 1) return;
      start(world, given.submissionId, { commit: given.commit, digest: given.digest, claimedAt, atClaim });
    } else if (!world.jobs.has(given.submissionId)) {
      if (refusal?.effect === 'standing') return;
      if (refusal !== null || isClaimStale(issued, world.now)) {
        refuse(world, view, order, 'too late', 'submit-rejected');
        return;
      }
      const claimedAt = Date.parse(claim?.at ?? '');
      start(world, given.submissionId, {
        commit: given.commit,
        digest: given.digest,
        claimedAt,
        atClaim: takeSnapshot(world),
      });
    }
    if (dieAt === 2) return;
    recordSubmission(world, order);
    return;
  }
}

function start(
  world: World,
  submissionId: string,
  job: Omit<Parameters<typeof world.jobs.set>[1], 'submissionId'>,
): void {
  if (world.jobs.has(submissionId)) throw new Error(`two jobs under ${submissionId}`);
  world.jobs.set(submissionId, { submissionId, ...job });
}

function recordSubmission(world: World, order: string): void {
  const { state } = world.version;
  if (state.order?.digest !== order || state.order.status !== 'claimed') return;
  const { order: given, digest } = state.order;
  const data = {
    orderDigest: digest,
    attempt: given.attempt,
    engine: 'local',
    jobId: given.submissionId,
    cluster: 'local',
    command: [],
    commit: given.commit,
    adopted: false,
    urls: {},
    details: {},
  };
  pushEvents(world, world.version, [{ type: 'submitted', role: 'runner', data }]);
}

function refuse(
  world: World,
  view: Version,
  order: string,
  reason: string,
  code: 'runner-refused' | 'submit-rejected' = 'runner-refused',
): void {
  pushEvents(world, view, [
    { type: 'incident', role: 'runner', data: { code, detail: { orderDigest: order, reason } } },
  ]);
}

/** The runner reads everything itself, each approval by its id. */
function orderFacts(world: World, view: Version): OrderFacts {
  const config = buildConfig(world.quorum);
  const facts = buildFacts(world, view);
  const cited = new Map<string, Observed<CommentFacts | null>>();
  for (const approval of view.state.order?.order.approvals ?? []) {
    const comment = world.comments.find((one) => one.id === approval.comment) ?? null;
    cited.set(citationKey(approval), world.random.chance(0.03) ? unknown('GitHub is away') : known(comment));
  }
  const gated = gateRun({
    run: RUN,
    proposal: view.state.proposal,
    holds: view.state.holds,
    config,
    repository: 'lab/models',
    now: world.now,
    approvals: known(gatherApprovalFacts(view.state, facts, config, world.now)),
    approved: findApprovedManifest(view.state),
    facts,
    digestOf,
  });
  return {
    repository: 'lab/models',
    now: world.now,
    config,
    digestOf,
    journalHolds: known(view.journal.holds),
    recordedRuns: facts.recordedRuns,
    pull: facts.pull,
    body: facts.body.kind === 'known' ? known(facts.body.value.fingerprint) : facts.body,
    cited,
    permissions: facts.permissions,
    shown: facts,
    digest: gated.manifest.kind === 'known' ? known(canonicalDigest(gated.manifest.value, digestOf)) : gated.manifest,
    brakes: known([]),
    secondCard: known(null),
    fix: unknown('no order asks for it'),
    gates: known(gated.facts),
  };
}

/** The time without events after which all waits of the bot have ended. */
export const QUIET_MS = limits.permissionPatienceMs + COMMENT_DELETED_MS;
