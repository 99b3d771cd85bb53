/** One turn of the watch: observes every due run of the cluster, records, and posts. */

import { stopJob } from '../../actions/stop.ts';
import { answerBadNodeMatch, findOpenBadNodeMatch } from '../../care/bad-node.ts';
import { fillLinks, hasCluster, traitsFor } from '../../config/lane-of-file.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import type { Engine, JobDescription, JobObservation } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType } from '../../domain/logbook/define.ts';
import { awaitsDescription, offerRequest } from '../../domain/logbook/holdings.ts';
import { listWatchedClusters } from '../../domain/logbook/job-state.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import {
  addMs,
  brandAs,
  cutText,
  type Instant,
  instantFromMs,
  isSha,
  type RunId,
  toRfc3339,
} from '../../domain/values.ts';
import { isWithheld } from '../../domain/written-secrets.ts';
import { recordEntries, recordForRun } from '../../logbook/append.ts';
import { canAdoptOn, configForRun } from '../../run/lane.ts';
import { buildHandOver, nextCheckAt, sortByDue, stopPollPeriodMs } from '../../watch/cadence.ts';
import { withUnrecorded } from '../../watch/digest.ts';
import {
  EVERYWHERE,
  guard,
  guardEach,
  type Location,
  listUnreadFiles,
  type Trouble,
  throwFirstTrouble,
  troubleToFault,
} from '../contained-errors.ts';
import { reportCorruptLogbook } from '../control/report-corrupt-logbook.ts';
import type { Log } from '../lab.ts';
import { type LabOpener, type OpenLab, openLaneOfRun } from '../open-lab.ts';
import { postPending } from '../outbox.ts';
import { recordedSession, type WatchInput } from './poll-job.ts';
import { observeAndRecordAll } from './record-observations.ts';
import { maintainMachines } from './rentals.ts';

/** Records each run's newest observation again with a released lease. A lost race is harmless, because leases expire. */
export async function releaseLeases(opener: LabOpener, input: WatchInput): Promise<readonly Trouble[]> {
  const opening = await opener.open();
  if (opening.kind === 'no-config') return [];
  const { lab } = opening.open;
  const troubles: Trouble[] = [];
  const given = guardEach(opening.open, troubles, seenRuns(opening.open, input), {
    locationOf: locateRun,
    work: (state) => {
      const draft = buildHandOver(state, input.holder, lab.now());
      return draft === null ? [] : [{ run: state.run, drafts: [draft] }];
    },
  });
  for (let first = 0; first < given.length; first += limits.looksPerTurnMax) {
    const some = given.slice(first, first + limits.looksPerTurnMax);
    input.saveMemory();
    await guard(opening.open, troubles, EVERYWHERE, async () => {
      const result = await recordEntries(opening.open, some);
      lab.log(`handed over ${some.length} run(s): ${result.kind}`);
    });
  }
  return troubles;
}

type WatchOptions = {
  readonly opener: LabOpener;
  readonly now: () => Instant;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** The shift ends before the token expires, and the next watch takes over. */
  readonly shiftMs: number;
  readonly input: WatchInput;
  readonly log: Log;
};

/** Why the watch ended. */
export type WatchEnd = { readonly kind: 'idle' | 'shift-over' | 'no-config' };

/** Runs turns until the shift ends. Read errors are retried in the next turn. The lease shows other watches that this one is alive. */
export async function watch(options: WatchOptions): Promise<WatchEnd> {
  const until = addMs(options.now(), options.shiftMs);
  // Only errors of the last turn fail the shift, because earlier ones were already posted.
  for (;;) {
    const turn = await tickOnce(options);
    if (turn.kind !== 'again') {
      throwFirstTrouble(turn.troubles);
      return { kind: turn.kind };
    }
    if (options.now() >= until) {
      const troubles = await releaseLeases(options.opener, options.input);
      throwFirstTrouble([...turn.troubles, ...troubles]);
      return { kind: 'shift-over' };
    }
    options.input.saveMemory();
    await options.sleep(Math.max(WATCH_PAUSE_MS, turn.at - options.now()));
  }
}

async function tickOnce(
  options: WatchOptions,
): Promise<TickTurn | { readonly kind: 'no-config'; readonly troubles: readonly Trouble[] }> {
  try {
    const opening = await options.opener.open();
    if (opening.kind === 'no-config') return { kind: 'no-config', troubles: [] };
    return await tick(opening.open, options.input);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    options.log(`the logbook cannot be read: ${error.message}`);
    return { kind: 'again', at: addMs(options.now(), WATCH_RETRY_MS), troubles: [] };
  }
}

