/** Handles one event in the given mode. Tests call the same function with virtual time. */

import { changeAction } from '../../actions/change-cluster.ts';
import { executeAction } from '../../actions/pipeline.ts';
import { GitError } from '../../domain/git.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { addMs, assertNever, isRunId } from '../../domain/values.ts';
import { synchronizeClock } from '../../github/call.ts';
import { toTrigger } from '../../handlers/registry.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { needsWatch } from '../../run/decide-dispatches.ts';
import type { NothingCode, ProposeOutcome } from '../../run/proposing.ts';
import { WATCHING_AGENDA } from '../../run/reconcile.ts';
import { NO_ATTEMPTS } from '../../run/step.ts';
import { gatherActionFacts } from '../care/action-facts.ts';
import { createExecutor } from '../care/executor-for.ts';
import { guard, skipBadComments, type Trouble, throwFirstTrouble } from '../contained-errors.ts';
import { accountChecks } from '../control/cluster.ts';
import { createGatherer } from '../control/gather.ts';
import { reconcileRun } from '../control/reconcile-run.ts';
import { reportTroubles } from '../control/report-corrupt-logbook.ts';
import type { ReconcileWork } from '../control/turn.ts';
import { createWorker, type Worker } from '../control/worker.ts';
import { runScanMode } from '../disk-scan/disk-port.ts';
import { askFixer } from '../fixer/fix-mode.ts';
import { createLabOpener, type OpenLab } from '../open-lab.ts';
import { postPending } from '../outbox.ts';
import { type LaneProposal, proposeForAllLanes } from '../propose/propose.ts';
import { findRecordFault } from '../record-files.ts';
import { executeLaunch } from '../runner/launch.ts';
import { stopDispatchReason } from '../stop-by-job-id.ts';
import { type ActionParts, type ActionResult, failedResult, findOriginFault } from './parts.ts';
import { stopJob, watchCluster } from './watching.ts';

/** Throws only after a bug or a transport error. */
export async function runAction(parts: ActionParts): Promise<ActionResult> {
  if (parts.mode === 'chat') return handleChatEvent(parts);
  // A launch reads GitHub's clock from its first responses; a watchdog usually sends no request at all.
  if (parts.mode !== 'launch' && parts.mode !== 'watchdog') await synchronizeClock(parts.lab.client);
  if (parts.mode === 'watch') return watchCluster(parts);
  const work = MODE_HANDLERS[parts.mode];
  return reportGitErrors(() => openLabAnd(parts, (open) => work(parts, open)));
}

type ModeHandler = (parts: ActionParts, open: OpenLab) => Promise<ActionResult>;

/** Modes that open the record once. */
const MODE_HANDLERS: Readonly<Record<Exclude<ActionParts['mode'], 'chat' | 'watch'>, ModeHandler>> = {
  watchdog: checkWatch,
  propose: async (_parts, open) => resultForLanes(await proposeForAllLanes(open)),
  launch: executeLaunchOrder,
  stop: stopJob,
  care: executeCareAction,
  'disk-scan': scanCluster,
  fix: runExternalFixer,
};

/** Converts git failures, such as a full disk or a branch rule, into a result with the next action. */
async function reportGitErrors(work: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return failedResult(
      `git-${error.code}`,
      `${error.message}\nCheck the free space of this machine and of the git server, and the rules of the branch. Then run this job again: it continues from the record.`,
    );
  }
}

async function openLabAnd(parts: ActionParts, work: (open: OpenLab) => Promise<ActionResult>): Promise<ActionResult> {
  const opening = await createLabOpener(parts.lab, parts.defaultBranch).open();
  if (opening.kind === 'open') return work(opening.open);
  const lines = opening.config.problems.map((p) => `line ${p.line}, column ${p.column}: ${p.path}: ${p.message}`);
  return failedResult(
    'no-config',
    `.github/ferrybot.yml on ${parts.defaultBranch}: ${opening.config.why}\n${lines.join('\n')}`,
  );
}

