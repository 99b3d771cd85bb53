// The processes of a night: each reads the record, decides with the tested code, pushes, calls, and may crash
// between two steps.

import { type ClusterChange, changeAction, type Executor } from '../../src/actions/change-cluster.ts';
import { type Launch, launchAction } from '../../src/actions/launch.ts';
import { mintStop } from '../../src/actions/mint.ts';
import { type ActionContext, executeAction } from '../../src/actions/pipeline.ts';
import type { OrderFacts } from '../../src/actions/verify-order.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { NO_BRANCH_WORK } from '../../src/domain/actor.ts';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { applyLadder } from '../../src/domain/launch/ladder.ts';
import { isBeforeLaunch } from '../../src/domain/launch/next-attempt.ts';
import { citationKey } from '../../src/domain/launch/order.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { addMs, fromRfc3339, known, unknown } from '../../src/domain/values.ts';
import { decideOrder } from '../../src/run/decide-launch.ts';
import { decideRelaunch } from '../../src/run/decide-next-attempt.ts';
import type { GateEvaluation } from '../../src/run/gate-run.ts';
import { takeLease } from '../../src/watch/cadence.ts';
import { someActionFacts as consentFacts } from '../care/consent-parts.ts';
import { gateFacts, someApprovals } from '../gates/sample-facts.ts';
import { CONFIG, REPOSITORY } from '../run/parts.ts';
import { bob, digestOf, endedData, incidentDraft, observedData } from '../support/run-drafts.ts';
import { aChange, anIssue, aPull, knownPermissions } from '../support/run-facts.ts';
import { passingVerdicts } from '../support/run-parts.ts';
import {
  createEngine,
  diagnosisOf,
  type Night,
  push,
  RUN,
  recordCall,
  type Version,
  type Watcher,
} from './night-world.ts';

const CADENCE_MS = 570_000;

/** A process that crashes in the middle of a step. */
export class Died extends Error {
  override readonly name = 'Died';
}

export type Death = 'never' | 'after-claim' | 'before-call' | 'after-call';

/** One observation by a watch, with a fresh or an outdated record. */
export function observeNight(night: Night, watcher: Watcher, isFresh: boolean): void {
  if (isFresh) watcher.view = night.record;
  const { state } = watcher.view;
  const { submission } = state;
  if (submission === null || state.end !== null) return;
  const lease = takeLease(state, watcher.holder, night.now, CADENCE_MS);
  const job = night.jobs.get(submission.jobId);
  if (lease === null || job === undefined) return;
  const { attempt } = submission;
  const seen = {
    ...{ attempt, trackers: [], step: job.step, lease },
    signatures: job.isLost ? ['loss-not-finite'] : [],
  };
  const isTold = filterIncidents(state.incidents, 'run-alarm').some(({ detail }) => detail.attempt === attempt);
  const alarm = { detector: 'resume-mismatch', since: '2', seen: '0.2', attempt };
  const drafts: readonly EventDraft[] = [
    { type: 'observed', role: 'watch', data: { ...observedData(night.now), ...seen, status: 'RUNNING' } },
    ...(job.isOther && !isTold ? [incidentDraft('run-alarm', alarm)] : []),
    ...buildEnd(night, state, lease.fence),
  ];
  const seqs = push(night, watcher.view, drafts);
  watcher.view = night.record;
  for (const seq of seqs ?? []) night.writers.set(seq, watcher.holder);
}

function buildEnd(night: Night, state: RunState, fence: number): readonly EventDraft[] {
  const job = night.jobs.get(state.submission?.jobId ?? '');
  if (job === undefined || job.fate === null) return [];
  const { status, class: kind, where, confidence } = job.fate;
  const diagnosis = status === 'FAILED' ? { diagnosis: diagnosisOf(kind, where, confidence) } : {};
  const signatures = job.isLost ? ['loss-not-finite'] : [];
  const data = { ...endedData(state), status, signatures, lastStep: job.step, fence, ...diagnosis };
  return [{ type: 'ended', role: 'watch', data }];
}

