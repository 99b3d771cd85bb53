/** `mode: launch`, on the runner with the cluster's credentials: verifies, claims, submits and records one order. */

import { launchAction, type Submitted } from '../../actions/launch.ts';
import { carryOut, type Refused } from '../../actions/pipeline.ts';
import { type ApprovalFacts, approvingAttempt } from '../../actions/verify-approval.ts';
import type { OrderFacts } from '../../actions/verify-order.ts';
import type { BranchWork } from '../../domain/actor.ts';
import type { SearchedRoot } from '../../domain/checkpoint/stored.ts';
import type { BodyFacts, ChangeFacts, CommentFacts } from '../../domain/facts.ts';
import type { ImageLook } from '../../domain/launch/contract.ts';
import { asLaunched, failedAttempt, rollbackOf } from '../../domain/launch/next-attempt.ts';
import { approvedIn, citationKey, type Order } from '../../domain/launch/order.ts';
import { askedFor } from '../../domain/launch/response.ts';
import { jobAsMended, ownFix, slipOf } from '../../domain/launch/small-fix.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import { approvedManifest, type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, isRunId, known, type Observed, remembered, unknown } from '../../domain/values.ts';
import type { ChangeGateFacts, GateFacts } from '../../gates/gate.ts';
import { readPermission } from '../../github/settings.ts';
import { readProposal, type ThreadFacts } from '../../github/threads.ts';
import { secondCard } from '../../run/approvals.ts';
import { gateFactsOf } from '../../run/gate-run.ts';
import { anyLane, healthFor } from '../../run/lane.ts';
import { PYTHON_POLICY } from '../../run/manifest-of.ts';
import { isUnheardRejection } from '../../run/open-brakes.ts';
import { commandsSince, type PendingItem } from '../../run/pending-commands.ts';
import type { ActionParts } from '../action/parts.ts';
import { stateProblem } from '../action/watching.ts';
import { gatherBrakes, readApprovals } from '../brakes.ts';
import { fixInTree, searchRoots, wantedRoots } from '../control/attempt-facts.ts';
import { branchWork, changeFacts } from '../control/change-facts.ts';
import { recordFactsOf } from '../control/gather.ts';
import { lastKnownRun, readBody } from '../control/shown-facts.ts';
import { containerImage } from '../images.ts';
import { placeOf, readingOf } from '../markers.ts';
import { type OpenLab, type OpenLane, openForRun } from '../open-lab.ts';
import { recordFault } from '../record-files.ts';
import { shipJob } from './ship-job.ts';

/** All facts for an order; without an order, they are unknown. */
async function gatherOrderFacts(open: OpenLane, state: RunState | null): Promise<OrderFacts> {
  const { lab, config } = open;
  if (state === null || state.order === null) return withheld(open, 'there is no order');
  const place = placeOf(state.proposal, config);
  const threads = await readProposal(lab.client, place, readingOf(lab, config));
  if (threads.kind === 'unknown') return withheld(open, threads.why);
  const { pull } = threads.value;
  if (pull.kind === 'unknown') return withheld(open, pull.why);
  const { order } = state.order;
  const asked = askedFor(asLaunched(state));
  const citations = [...order.approvals, ...(asked === null ? [] : [asked])].map(({ surface, comment }) => ({
    surface,
    comment,
    pull: state.proposal.pull,
  }));
  const { cited, permissions } = await readApprovals(open, citations, threads.value.comments);
  const { runs } = open.store.current();
  const change = await changeFacts(open, order.commit, { state, runs });
  const last = lastKnownRun(state, runs);
  const body = readBody(open, pull.value.body, change, last);
  const ordered = {
    since: commandsSince(state),
    failedAt: fromRfc3339(state.attempts.at(-1)?.end.at ?? ''),
    approvers: new Set(order.approvals.map(({ user }) => user)),
    restsOn: newestApproval(order, cited),
    run: state.run,
    day: state.proposal,
    heeds: (item: PendingItem) => isUnheardRejection(state, item),
  };
  const brakes = await gatherBrakes(open, ordered, threads.value.comments);
  // Ask GitHub who pushed the head; do not trust the record for that.
  const work = change.kind === 'known' ? await branchWork(lab, state, pull.value, change.value) : change;
  const searchedRoots = await searchRoots(wantedRoots(config.checkpoints, state), lab.stores);
  const gates = gatesOnReading(open, state, {
    threads: threads.value,
    change,
    body,
    work,
    searchedRoots,
    containerImage: await containerImage(lab.images, config, (_key, read) => read()),
  });
  return {
    ...frame(open),
    pull,
    body: body.kind === 'known' ? known(body.value.fingerprint) : body,
    cited,
    permissions,
    brakes,
    fix: await fixOf(open, state, order),
    secondCard: await readSecondCard(open, state, threads.value.comments, { order, cited, permissions }),
    shown: { pull, issue: threads.value.issue, branchWork: work },
    digest: digestHere(state, change, gates.bound),
    gates: known(gates),
  };
}

