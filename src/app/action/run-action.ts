/** Handles one event in the given mode. Tests call the same function with virtual time. */

import { changeAction } from '../../actions/change-cluster.ts';
import { carryOut } from '../../actions/pipeline.ts';
import { GitError } from '../../domain/git.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after, assertNever, isRunId } from '../../domain/values.ts';
import { synchronizeClock } from '../../github/call.ts';
import { triggerOf } from '../../handlers/registry.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { needsWatch } from '../../run/decide-dispatches.ts';
import type { NothingCode, ProposeOutcome } from '../../run/proposing.ts';
import { gatherActionFacts } from '../care/action-facts.ts';
import { executorFor } from '../care/executor-for.ts';
import { accountChecks } from '../control/cluster.ts';
import { watchesOf } from '../control/reconcile-run.ts';
import { reportTroubles } from '../control/report-corrupt-logbook.ts';
import { createWorker, type Worker } from '../control/worker.ts';
import { scanMode } from '../disk-scan/disk-port.ts';
import { askFixer } from '../fixer/fix-mode.ts';
import { createLabOpener, type OpenLab } from '../open-lab.ts';
import { postOwed } from '../outbox.ts';
import { type LaneProposal, propose } from '../propose/propose.ts';
import { recordFault } from '../record-files.ts';
import { launch } from '../runner/launch.ts';
import { stopByJobId } from '../stop-by-job-id.ts';
import { contained, type Trouble, throwIfAny } from '../trouble.ts';
import { type ActionParts, type ActionResult, failed, originFault } from './parts.ts';
import { stopJob, watchCluster } from './watching.ts';

/** Throws only after a bug or a transport error. */
export async function runAction(parts: ActionParts): Promise<ActionResult> {
  if (parts.mode === 'chat') return chat(parts);
  // A launch reads GitHub's clock from its first responses; a watchdog usually sends no request at all.
  if (parts.mode !== 'launch' && parts.mode !== 'watchdog') await synchronizeClock(parts.lab.client);
  if (parts.mode === 'watch') return watchCluster(parts);
  const work = WORK[parts.mode];
  return orGitSaidNo(() => withLab(parts, (open) => work(parts, open)));
}

type Work = (parts: ActionParts, open: OpenLab) => Promise<ActionResult>;

/** Modes that open the record once. */
const WORK: Readonly<Record<Exclude<ActionParts['mode'], 'chat' | 'watch'>, Work>> = {
  watchdog: checkWatches,
  propose: async (_parts, open) => resultOfLanes(await propose(open)),
  launch: launchOrder,
  stop: stopJob,
  care: careFor,
  'disk-scan': scanCluster,
  fix: fixSlip,
};

/** Converts git failures, such as a full disk or a branch rule, into a result with the next action. */
async function orGitSaidNo(work: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return failed(
      `git-${error.code}`,
      `${error.message}\nCheck the free space of this machine and of the git server, and the rules of the branch. Then run this job again: it continues from the record.`,
    );
  }
}

async function withLab(parts: ActionParts, work: (open: OpenLab) => Promise<ActionResult>): Promise<ActionResult> {
  const opening = await createLabOpener(parts.lab, parts.defaultBranch).open();
  if (opening.kind === 'open') return work(opening.open);
  const lines = opening.config.problems.map((p) => `line ${p.line}, column ${p.column}: ${p.path}: ${p.message}`);
  return failed(
    'no-config',
    `.github/ferrybot.yml on ${parts.defaultBranch}: ${opening.config.why}\n${lines.join('\n')}`,
  );
}

async function chat(parts: ActionParts): Promise<ActionResult> {
  const { lab, defaultBranch, inputs } = parts;
  // The runner cannot post comments, so the job after a launch posts for it. The job after a stop does not dispatch another stop.
  const worker =
    inputs.run === ''
      ? createWorker(lab, defaultBranch, [])
      : createWorker(lab, defaultBranch, ['runner'], {
          stopsAsked: new Map([[stopByJobId(inputs.run), lab.now()]]),
        });
  const trigger = triggerFrom(parts);
  // A sweep and a reaction send a request before anything is decided, and its response has GitHub's clock.
  if (trigger.kind !== 'sweep' && trigger.kind !== 'comment') await synchronizeClock(lab.client);
  await worker.handle([trigger]);
  await waitForStops(parts, worker);
  return { ok: true, result: 'reconciled', run: inputs.run, jobId: '', detail: '' };
}