/** Control's next decision, with a fresh or an outdated record. */
export function decide(night: Night, isFresh: boolean): void {
  if (isFresh) night.control = night.record;
  const { state } = night.control;
  const gated = findGates(night.control);
  if (gated === null) return;
  const input = { state, gated, repository: REPOSITORY, now: night.now, digestOf, config: CONFIG };
  const runs = known(night.earlier === null ? [state] : [state, night.earlier]);
  const step = isBeforeLaunch(state) ? decideOrder(input) : decideRelaunch({ ...input, runs, unread: [] });
  if (step?.kind !== 'append') return;
  push(night, night.control, step.drafts);
  night.control = night.record;
}

/** Every gate of the change passes, and all approvers are still allowed. */
function findGates({ state }: Version): GateEvaluation | null {
  const { gate } = state;
  if (gate?.digest == null || gate.manifest === null) return null;
  const given = state.approvals.map(({ actor, digest, body, at }) => {
    return { actor, digest, body, at, status: known('counts' as const) };
  });
  const facts = gateFacts({
    manifest: known(gate.manifest),
    bound: known({ digest: gate.digest, body: gate.body }),
    change: known(aChange({ headSha: gate.commit })),
    approvals: known(someApprovals({ approvals: given })),
  });
  const verdicts = passingVerdicts(state.proposal);
  return { manifest: facts.manifest, bound: facts.bound, verdicts, approvals: verdicts.slice(0, 1), facts };
}

/** The runner executes the current order. */
export async function launch(night: Night, dies: Death, isAnswerLost: boolean): Promise<void> {
  const { order } = night.record.state;
  if (order === null) return;
  const seen = { view: night.record };
  const engine = createEngine(night, isAnswerLost);
  const given: Launch = {
    orderDigest: order.digest,
    repository: REPOSITORY,
    digestOf,
    workflowRun: 1,
    workflowRunUrl: 'https://github.example/lab/models/actions/runs/1',
    cluster: 'local',
    engine,
    state: () => seen.view.state,
    others: () => [],
    facts: async (state) => orderFacts(night, state),
    ship: async (state, issued) => {
      const { submissionId, attempt, digest } = issued.order;
      const { command = [] } = issued.manifest ?? {};
      const started = applyLadder(state, { command, environment: {} });
      const metadata = { run: RUN, attempt, manifest: digest };
      const spec = {
        submissionId,
        metadata,
        command: started.command,
        env: started.environment,
        workingDirectory: '/',
      };
      return {
        kind: 'shipped',
        spec,
        scrubbedCommand: started.command,
        urlsOf: () => ({}),
        details: {},
        removeFiles: async () => undefined,
      };
    },
    now: () => night.now,
    sleep: async (durationMs) => {
      night.now = addMs(night.now, durationMs);
    },
    boundary: (_kind, moment) => {
      if (dies === `${moment}-call`) throw new Died();
    },
    redact: (text) => text,
  };
  await runUntilKilled(() => executeAction(buildPlace(night, seen, dies), launchAction(given)));
}

async function runUntilKilled(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}

function buildPlace(night: Night, seen: { view: Version }, dies: Death): ActionContext {
  let hasClaimed = false;
  return {
    file: RUN,
    now: () => night.now,
    redact: (text) => text,
    fault: () => null,
    record: {
      append: async (entries) => {
        const drafts = entries.flatMap((entry) => entry.drafts);
        if (seen.view !== night.record) return { kind: 'conflict' };
        const seqs = push(night, seen.view, drafts);
        if (seqs === null) return { kind: 'failed', message: 'the rules refuse it' };
        seen.view = night.record;
        hasClaimed ||= drafts.some(({ type }) => type === 'claimed' || type === 'action-claimed');
        return { kind: 'appended', seqs: new Map([[RUN, seqs]]) };
      },
      load: async () => {
        if (hasClaimed && dies === 'after-claim') throw new Died();
        seen.view = night.record;
      },
    },
  };
}