/** Recomputes the digest. Unknown if another Python version read the approved experiment, because the readings may differ. */
function digestHere(
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
async function fixOf({ lab, git, config }: OpenLane, state: RunState, order: Order): Promise<OrderFacts['fix']> {
  const after = approvingAttempt(state, order);
  const slip = after === null ? null : slipOf(after);
  const mayChange = config.kind.fixes?.(config.lane).mends ?? null;
  if (slip === null || mayChange === null)
    return known({ kind: 'otherwise', why: 'the attempt died of nothing that is put right so' });
  return fixInTree(lab, git, slip, {
    commit: order.commit,
    mayChange,
    python: config.lane.python,
  });
}

type OwnReading = {
  readonly threads: ThreadFacts;
  readonly change: Observed<ChangeFacts>;
  readonly body: Observed<BodyFacts>;
  readonly work: Observed<BranchWork>;
  readonly searchedRoots: readonly SearchedRoot[];
  readonly containerImage: Observed<ImageLook>;
};

/** The facts for the gates, with the manifest from the runner's own mirror. Of the App's claims, only the proposal is used. */
function gatesOnReading(
  { lab, config, configHealth, store }: OpenLane,
  state: RunState,
  { threads, change, body, work, searchedRoots, containerImage }: OwnReading,
): ChangeGateFacts {
  const { recordedRuns, journalHolds } = recordFactsOf(store.current());
  return gateFactsOf({
    run: state.run,
    proposal: state.proposal,
    holds: state.holds,
    contract: state.contract,
    description: jobAsMended(state),
    failed: failedAttempt(state),
    rollback: rollbackOf(state),
    owner: state.watch.owner,
    ownFix: ownFix(state),
    approved: approvedManifest(state),
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
      checks: threads.checks,
      configHealth: known(healthFor(config, configHealth)),
      recordedRuns,
      journalHolds,
      searchedRoots: known(searchedRoots),
      containerImage,
    },
    digestOf: lab.digestOf,
  });
}

/** Facts that need no request. The time is read last, after the requests synchronized GitHub's clock. */
function frame({
  lab,
  config,
  store,
}: OpenLane): Pick<OrderFacts, 'repository' | 'now' | 'config' | 'digestOf' | 'journalHolds' | 'recordedRuns'> {
  const { journalHolds, recordedRuns } = recordFactsOf(store.current());
  const { repository, digestOf } = lab;
  return { repository, now: lab.now(), config, digestOf, journalHolds, recordedRuns };
}

function withheld(open: OpenLane, why: string): OrderFacts {
  const nothing = unknown(why);
  const shown = { pull: nothing, issue: nothing, branchWork: nothing };
  const empty = { cited: new Map(), permissions: new Map(), shown };
  return {
    ...frame(open),
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
  const asked = { state, digest: approvedIn(order), approval };
  const held = new Map(permissions);
  for (;;) {
    const found = secondCard(asked, comments, held);
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
export async function launch(lab: OpenLab, parts: ActionParts): Promise<Submitted | Refused> {
  const { store } = lab;
  const { repository, digestOf, now, boundary } = lab.lab;
  const { inputs, event, secrets } = parts;
  const { run, stateDirectory } = inputs;
  const redact = secrets.clean;
  const state = (): RunState | null => store.current().runs.find((one) => one.run === run) ?? null;
  const recorded = state();
  const open = recorded === null ? { ...lab, config: anyLane(lab.config) } : openForRun(lab, recorded);
  const { cluster } = open.config.lane;
  const engine = parts.engineOf(open.config, cluster);
  if (!isRunId(run)) return { kind: 'refused', code: 'order-unknown', why: 'the logbook has no such order' };
  const fault = () => recordFault(store.current(), run, 'order-unknown');
  return carryOut(
    { record: store, file: run, fault, now, redact },
    launchAction({
      orderDigest: inputs.order,
      repository,
      digestOf,
      workflowRun: event.runId,
      workflowRunUrl: event.runUrl,
      stateProblem: stateProblem(parts, open.config, cluster),
      cluster,
      engine,
      state,
      // Adopted jobs may run in parallel, because people launched them by hand.
      others: ({ proposal }) => (proposal.adopts === undefined ? runsOfLane(store.current().runs, proposal.lane) : []),
      facts: remembered(
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