/** Minimum pause between two turns. */
const WATCH_PAUSE_MS = 200;
/** Pause after a turn that could not read or write the logbook. */
const WATCH_RETRY_MS = 15_000;

/** `idle`: the cluster has no live run; otherwise `at` is the time of the next turn. */
type TickResult = { readonly kind: 'idle' } | { readonly kind: 'again'; readonly at: Instant };

/** `troubles`: errors of single runs. They are already posted in the threads of these runs. */
type TickTurn = TickResult & { readonly troubles: readonly Trouble[] };

/** One turn of the watch: read, decide, act, record. An error of one run does not stop the others. */
export async function tick(open: OpenLab, input: WatchInput): Promise<TickTurn> {
  const troubles: Trouble[] = [];
  const result = await observeCluster(open, input, troubles);
  if (troubles.length > 0 || open.store.refusal() !== null)
    await guard(open, troubles, EVERYWHERE, () =>
      reportCorruptLogbook(
        open,
        troubles,
        troubles.map((trouble) => troubleToFault(open, trouble)),
      ),
    );
  return { ...result, troubles: [...troubles, ...listUnreadFiles(open)] };
}

async function observeCluster(open: OpenLab, input: WatchInput, troubles: Trouble[]): Promise<TickResult> {
  const { lab, config } = open;
  const watched = seenRuns(open, input).filter((run) => isWatchable(run, input.cluster));
  if (!hasCluster(config, input.cluster)) return waitForCluster(open, input, watched.length);
  const asked = watched.filter(awaitsDescription);
  const shopping = watched.filter((state) => offerRequest(state) !== null);
  const live = watched.filter((state) => !asked.includes(state) && !shopping.includes(state));
  const containInRun = <T>(run: RunId, work: () => Promise<T>): Promise<T | null> =>
    guard(open, troubles, { run, thread: null }, work);
  const ofEach = <T>(runs: readonly RunState[], work: (state: RunState) => readonly T[]): readonly T[] =>
    guardEach(open, troubles, runs, { locationOf: locateRun, work });
  for (const state of live) await containInRun(state.run, () => stopIfRequested(open, input, state));
  for (const state of asked) await containInRun(state.run, () => describeAdoptedJob(open, input, state));
  for (const state of shopping) await containInRun(state.run, () => recordOffer(open, input, state));
  const nextCheckOf = (state: RunState): Instant => nextCheckAt(state, cadenceFor(open, state), lab.now());
  const allDue = ofEach(live, (state) => (lab.now() >= nextCheckOf(state) ? [{ state, at: nextCheckOf(state) }] : []));
  const due = sortByDue(allDue);
  const observeAllInOnePass = () => observeInOnePass(input.engineOf(config, input.cluster), due);
  const seen = await guard(open, troubles, EVERYWHERE, observeAllInOnePass);
  const dueRuns = new Map(due.map(({ run }) => [run, seen?.get(run) ?? null]));
  if ((await observeAndRecordAll(open, input, dueRuns, troubles)) === 'refused')
    return { kind: 'again', at: addMs(lab.now(), WATCH_RETRY_MS) };
  input.saveMemory();
  const room = allDue.length > due.length ? 'alerts' : 'all';
  await postPending(open, troubles, room);
  const runsWithSightings = (runs: readonly RunState[]): readonly RunState[] =>
    ofEach(runs, (run) => (hasOpenSignatureMatch(run, input.cluster) ? [run] : []));
  for (const state of runsWithSightings(open.store.current().runs))
    await containInRun(state.run, () => recordBadNodeAnswer(open, input, state.run));
  await postPending(open, troubles, room);
  input.saveMemory();
  // rule VA-05
  const machines = await maintainMachines(open, input, troubles);
  const runs = seenRuns(open, input);
  const left = runs.filter((run) => isWatchable(run, input.cluster));
  const isOwing = runsWithSightings(runs).length > 0;
  if (left.length === 0)
    return isOwing || machines?.isBusy === true
      ? { kind: 'again', at: addMs(lab.now(), WATCH_RETRY_MS) }
      : { kind: 'idle' };
  // For runs that ended or never started a job, only machines have to be checked.
  const jobs = left.filter(({ submission, end }) => submission !== null && end === null);
  const dues = ofEach(jobs, (state) => [
    state.stop === null ? nextCheckOf(state) : addMs(lab.now(), stopPollPeriodMs(cadenceFor(open, state))),
  ]);
  // A failed run is still due, so use the longer pause.
  const pauseMs = troubles.length === 0 ? WATCH_PAUSE_MS : WATCH_RETRY_MS;
  const soonest = Math.max(lab.now() + pauseMs, Math.min(...dues, ...(machines === null ? [] : [machines.at])));
  const stopLookMs = Math.min(...left.map((state) => stopPollPeriodMs(cadenceFor(open, state))));
  return { kind: 'again', at: Math.min(soonest, addMs(lab.now(), stopLookMs)) as Instant };
}

