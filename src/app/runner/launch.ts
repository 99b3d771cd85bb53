/** `mode: launch`, on the runner with the cluster's credentials: verifies, claims, submits and records one order. */

import { launchAction, type Submitted } from '../../actions/launch.ts';
import { executeAction, type Refused } from '../../actions/pipeline.ts';
import { type ApprovalFacts, approvingAttempt } from '../../actions/verify-approval.ts';
import type { OrderFacts } from '../../actions/verify-order.ts';
import type { BranchWork } from '../../domain/actor.ts';
import type { SearchedRoot } from '../../domain/checkpoint/stored.ts';
import type { BodyFacts, ChangeFacts, CommentFacts } from '../../domain/facts.ts';
import type { ImageObservation } from '../../domain/launch/contract.ts';
import { activeRollback, lastFailure, stateAtLastLaunch } from '../../domain/launch/next-attempt.ts';
import { approvedDigest, citationKey, type Order } from '../../domain/launch/order.ts';
import { pendingRelaunchRequest } from '../../domain/launch/response.ts';
import { findBotFix, findSmallMistake, jobAfterFix } from '../../domain/launch/small-fix.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import { findApprovedManifest, type RunState, runsInLane } from '../../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, isRunId, known, memoize, type Observed, unknown } from '../../domain/values.ts';
import type { ChangeGateFacts, GateFacts } from '../../gates/gate.ts';
import { readPermission } from '../../github/settings.ts';
import { readProposal, type ThreadFacts } from '../../github/threads.ts';
import { findSecondCard } from '../../run/approvals.ts';
import { buildGateFacts } from '../../run/gate-run.ts';
import { configHealthFor, firstLane } from '../../run/lane.ts';
import { PYTHON_POLICY } from '../../run/manifest-of.ts';
import { isUnrecordedRejection } from '../../run/open-brakes.ts';
import { commandsSince, type PendingItem } from '../../run/pending-commands.ts';
import type { ActionParts } from '../action/parts.ts';
import { findStateProblem } from '../action/watching.ts';
import { gatherBrakes, readApprovals } from '../brakes.ts';
import { checkFixInTree, neededRoots, searchRoots } from '../control/attempt-facts.ts';
import { branchWork, gatherChangeFacts } from '../control/change-facts.ts';
import { factsFromRecord } from '../control/gather.ts';
import { findEarlierRun, readBody } from '../control/shown-facts.ts';
import { readContainerImage } from '../images.ts';
import { proposalPlace, threadReading } from '../markers.ts';
import { type OpenLab, type OpenLane, openLaneOfRun } from '../open-lab.ts';
import { findRecordFault } from '../record-files.ts';
import { shipJob } from './ship-job.ts';

/** All facts for an order; without an order, they are unknown. */
async function gatherOrderFacts(open: OpenLane, state: RunState | null): Promise<OrderFacts> {
  const { lab, config } = open;
  if (state === null || state.order === null) return unreadableOrderFacts(open, 'there is no order');
  const place = proposalPlace(state.proposal, config);
  const threads = await readProposal(lab.client, place, threadReading(lab, config));
  if (threads.kind === 'unknown') return unreadableOrderFacts(open, threads.why);
  const { pull } = threads.value;
  if (pull.kind === 'unknown') return unreadableOrderFacts(open, pull.why);
  const { order } = state.order;
  const asked = pendingRelaunchRequest(stateAtLastLaunch(state));
  const citations = [...order.approvals, ...(asked === null ? [] : [asked])].map(({ surface, comment }) => ({
    surface,
    comment,
    pull: state.proposal.pull,
  }));
  const { cited, permissions } = await readApprovals(open, citations, threads.value.comments);
  const { runs } = open.store.current();
  const change = await gatherChangeFacts(open, order.commit, { state, runs });
  const last = findEarlierRun(state, runs);
  const body = readBody(open, pull.value.body, change, last);
  const ordered = {
    since: commandsSince(state),
    failedAt: fromRfc3339(state.attempts.at(-1)?.end.at ?? ''),
    approvers: new Set(order.approvals.map(({ user }) => user)),
    basedOn: newestApproval(order, cited),
    run: state.run,
    day: state.proposal,
    alsoBlocks: (item: PendingItem) => isUnrecordedRejection(state, item),
  };
  const brakes = await gatherBrakes(open, ordered, threads.value.comments);
  // Ask GitHub who pushed the head; do not trust the record for that.
  const work = change.kind === 'known' ? await branchWork(lab, state, pull.value, change.value) : change;
  const searchedRoots = await searchRoots(neededRoots(config.checkpoints, state), lab.stores);
  const gates = evaluateGates(open, state, {
    threads: threads.value,
    change,
    body,
    work,
    searchedRoots,
    containerImage: await readContainerImage(lab.images, config, (_key, read) => read()),
  });
  return {
    ...baseOrderFacts(open),
    pull,
    body: body.kind === 'known' ? known(body.value.fingerprint) : body,
    cited,
    permissions,
    brakes,
    fix: await readFixCheck(open, state, order),
    secondCard: await readSecondCard(open, state, threads.value.comments, { order, cited, permissions }),
    shown: { pull, issue: threads.value.issue, branchWork: work },
    digest: currentDigest(state, change, gates.bound),
    gates: known(gates),
  };
}

