/** People's own pull requests and issues that carry a lane's label: each is taken up once its lane has room, or told why not. */

import { policyOf } from '../../commands/decision.ts';
import { type Actor, permits } from '../../domain/actor.ts';
import { limits } from '../../domain/limits.ts';
import { isOver, runsOfLane } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { hasLabel, type Labelled, type OwnIssue, type OwnPull } from '../../domain/own-pull.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { listLabelledOpen } from '../../github/issues.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { readPermission } from '../../github/settings.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { renderNotTaken } from '../../render/issues.ts';
import { type LaneScopedConfig, lanesOf } from '../../run/lane-scope.ts';
import {
  type Answered,
  askedByLabel,
  askedLabels,
  askingLabels,
  isOurWork,
  lookedAtLabels,
  noExperiment,
  refused,
} from '../../run/own-pull.ts';
import { laneStanding } from '../../run/proposal-record.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import { say } from '../outbox.ts';
import { contained, type Trouble } from '../trouble.ts';
import { decideAgain, type RequestOutcome } from './outcome.ts';
import { fittingLane, takeUp } from './own-thread.ts';

/** What a process knows of labelled pull requests; a fresh one finds it again. */
export type OwnPulls = {
  /** Those that wait for their lane. */
  readonly waiting: Set<number>;
};

/** Nothing is known yet. */
export function noOwnPulls(): OwnPulls {
  return { waiting: new Set() };
}

/** The labels that ask for a run, of every lane. */
export function laneLabels(open: Pick<OpenLab, 'config'>): readonly string[] {
  return lanesOf(open.config).flatMap(askedLabels);
}

/** Threads that the triggers tell to carry a lane's label, and are no run that is under way. */
export function labelledIn(open: OpenLab, triggers: readonly ReconcileRequest[]): readonly number[] {
  const labels = lookedAtLabels(open.config);
  const owned = new Set(
    open.store.current().runs.flatMap((run) => (isOver(run) ? [] : [run.proposal.pull, run.proposal.issue])),
  );
  return triggers.flatMap((trigger) =>
    trigger.kind === 'thread' &&
    !owned.has(trigger.thread) &&
    trigger.labels?.some((label) => hasLabel(labels, label)) === true
      ? [trigger.thread]
      : [],
  );
}

/** Whether the lane could begin a run now, as far as the record tells. */
export function hasRoom({ store }: OpenLab, { laneName }: LaneScopedConfig): boolean {
  const { runs, broken } = store.current();
  return broken.length === 0 && laneStanding(runsOfLane(runs, laneName), null).kind === 'free';
}

/** Takes up what can be, the oldest first. Returns the threads of the new runs. A thread that waits for a lane is tried again when a lane has room. */
export async function takeUpLabelled(
  open: OpenLab,
  numbers: readonly number[],
  known: OwnPulls,
  troubles: Trouble[],
): Promise<readonly number[]> {
  const isRoom = known.waiting.size > 0 && lanesOf(open.config).some((config) => hasRoom(open, config));
  // Those that were just asked for come before those that wait, however many wait: a look reads a bounded number.
  const all = [...new Set([...numbers, ...(isRoom ? known.waiting : [])])];
  const taken: number[] = [];
  for (const thread of all.slice(0, limits.otherPullsMax).toSorted((a, b) => a - b)) {
    const outcome = await contained(open, troubles, { run: JOURNAL, thread }, () =>
      look(open, thread, known),
    );
    if (outcome === 'taken') taken.push(thread);
  }
  return taken;
}

/** Those that wait in a lane which has room, as GitHub lists them: what no webhook told and no process remembers. */
export async function waitingFor(open: OpenLane): Promise<readonly number[]> {
  if (!hasRoom(open, open.config)) return [];
  const { config } = open;
  const found: number[] = [];
  for (const label of askedLabels(config)) {
    const listed = await listLabelledOpen(open.lab.client, label);
    if (listed.kind === 'unknown') open.lab.log(`own pull requests: ${listed.why}`);
    else
      for (const { number, isPull } of listed.value)
        if (isPull === (config.kind.contracts === undefined) && !isBotsRun(open, number)) found.push(number);
  }
  return found;
}