async function handleChatEvent(parts: ActionParts): Promise<ActionResult> {
  const { lab, defaultBranch, inputs } = parts;
  // The runner cannot post comments, so the job after a launch posts for it. The job after a stop does not dispatch another stop.
  const worker =
    inputs.run === ''
      ? createWorker(lab, defaultBranch, [])
      : createWorker(lab, defaultBranch, ['runner'], {
          stopRequests: new Map([[stopDispatchReason(inputs.run), lab.now()]]),
        });
  const trigger = readTrigger(parts);
  // A sweep and a reaction send a request before anything is decided, and its response has GitHub's clock.
  if (trigger.kind !== 'sweep' && trigger.kind !== 'comment') await synchronizeClock(lab.client);
  await worker.handle([trigger]);
  await waitForStops(parts, worker);
  return { ok: true, result: 'reconciled', run: inputs.run, jobId: '', detail: '' };
}

/** Runs on a schedule, even if a server is running, because the server may fail. Starts missing watches and posts what it recorded. */
async function checkWatch({ lab, inputs }: ActionParts, open: OpenLab): Promise<ActionResult> {
  const troubles: Trouble[] = [];
  if (open.store.current().runs.some((state) => needsWatch(state, lab.now()))) await synchronizeClock(lab.client);
  for (const { location, reconcile } of [...listWatchWork(open, troubles), ...accountChecks({ open })])
    await guard(open, troubles, location, async () => reconcile());
  await postPending(open, troubles);
  await reportTroubles(open, troubles);
  throwFirstTrouble(troubles);
  return { ok: true, result: 'checked', run: inputs.run, jobId: '', detail: '' };
}

/** How long a chat job waits for an unconfirmed stop. */
const STOP_STAY_MS = 3 * 60 * 1_000;
/** Longer pauses are left to the next sweep, so that a hosted machine does not wait. */
const STOP_PAUSE_MAX_MS = 60 * 1_000;

/** Replaces a server: retries the stop and notifies people. */
async function waitForStops(parts: ActionParts, worker: Worker): Promise<void> {
  const until = addMs(parts.lab.now(), STOP_STAY_MS);
  for (;;) {
    const pauseMs = worker.recheckMs();
    if (pauseMs === null || pauseMs > STOP_PAUSE_MAX_MS || addMs(parts.lab.now(), pauseMs) > until) return;
    await parts.sleep(pauseMs);
    await worker.handle([{ kind: 'workflow-ended' }]);
  }
}

/** Treats schedules, dispatches and unknown events as sweeps. */
function readTrigger(parts: ActionParts): ReconcileRequest {
  return toTrigger(parts.event.name, parts.event.payload) ?? { kind: 'sweep' };
}

/** Combines the results of all lanes: failed if one lane failed, with the result of each. */
function resultForLanes(proposals: readonly LaneProposal[]): ActionResult {
  const results = proposals.map(({ lane, outcome }) => ({ lane, ...resultForProposal(outcome) }));
  const [first, second] = results;
  if (first === undefined) throw new Error('a valid config has a lane');
  if (second === undefined) return first;
  const main = results.find(({ ok }) => !ok) ?? results.find(({ result }) => result === 'proposed') ?? first;
  return {
    ...main,
    run: results.flatMap(({ run }) => (run === '' ? [] : [run])).join(' '),
    detail: results.map(({ lane, result, detail }) => `${lane}: ${[result, detail].join(' ').trim()}`).join('; '),
  };
}

const EXPECTED_OUTCOMES: ReadonlySet<NothingCode> = new Set(['no-candidates', 'nothing-due', 'too-many-today']);