/** The runs as this watch last saw them. */
function seenRuns({ store }: OpenLab, { unrecorded }: WatchInput): readonly RunState[] {
  return store.current().runs.map((state) => withUnrecorded(state, unrecorded.get(state.run)));
}

/** The config lacks the cluster. Control notifies the threads; this watch waits until the cluster is back. */
function waitForCluster({ lab }: OpenLab, { cluster }: WatchInput, live: number): TickResult {
  lab.log(`the config does not have the cluster ${cluster}: ${live} job(s) cannot be watched or stopped`);
  return live === 0 ? { kind: 'idle' } : { kind: 'again', at: addMs(lab.now(), WATCH_RETRY_MS) };
}

function locateRun({ run }: { readonly run: string }): Location {
  return { run, thread: null };
}

function cadenceFor(open: OpenLab, state: RunState): LaneConfig['cadence'] {
  return configForRun(open.config, state).lane.cadence;
}

function isWatchable(state: RunState, cluster: string): boolean {
  return listWatchedClusters(state).includes(cluster);
}

/** Stops the job if a stop is recorded, which is the approval. Repeating the stop is harmless. */
export async function stopIfRequested(open: OpenLab, input: WatchInput, state: RunState): Promise<void> {
  const outcome = await stopJob(open.lab, input.engineOf(open.config, input.cluster), state);
  if (outcome === null) return;
  const why = 'message' in outcome ? `: ${input.redact(outcome.message ?? '')}` : '';
  open.lab.log(`stop of ${state.submission?.jobId}: ${outcome.kind}${why}`, { run: state.run });
}

type SignatureMatchInput = Pick<WatchInput, 'cluster' | 'cloudOf' | 'redact'>;

/** Whether a run has an unanswered match for a bad node, even after its end. */
function hasOpenSignatureMatch(state: RunState, cluster: string): boolean {
  return state.submission?.cluster === cluster && findOpenBadNodeMatch(state) !== null;
}

/** Finds the machine and proposes its deletion, or asks a person. Waits while the machines cannot be listed. */
async function recordBadNodeAnswer(open: OpenLab, input: SignatureMatchInput, run: RunId): Promise<void> {
  const { lab, config } = open;
  const cloud = input.cloudOf(config, input.cluster);
  const listing = cloud === null ? null : await cloud.list();
  const project = gcpProject(open, input.cluster);
  await recordForRun(open, run, (state) => {
    const match = findOpenBadNodeMatch(state);
    if (match === null) return [];
    const { repository, now, digestOf } = lab;
    const asked = { state, match, listing, repository, project, now: now(), digestOf, redact: input.redact };
    return [answerBadNodeMatch(asked)].filter((draft) => draft !== null);
  });
}

function gcpProject({ config }: OpenLab, cluster: string): string {
  return traitsFor(config, cluster)?.machines?.gcp?.project ?? '';
}

/** Observes all due runs from the engine's list. Empty for engines without a list and for a single run. */
export async function observeInOnePass(
  engine: Engine | null,
  due: readonly RunState[],
): Promise<ReadonlyMap<RunId, JobObservation>> {
  if (engine?.observeMany === undefined || due.length < 2) return new Map();
  const asked = due.flatMap(({ run, submission }) =>
    submission === null ? [] : [{ run, jobId: submission.jobId, lastSession: recordedSession(submission) }],
  );
  const seen = await engine.observeMany(asked);
  return new Map(asked.flatMap(({ run }, index) => (seen[index] === undefined ? [] : [[run, seen[index]]])));
}

type OfferSeen = EventDataByType['offer-seen'];