/** Runs on a schedule, even if a server is running, because the server may fail. Starts missing watches and posts what it recorded. */
async function checkWatches({ lab, inputs }: ActionParts, open: OpenLab): Promise<ActionResult> {
  const troubles: Trouble[] = [];
  if (open.store.current().runs.some((state) => needsWatch(state, lab.now()))) await synchronizeClock(lab.client);
  for (const { where, reconcile } of [...watchesOf(open, troubles), ...accountChecks({ open })])
    await contained(open, troubles, where, async () => reconcile());
  await postOwed(open, troubles);
  await reportTroubles(open, troubles);
  throwIfAny(troubles);
  return { ok: true, result: 'checked', run: inputs.run, jobId: '', detail: '' };
}

/** How long a chat job waits for an unconfirmed stop. */
const STOP_STAY_MS = 3 * 60 * 1_000;
/** Longer pauses are left to the next sweep, so that a hosted machine does not wait. */
const STOP_PAUSE_MAX_MS = 60 * 1_000;

/** Replaces a server: retries the stop and notifies people. */
async function waitForStops(parts: ActionParts, worker: Worker): Promise<void> {
  const until = after(parts.lab.now(), STOP_STAY_MS);
  for (;;) {
    const pauseMs = worker.lookAgainMs();
    if (pauseMs === null || pauseMs > STOP_PAUSE_MAX_MS || after(parts.lab.now(), pauseMs) > until) return;
    await parts.sleep(pauseMs);
    await worker.handle([{ kind: 'workflow-ended' }]);
  }
}

/** Treats schedules, dispatches and unknown events as sweeps. */
function triggerFrom(parts: ActionParts): ReconcileRequest {
  return triggerOf(parts.event.name, parts.event.payload) ?? { kind: 'sweep' };
}

/** Combines the results of all lanes: failed if one lane failed, with the result of each. */
function resultOfLanes(proposals: readonly LaneProposal[]): ActionResult {
  const results = proposals.map(({ lane, outcome }) => ({ lane, ...resultOf(outcome) }));
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

const NOT_AMISS: ReadonlySet<NothingCode> = new Set(['no-candidates', 'nothing-due', 'too-many-today']);

function resultOf(outcome: ProposeOutcome): ActionResult {
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
      return NOT_AMISS.has(outcome.code)
        ? { ok: true, result: outcome.code, run: '', jobId: '', detail: outcome.why }
        : failed(outcome.code, outcome.why);
    case 'failed':
      return failed(outcome.code, outcome.why);
    default:
      return assertNever(outcome);
  }
}

async function launchOrder(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { run } = parts.inputs;
  parts.secrets.learn(open.config);
  const wrong = originFault(parts, open.config.workflows.launch);
  if (wrong !== null) return { ...wrong, run };
  const outcome = await launch(open, parts);
  if (outcome.kind === 'refused') return { ...failed(outcome.code, outcome.why), run };
  const result = outcome.adopted ? 'adopted' : 'submitted';
  return { ok: true, result, run, jobId: outcome.jobId, detail: '' };
}

async function scanCluster(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { disks, inputs, secrets } = parts;
  secrets.learn(open.config);
  const result = await scanMode(open, { cluster: inputs.cluster, disks, redact: secrets.clean });
  return { ...result, run: '', jobId: '' };
}

/** Executes the action that the inputs name. Nothing happens before the claim is pushed. */
async function careFor(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { inputs, event, secrets } = parts;
  const { lab, config, store } = open;
  const { run: file, action: digest } = inputs;
  secrets.learn(config);
  const wrong = originFault(parts, config.workflows.care);
  if (wrong !== null) return { ...wrong, run: file };
  if (file !== JOURNAL && !isRunId(file)) return { ...failed('not-proposed', `there is no run ${file}`), run: file };
  const redact = secrets.clean;
  const outcome = await carryOut(
    {
      record: store,
      file,
      fault: () => recordFault(store.current(), file, 'unreadable'),
      now: lab.now,
      redact,
    },
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
      executorFor: (proposed) => executorFor(open, proposed, parts),
      place: lab,
      redact,
    }),
  );
  if (outcome.kind === 'refused') return { ...failed(outcome.code, outcome.why), run: file };
  const ok = outcome.outcome === 'done';
  return { ok, result: outcome.code, run: file, jobId: '', detail: ok ? '' : outcome.outcome };
}

/** Keeps the fixer's patch as a file; control judges it. */
async function fixSlip({ inputs, runFixer, keepAnswer }: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { run, failure } = inputs;
  const outcome = await askFixer(open, { run, failure, runFixer });
  if (outcome.kind === 'refused') return { ...failed(outcome.code, outcome.why), run };
  const answerFile = await keepAnswer(outcome.patch);
  return { ok: true, result: 'patch', run, jobId: '', detail: '', answerFile };
}