function isBotsRun({ store }: OpenLab, pull: number): boolean {
  return store.current().runs.some(({ proposal }) => proposal.pull === pull && proposal.own === undefined);
}

async function look(open: OpenLab, number: number, known: OwnPulls): Promise<'taken' | 'not'> {
  known.waiting.delete(number);
  const read = await readOwnThread(open.lab.client, number);
  const thread = read.kind === 'known' ? read.value : null;
  if (thread !== null && (!thread.isOpen || isOurWork(thread, open.config.appSlug))) return 'not';
  const outcome =
    read.kind === 'unknown'
      ? ({ kind: 'wait', why: read.why } as const)
      : thread === null
        ? null
        : await decideAgain(open, () => takeUpByLabel(open, thread));
  if (outcome?.kind === 'wait') {
    open.lab.log(`#${number} is not taken up yet: ${outcome.why}`);
    known.waiting.add(number);
  }
  if (thread === null || outcome?.kind !== 'answer') return 'not';
  if (outcome.code === 'proposed') return 'taken';
  if (WAITING.has(outcome.code)) known.waiting.add(number);
  await tell(open, thread, outcome);
  return 'not';
}

/** What passes by itself. */
const WAITING: ReadonlySet<string> = new Set(['propose-held', 'propose-standing', 'propose-busy']);

/** `none`: its labels ask for no run. */
async function takeUpByLabel(
  open: OpenLab,
  thread: OwnPull | OwnIssue,
): Promise<RequestOutcome | { readonly kind: 'none' }> {
  const { runs } = open.store.current();
  const asked = lanesOf(open.config).flatMap((config) => {
    const by = askingLabels(config, thread).flatMap((label) => askedByLabel(thread, label, runs) ?? [])[0];
    return by === undefined ? [] : [{ config, by }];
  });
  const lanes = asked.map(({ config }) => config);
  const fitting = lanes.length === 0 ? null : await fittingLane(open, thread, lanes);
  if (fitting?.kind !== 'lane') return fitting ?? { kind: 'none' };
  const by = asked.find(({ config }) => config === fitting.lane)?.by;
  if (by === undefined) return noExperiment([fitting.lane]);
  return (
    (await mayAsk(open, by, thread)) ??
    takeUp({ ...open, config: fitting.lane }, thread, { kind: 'label', by: personOf(by) })
  );
}

function personOf({ by, isBot }: Labelled): Actor | null {
  return isBot ? null : by;
}

/** A label is put on by more people than may propose; where no person did, whoever opened it is asked about. */
async function mayAsk(
  { lab, config }: OpenLab,
  labelled: Labelled,
  thread: OwnPull | OwnIssue,
): Promise<RequestOutcome | null> {
  const person = personOf(labelled) ?? (thread.authorIsBot ? null : thread.author);
  const wanted = policyOf(config).permissions.propose;
  if (person === null) {
    // What an app pushed to a branch of this repository it was allowed to push; an issue is opened by any app, for anybody.
    return thread.kind === 'pull' ? null : refused('no-person', thread.author.login, wanted);
  }
  const held = await readPermission(lab.client, person);
  if (held.kind === 'unknown') return { kind: 'wait', why: held.why };
  if (permits(held.value, wanted)) return null;
  return refused('not-permitted', person.login, wanted);
}

/** Once for each reason: the same words a second time tell nobody anything. */
async function tell(open: OpenLab, thread: OwnPull | OwnIssue, why: Answered): Promise<void> {
  const { run, by } = why.detail;
  const about = why.detail['why'] ?? run ?? by ?? '';
  const isOfHead = thread.kind === 'pull' && (about === 'no-experiment' || about === 'several-lanes');
  const key = `${why.code}-${about}${isOfHead ? `-${thread.headSha.slice(0, 12)}` : ''}`.replace(
    /[^A-Za-z0-9:._-]/g,
    '_',
  );
  const marker = markerIdentity({ run: 'journal', kind: 'own-pull', key });
  const said = await say(open, { thread: thread.number, marker, body: renderNotTaken(key, why) });
  if (said.kind === 'unsaid') open.lab.log(`#${thread.number}: ${said.why}`);
}