/** Recomputes the digest. Unknown if another Python version read the approved experiment, because the readings may differ. */
function currentDigest(
  { gate }: RunState,
  change: Observed<ChangeFacts>,
  bound: GateFacts['bound'],
): OrderFacts['digest'] {
  const then = gate?.manifest?.policy[PYTHON_POLICY];
  if (change.kind === 'known' && then !== undefined && then !== change.value.python)
    return unknown(
      `this runner has Python ${change.value.python}, and ${then} read the approved experiment: set \`python\` of the lane to a program that is ${then} on both`,
    );
  return bound.kind === 'known' ? known(bound.value.digest) : bound;
}

/** For an order without its own approval: whether its commit is the fix that follows from the failed files. */
async function readFixCheck({ lab, git, config }: OpenLane, state: RunState, order: Order): Promise<OrderFacts['fix']> {
  const after = approvingAttempt(state, order);
  const slip = after === null ? null : findSmallMistake(after);
  const mayChange = config.kind.fixes?.(config.lane).mayFix ?? null;
  if (slip === null || mayChange === null)
    return known({ kind: 'otherwise', why: 'the attempt died of nothing that is put right so' });
  return checkFixInTree(lab, git, slip, { commit: order.commit, mayChange, python: config.lane.python });
}

type OwnReading = {
  readonly threads: ThreadFacts;
  readonly change: Observed<ChangeFacts>;
  readonly body: Observed<BodyFacts>;
  readonly work: Observed<BranchWork>;
  readonly searchedRoots: readonly SearchedRoot[];
  readonly containerImage: Observed<ImageObservation>;
};

/** The facts for the gates, with the manifest from the runner's own mirror. Of the App's claims, only the proposal is used. */
function evaluateGates(
  { lab, config, configHealth, store }: OpenLane,
  state: RunState,
  { threads, change, body, work, searchedRoots, containerImage }: OwnReading,
): ChangeGateFacts {
  const { recordedRuns, journalHolds } = factsFromRecord(store.current());
  return buildGateFacts({
    run: state.run,
    proposal: state.proposal,
    holds: state.holds,
    contract: state.contract,
    description: jobAfterFix(state),
    failed: lastFailure(state),
    rollback: activeRollback(state),
    owner: state.watch.owner,
    ownFix: findBotFix(state),
    approved: findApprovedManifest(state),
    config,
    repository: lab.repository,
    now: lab.now(),
    facts: {
      pull: threads.pull,
      issue: threads.issue,
      comments: known(threads.comments),
      change,
      branchWork: work,
      body,
      checks: threads.checks(),
      configHealth: known(configHealthFor(config, configHealth)),
      recordedRuns,
      journalHolds,
      searchedRoots: known(searchedRoots),
      containerImage,
    },
    digestOf: lab.digestOf,
  });
}

/** Facts that need no request. The time is read last, after the requests synchronized GitHub's clock. */
function baseOrderFacts({
  lab,
  config,
  store,
}: OpenLane): Pick<OrderFacts, 'repository' | 'now' | 'config' | 'digestOf' | 'journalHolds' | 'recordedRuns'> {
  const { journalHolds, recordedRuns } = factsFromRecord(store.current());
  const { repository, digestOf } = lab;
  return { repository, now: lab.now(), config, digestOf, journalHolds, recordedRuns };
}