function resultForProposal(outcome: ProposeOutcome): ActionResult {
  switch (outcome.kind) {
    case 'not-due':
      return { ok: true, result: 'not-due', run: '', jobId: '', detail: outcome.why };
    case 'proposed':
    case 'already':
      return { ok: true, result: outcome.kind, run: outcome.run, jobId: '', detail: '' };
    case 'held':
      return { ok: true, result: 'held', run: '', jobId: '', detail: outcome.why };
    case 'asked':
      return { ok: true, result: 'asked', run: '', jobId: '', detail: `see issue #${outcome.issue}` };
    case 'nothing':
      // If nothing is due, the job still succeeds; a comment reports it.
      return EXPECTED_OUTCOMES.has(outcome.code)
        ? { ok: true, result: outcome.code, run: '', jobId: '', detail: outcome.why }
        : failedResult(outcome.code, outcome.why);
    case 'failed':
      return failedResult(outcome.code, outcome.why);
    default:
      return assertNever(outcome);
  }
}

async function executeLaunchOrder(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { run } = parts.inputs;
  parts.secrets.addSecretsOf(open.config);
  const wrong = findOriginFault(parts, open.config.workflows.launch);
  if (wrong !== null) return { ...wrong, run };
  const outcome = await executeLaunch(open, parts);
  if (outcome.kind === 'refused') return { ...failedResult(outcome.code, outcome.why), run };
  const result = outcome.adopted ? 'adopted' : 'submitted';
  return { ok: true, result, run, jobId: outcome.jobId, detail: '' };
}

async function scanCluster(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { disks, inputs, secrets } = parts;
  secrets.addSecretsOf(open.config);
  const result = await runScanMode(open, { cluster: inputs.cluster, disks, redact: secrets.redact });
  return { ...result, run: '', jobId: '' };
}

/** Executes the action that the inputs name. Nothing happens before the claim is pushed. */
async function executeCareAction(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { inputs, event, secrets } = parts;
  const { lab, config, store } = open;
  const { run: file, action: digest } = inputs;
  secrets.addSecretsOf(config);
  const wrong = findOriginFault(parts, config.workflows.care);
  if (wrong !== null) return { ...wrong, run: file };
  if (file !== JOURNAL && !isRunId(file))
    return { ...failedResult('not-proposed', `there is no run ${file}`), run: file };
  const redact = secrets.redact;
  const outcome = await executeAction(
    { record: store, file, fault: () => findRecordFault(store.current(), file, 'unreadable'), now: lab.now, redact },
    changeAction({
      file,
      digest,
      workflowRun: event.runId,
      record: () => {
        const { runs, journal } = store.current();
        if (file === JOURNAL) return { state: null, actions: journal.actions };
        const state = runs.find(({ run }) => run === file) ?? null;
        return { state, actions: state?.actions ?? null };
      },
      facts: ({ state, action }) => gatherActionFacts(open, state, action),
      executorFor: (proposed) => createExecutor(open, proposed, parts),
      place: lab,
      redact,
    }),
  );
  if (outcome.kind === 'refused') return { ...failedResult(outcome.code, outcome.why), run: file };
  const ok = outcome.outcome === 'done';
  return { ok, result: outcome.code, run: file, jobId: '', detail: ok ? '' : outcome.outcome };
}

/** Keeps the fixer's patch as a file; control judges it. */
async function runExternalFixer({ inputs, runFixer, keepAnswer }: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { run, failure } = inputs;
  const outcome = await askFixer(open, { run, failure, runFixer });
  if (outcome.kind === 'refused') return { ...failedResult(outcome.code, outcome.why), run };
  const answerFile = await keepAnswer(outcome.patch);
  return { ok: true, result: 'patch', run, jobId: '', detail: '', answerFile };
}

/** All runs, limited to the watchdog's question: does the run's watch work? */
function listWatchWork(open: OpenLab, troubles: Trouble[]): readonly ReconcileWork[] {
  const gatherer = createGatherer(open);
  return open.store.current().runs.map(({ run }) => ({
    location: { run, thread: null },
    reconcile: async () => {
      const memory = { ...NO_ATTEMPTS, appended: open.store.appended(run) };
      await skipBadComments(open, troubles, (withoutText) =>
        reconcileRun(
          {
            open,
            source: { gather: (state, needed) => gatherer.gather(state, needed, withoutText) },
            ...{ agenda: WATCHING_AGENDA, memory },
          },
          run,
        ),
      );
    },
  }));
}