/** Records the best current offer, which the card shows. */
async function recordOffer(open: OpenLab, input: WatchInput, shopping: RunState): Promise<void> {
  const wanted = offerRequest(shopping);
  if (wanted === null || wanted.cluster !== input.cluster) return;
  const data: OfferSeen = { digest: wanted.digest, ...(await readOffer(open, input, shopping)) };
  await recordForRun(open, shopping.run, (state) =>
    offerRequest(state)?.digest === wanted.digest ? [{ type: 'offer-seen', role: 'watch', data }] : [],
  );
}

/** Requests the offer with the terms that a launch would use. */
async function readOffer(open: OpenLab, input: WatchInput, state: RunState): Promise<Omit<OfferSeen, 'digest'>> {
  const account = input.engineOf(openLaneOfRun(open, state).config, input.cluster)?.rented;
  if (account === undefined) return { offer: null, unread: 'this cluster rents nothing' };
  const read = await account.offer();
  return read.kind === 'read'
    ? { offer: read.offer }
    : { offer: null, unread: cutText(input.redact(read.message), limits.messageCharactersMax) };
}

// Describes a job that a person wants to adopt. The watch reads the job's log only after the person has seen the description.

type JobDescribed = EventDataByType['described'];

/** Records and posts the description. An unreachable cluster is reported once, and the description is retried. */
async function describeAdoptedJob(open: OpenLab, input: WatchInput, asked: RunState): Promise<void> {
  const { adopts } = asked.proposal;
  const engine = input.engineOf(open.config, input.cluster);
  if (adopts === undefined || engine === null) return;
  const data = await describeJob(open, input, engine, asked);
  const isNewDescription = (state: RunState): boolean =>
    awaitsDescription(state) && !(data.found === 'unknown' && state.description?.found === 'unknown');
  await recordForRun(open, asked.run, (state) =>
    isNewDescription(state) ? [{ type: 'described', role: 'watch', data }] : [],
  );
}

/** Describes the job. The config of this process decides whether jobs of the cluster can be adopted. */
async function describeJob(
  open: OpenLab,
  { cluster, redact }: WatchInput,
  engine: Engine,
  { run, proposal }: RunState,
): Promise<JobDescribed> {
  const jobId = proposal.adopts?.jobId ?? '';
  const none = {
    engine: engine.name,
    status: null,
    since: null,
    submitter: null,
    entrypoint: null,
    commit: null,
    commitIsHere: false,
    session: null,
    urls: {},
  } as const;
  const describeFailure = (found: JobDescribed['found'], why: string): JobDescribed => ({
    ...none,
    found,
    why: cutText(redact(why), limits.messageCharactersMax),
  });
  if (!canAdoptOn(open.config, cluster))
    return describeFailure('cannot', `the config does not let jobs of ${cluster} be taken over`);
  const told = await engine.describe(jobId);
  if (told.kind === 'unknown') return describeFailure('unknown', told.message);
  if (told.kind === 'cannot') return describeFailure('cannot', told.why);
  if (told.kind !== 'described') return describeFailure('absent', '');
  const owner = findHolderRun(open, told);
  if (owner !== null) return describeFailure('taken', owner);
  const { job, origin } = told;
  const commit = origin.gitCommit === null ? null : brandAs(origin.gitCommit, isSha);
  const since = job.startedAtMs === null ? null : instantFromMs(job.startedAtMs);
  const clean = (text: string | null): string | null => {
    const told = text === null ? null : redact(text);
    return told === null || isWithheld(told) ? null : told;
  };
  return {
    ...none,
    found: 'described',
    why: '',
    status: job.status,
    since: since === null ? null : toRfc3339(since),
    submitter: clean(origin.submitter),
    entrypoint: clean(origin.entrypoint),
    commit,
    // A commit counts only if a branch contains it. If git fails, the turn fails.
    commitIsHere: commit !== null && (await open.git.isOnBranch(commit)),
    session: job.session,
    urls: fillLinks(open.config, { cluster, run, jobId }),
  };
}

/** The run in the job's metadata, if the record contains the run or the metadata is signed (by any repository). */
function findHolderRun(
  { store }: OpenLab,
  { job }: Extract<JobDescription, { readonly kind: 'described' }>,
): string | null {
  const { metadata } = job;
  if (metadata === null) return null;
  const isOurs = store.current().runs.some(({ run }) => run === metadata.run);
  return isOurs || metadata.proof !== undefined ? metadata.run : null;
}