/** Everything that the runner reads itself, with its current state. */
function orderFacts(night: Night, state: RunState): OrderFacts {
  const { order, relaunchRequest, gate } = state;
  const asked = [...(order?.order.approvals ?? []), ...(relaunchRequest === null ? [] : [relaunchRequest])];
  const cited = asked.map((one) => [citationKey(one), known(night.said.get(citationKey(one)) ?? null)] as const);
  return {
    repository: REPOSITORY,
    now: night.now,
    config: CONFIG,
    digestOf,
    journalHolds: known([]),
    recordedRuns: known(night.earlier === null ? [state] : [state, night.earlier]),
    pull: known(aPull({ headSha: gate?.commit ?? aPull().headSha })),
    body: known(gate?.body ?? digestOf('')),
    cited: new Map(cited),
    permissions: knownPermissions([bob, 'maintain']),
    digest: gate?.digest == null ? unknown('nothing is gated') : known(gate.digest),
    gates: known(gateFacts()),
    fix: unknown('no order asks for it'),
    brakes: known([]),
    secondCard: known(null),
    shown: { pull: known(aPull()), issue: known(anIssue()), branchWork: known(NO_BRANCH_WORK) },
  };
}

/** Any process that finds a recorded stop executes it. */
export async function stop(night: Night, view: Version, isAnswerLost: boolean): Promise<void> {
  const capability = mintStop(view.state, night.now);
  const { submission, end } = view.state;
  if (capability === null || submission === null || end !== null) return;
  await createEngine(night, isAnswerLost).stop(submission.jobId, { capability, now: night.now });
}

/** The runner of a cluster change: executes the newest proposal. */
export async function change(night: Night, dies: Death): Promise<void> {
  const digest = night.record.state.actions.at(-1)?.digest;
  if (digest === undefined) return;
  const seen = { view: night.record };
  const wasCalled = (): boolean => night.calls.some((call) => call.does === 'delete' && call.target === digest);
  const executor: Executor = {
    check: async () => ({ kind: 'same' }),
    perform: async (step, permit) => {
      if (dies === 'before-call') throw new Died();
      spendCapability(permit, step);
      recordCall(night, 'delete', digest, [], isConsentStanding(night, digest));
      if (dies === 'after-call') throw new Died();
      return { report: 'done', stop: null };
    },
    verify: async () =>
      wasCalled()
        ? { outcome: 'done', code: 'replaced', detail: {} }
        : { outcome: 'failed', code: 'still-there', detail: {} },
  };
  const given: ClusterChange = {
    file: RUN,
    digest,
    workflowRun: 1,
    record: () => ({ state: seen.view.state, actions: seen.view.state.actions }),
    facts: async ({ action, state }) => {
      const source = action.approvals.at(-1)?.source;
      const key = source?.kind === 'comment' ? citationKey(source) : '';
      return consentFacts({
        action,
        now: night.now,
        cited: known(night.said.get(key) ?? null),
        shownSince: known(fromRfc3339(action.at)),
        stop: state?.stop ?? null,
        permission: known(night.isMaintainer ? 'maintain' : 'read'),
        preApproval: { isInForce: night.isPreApproved, used: 0, max: 1 },
      });
    },
    executorFor: () => executor,
    place: { now: () => night.now, boundary: () => undefined },
    redact: (text) => text,
  };
  await runUntilKilled(() => executeAction(buildPlace(night, seen, dies), changeAction(given)));
}

/** An independent model: a permitted user wrote exactly this consent, and it is unchanged. */
function isConsentStanding(night: Night, digest: string): boolean {
  const words = digest.slice(7, 39);
  return (
    night.isMaintainer &&
    [...night.said.values()].some(
      ({ body, editedAt }) => editedAt === null && body.startsWith('/approve ') && body.includes(words),
    )
  );
}