function unreadableOrderFacts(open: OpenLane, why: string): OrderFacts {
  const nothing = unknown(why);
  const shown = { pull: nothing, issue: nothing, branchWork: nothing };
  const empty = { cited: new Map(), permissions: new Map(), shown };
  return {
    ...baseOrderFacts(open),
    ...empty,
    pull: nothing,
    body: nothing,
    digest: nothing,
    fix: nothing,
    gates: nothing,
    brakes: nothing,
    secondCard: nothing,
  };
}

/** Searches for a second card up to the newest approval, because that approver saw every earlier comment. */
async function readSecondCard(
  { lab }: OpenLane,
  state: RunState,
  comments: readonly CommentFacts[],
  { order, cited, permissions }: Pick<ApprovalFacts, 'cited' | 'permissions'> & { readonly order: Order },
): Promise<Observed<CommentFacts | null>> {
  const approval = newestApproval(order, cited);
  if (approval === null) return known(null);
  const asked = { state, digest: approvedDigest(order), approval };
  const held = new Map(permissions);
  for (;;) {
    const found = findSecondCard(asked, comments, held);
    if (found.kind !== 'need') return found;
    for (const one of found.facts)
      if (typeof one !== 'string' && one.fact === 'permissions')
        held.set(one.of.id, await readPermission(lab.client, one.of));
  }
}

function newestApproval({ approvals }: Order, cited: ApprovalFacts['cited']): CommentFacts | null {
  const found = approvals.flatMap((one) => {
    const comment = cited.get(citationKey(one));
    return comment?.kind === 'known' && comment.value !== null ? [comment.value] : [];
  });
  return found.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id).at(-1) ?? null;
}

/** Executes one order. Each refusal has a code; nothing is submitted before the claim is pushed. */
export async function executeLaunch(lab: OpenLab, parts: ActionParts): Promise<Submitted | Refused> {
  const { store } = lab;
  const { repository, digestOf, now, boundary } = lab.lab;
  const { inputs, event, secrets } = parts;
  const { run, stateDirectory } = inputs;
  const redact = secrets.redact;
  const currentState = (): RunState | null => store.current().runs.find((one) => one.run === run) ?? null;
  const recorded = currentState();
  const open = recorded === null ? { ...lab, config: firstLane(lab.config) } : openLaneOfRun(lab, recorded);
  const { cluster } = open.config.lane;
  const engine = parts.engineOf(open.config, cluster);
  if (!isRunId(run)) return { kind: 'refused', code: 'order-unknown', why: 'the logbook has no such order' };
  const recordFaultNow = () => findRecordFault(store.current(), run, 'order-unknown');
  return executeAction(
    { record: store, file: run, fault: recordFaultNow, now, redact },
    launchAction({
      orderDigest: inputs.order,
      repository,
      digestOf,
      workflowRun: event.runId,
      workflowRunUrl: event.runUrl,
      stateProblem: findStateProblem(parts, open.config, cluster),
      cluster,
      engine,
      state: currentState,
      // Adopted jobs may run in parallel, because people launched them by hand.
      others: ({ proposal }) => (proposal.adopts === undefined ? runsInLane(store.current().runs, proposal.lane) : []),
      facts: memoize(
        (one) => gatherOrderFacts(open, one),
        (one) => factsKey(one, store.current().journal, now()),
      ),
      ship: (one, order) => shipJob(open, one, order, { ...parts, stateDirectory, engine }),
      now,
      sleep: parts.sleep,
      boundary,
      redact,
    }),
  );
}

/** Maximum age of the facts for judging an order. */
const FACTS_AGE_MAX_MS = 10_000;

/**
 * Identifies what the facts depend on in the record. Excludes control's own dispatch entries, which arrive while this job verifies. Any
 * other entry, such as a hold or a stop, changes the key.
 */
function factsKey(state: RunState, { head }: JournalState, now: Instant): string {
  const period = Math.floor(now / FACTS_AGE_MAX_MS);
  return `${state.head.seq - state.dispatches.length} ${head?.seq ?? 'none'} ${period}`;
}
