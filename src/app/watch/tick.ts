/** One turn of the watch: every live run of the cluster whose time has come is looked at, recorded and published. */

import { mintStop } from '../../actions/mint.ts';
import { openSignatureMatch } from '../../care/bad-node.ts';
import { answerSignatureMatch } from '../../care/propose-node-delete.ts';
import { hasCluster, traitsOf } from '../../config/engine-traits.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import { cutText } from '../../domain/cut-text.ts';
import type { Engine, JobObservation } from '../../domain/engine.ts';
import type { Instant, RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { awaitsDescription } from '../../domain/logbook/adoption.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import { watchedClusters } from '../../domain/logbook/liveness.ts';
import { offerWanted } from '../../domain/logbook/renting.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { after } from '../../domain/time.ts';
import { transactRun } from '../../logbook/transact.ts';
import { configFor } from '../../run/run-config.ts';
import { nextCheckAt, stopLookPeriodMs } from '../../watch/cadence.ts';
import { longestDue } from '../../watch/longest-due.ts';
import { reportCorruptLogbook } from '../control/report-corrupt-logbook.ts';
import type { CloudOf } from '../lab.ts';
import { type OpenLab, openForRun } from '../open-lab.ts';
import type { Publisher } from '../publisher.ts';
import {
  asBroken,
  contained,
  containedEach,
  EVERYWHERE,
  type Trouble,
  unreadFiles,
  type Where,
} from '../trouble.ts';
import { describeAsked } from './describe-asked.ts';
import { sessionOf } from './look.ts';
import { lookAtAll } from './record-looks.ts';
import { lookAfterMachines } from './rentals.ts';
import type { WatchInput } from './watch-input.ts';

/** Between two turns of the watch at the least. */
export const WATCH_PAUSE_MS = 200;
/** After a turn in which the logbook could not be read. */
export const WATCH_RETRY_MS = 15_000;

/** What is left to do: `idle` = no live run of this cluster; otherwise when to look next. */
export type TickResult = { readonly kind: 'idle' } | { readonly kind: 'again'; readonly at: Instant };

/** What to do next, and what went wrong in single runs: those were told in their threads, and the others went on. */
export type Turn = TickResult & { readonly troubles: readonly Trouble[] };

/** Takes one turn on the record as it was loaded just now. */
export async function tick(open: OpenLab, input: WatchInput): Promise<Turn> {
  const troubles: Trouble[] = [];
  const result = await turn(open, input, troubles);
  if (troubles.length > 0 || open.store.refusal() !== null)
    await contained(open, troubles, EVERYWHERE, () =>
      reportCorruptLogbook(
        open,
        input.toldFaults,
        troubles,
        troubles.map((trouble) => asBroken(open, trouble)),
      ),
    );
  return { ...result, troubles: [...troubles, ...unreadFiles(open)] };
}

async function turn(open: OpenLab, input: WatchInput, troubles: Trouble[]): Promise<TickResult> {
  const { lab, config } = open;
  const watched = open.store.current().runs.filter((run) => isWatchable(run, input.cluster));
  if (!hasCluster(config, input.cluster)) return waiting(open, input, watched.length);
  const asked = watched.filter(awaitsDescription);
  const shopping = watched.filter((state) => offerWanted(state) !== null);
  const live = watched.filter((state) => !asked.includes(state) && !shopping.includes(state));
  const inRun = <T>(run: RunId, work: () => Promise<T>): Promise<T | null> =>
    contained(open, troubles, { run, thread: null }, work);
  for (const state of live) await inRun(state.run, () => stopIfAsked(open, input, state));
  for (const state of asked) await inRun(state.run, () => describeAsked(open, input, state));
  for (const state of shopping) await inRun(state.run, () => searchOffer(open, input, state));
  const nextAt = (state: RunState): Instant => nextCheckAt(state, cadenceOf(open, state), lab.now());
  const allDue = containedEach(open, troubles, live, whereOf, (state) =>
    lab.now() >= nextAt(state) ? [{ state, at: nextAt(state) }] : [],
  );
  const due = longestDue(allDue);
  const inOnePass = () => observeInOnePass(input.engineOf(config, input.cluster), due);
  const seen = await contained(open, troubles, EVERYWHERE, inOnePass);
  const runsDue = due.map(({ run }) => run);
  if ((await lookAtAll(open, input, runsDue, seen ?? new Map(), troubles)) === 'refused')
    return { kind: 'again', at: after(lab.now(), WATCH_RETRY_MS) };
  input.saveMemory();
  await input.publisher.sayOwed(open, inRun, allDue.length > due.length ? 'alerts' : 'all');
  const sighted = (runs: readonly RunState[]): readonly RunState[] =>
    containedEach(open, troubles, runs, whereOf, (run) =>
      hasOpenSignatureMatch(run, input.cluster) ? [run] : [],
    );
  for (const state of sighted(open.store.current().runs))
    await inRun(state.run, () => answerBadNode(open, input, state.run));
  input.saveMemory();
  // rule VA-05
  const machines = await lookAfterMachines(open, input, troubles);
  const { runs } = open.store.current();
  const left = runs.filter((run) => isWatchable(run, input.cluster));
  const isOwing = sighted(runs).length > 0;
  if (left.length === 0)
    return isOwing || machines?.isBusy === true
      ? { kind: 'again', at: after(lab.now(), WATCH_RETRY_MS) }
      : { kind: 'idle' };
  // Of one that has ended, or was not submitted, only the machine is left to look after.
  const jobs = left.filter(({ submission, end }) => submission !== null && end === null);
  const dues = containedEach(open, troubles, jobs, whereOf, (state) => [
    state.stop === null ? nextAt(state) : after(lab.now(), stopLookPeriodMs(cadenceOf(open, state))),
  ]);
  // A run that could not be looked at stays due: without the longer pause it would be asked for without end.
  const pauseMs = troubles.length === 0 ? WATCH_PAUSE_MS : WATCH_RETRY_MS;
  const soonest = Math.max(
    lab.now() + pauseMs,
    Math.min(...dues, ...(machines === null ? [] : [machines.at])),
  );
  const stopLookMs = Math.min(...left.map((state) => stopLookPeriodMs(cadenceOf(open, state))));
  return { kind: 'again', at: Math.min(soonest, after(lab.now(), stopLookMs)) as Instant };
}

/** The config has no such cluster now. Whoever reconciles tells the threads; a watch that is here goes on when it is back. */
function waiting({ lab }: OpenLab, { cluster }: WatchInput, live: number): TickResult {
  lab.log(`the config does not have the cluster ${cluster}: ${live} job(s) cannot be watched or stopped`);
  return live === 0 ? { kind: 'idle' } : { kind: 'again', at: after(lab.now(), WATCH_RETRY_MS) };
}

function whereOf({ run }: RunState): Where {
  return { run, thread: null };
}

/** How often the lane of this run wants it looked at. */
function cadenceOf(open: OpenLab, state: RunState): LaneConfig['cadence'] {
  return configFor(open.config, state).lane.cadence;
}

function isWatchable(state: RunState, cluster: string): boolean {
  return watchedClusters(state).includes(cluster);
}

/** The stop was recorded by control and asked for by a person: that is the consent. Asking twice does no harm. */
export async function stopIfAsked(open: OpenLab, input: WatchInput, state: RunState): Promise<void> {
  const engine = input.engineOf(open.config, input.cluster);
  const now = open.lab.now();
  const capability = mintStop(state, now);
  if (capability === null || state.submission === null || state.end !== null || engine === null) return;
  open.lab.boundary('stop-job', 'before');
  const outcome = await engine.stop(state.submission.jobId, { capability, now });
  open.lab.boundary('stop-job', 'after');
  const why = 'message' in outcome ? `: ${input.redact(outcome.message ?? '')}` : '';
  open.lab.log(`stop of ${state.submission.jobId}: ${outcome.kind}${why}`, { run: state.run });
}

/** The watch answers a signature match of a bad node: it looks which machine it was and proposes, or asks a person. */
type SignatureMatchInput = {
  readonly cluster: string;
  readonly cloudOf: CloudOf;
  readonly redact: (text: string) => string;
  readonly publisher: Publisher;
};

/** Whether a run of the cluster shows a bad node that nobody has answered yet; also after its job has ended. */
function hasOpenSignatureMatch(state: RunState, cluster: string): boolean {
  return state.submission?.cluster === cluster && openSignatureMatch(state) !== null;
}

/** Records the answer and publishes it. Nothing where the machines cannot be listed for the moment. */
async function answerBadNode(open: OpenLab, input: SignatureMatchInput, run: RunId): Promise<void> {
  const { lab, config } = open;
  const cloud = input.cloudOf(config, input.cluster);
  const listing = cloud === null ? null : await cloud.list();
  const project = projectOf(open, input.cluster);
  const recorded = await transactRun(open, run, (state) => {
    const match = openSignatureMatch(state);
    if (match === null) return [];
    const { repository, now, digestOf } = lab;
    const asked = { state, match, listing, repository, project, now: now(), digestOf, redact: input.redact };
    return [answerSignatureMatch(asked)].filter((draft) => draft !== null);
  });
  if (recorded.kind === 'recorded') await input.publisher.publish(open, run, recorded.seqs.get(run) ?? []);
}

function projectOf({ config }: OpenLab, cluster: string): string {
  return traitsOf(config, cluster)?.machines?.gcp?.project ?? '';
}

/** What the engine's list says of each; nothing where it has none, and for one run alone, which is looked at by itself. */
export async function observeInOnePass(
  engine: Engine | null,
  due: readonly RunState[],
): Promise<ReadonlyMap<RunId, JobObservation>> {
  if (engine?.observeMany === undefined || due.length < 2) return new Map();
  const asked = due.flatMap(({ run, submission }) =>
    submission === null ? [] : [{ run, jobId: submission.jobId, lastSession: sessionOf(submission) }],
  );
  const seen = await engine.observeMany(asked);
  return new Map(asked.flatMap(({ run }, index) => (seen[index] === undefined ? [] : [[run, seen[index]]])));
}

type Seen = EventDataByType['offer-seen'];

/** Records the offer that would be rented now, for the card. */
async function searchOffer(open: OpenLab, input: WatchInput, shopping: RunState): Promise<void> {
  const wanted = offerWanted(shopping);
  if (wanted === null || wanted.cluster !== input.cluster) return;
  const data: Seen = { digest: wanted.digest, ...(await readOffer(open, input, shopping)) };
  await transactRun(open, shopping.run, (state) =>
    offerWanted(state)?.digest === wanted.digest ? [{ type: 'offer-seen', role: 'watch', data }] : [],
  );
}

/** By what the run asks for, within what its cluster allows: what a launch would rent by. */
async function readOffer(open: OpenLab, input: WatchInput, state: RunState): Promise<Omit<Seen, 'digest'>> {
  const account = input.engineOf(openForRun(open, state).config, input.cluster)?.rented;
  if (account === undefined) return { offer: null, unread: 'this cluster rents nothing' };
  const read = await account.offer();
  return read.kind === 'read'
    ? { offer: read.offer }
    : { offer: null, unread: cutText(input.redact(read.message), limits.messageCharactersMax) };
}
