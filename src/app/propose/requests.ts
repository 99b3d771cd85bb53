/** Executes requests for a run, oldest first. The command is in the journal, then its run starts, and only then is it answered. */

import { laneUnclear, type MeantLane, meantLane } from '../../commands/brakes.ts';
import { policyOf } from '../../commands/decision.ts';
import { type Actor, hasLabel, type Labelled, type OwnIssue, type OwnPull, permits } from '../../domain/actor.ts';
import { limits } from '../../domain/limits.ts';
import { holderOf } from '../../domain/logbook/job-state.ts';
import { questionIn } from '../../domain/logbook/journal-state.ts';
import { commandKey, isOver, type RunState, runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { cutText, dateOf, fromRfc3339 } from '../../domain/values.ts';
import { listLabelledOpen } from '../../github/issues.ts';
import { readOwnThread } from '../../github/proposal-work.ts';
import { readPermission } from '../../github/settings.ts';
import { transactJournal } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { renderNotTaken } from '../../render/issues.ts';
import { adoptingLanes, type LaneScopedConfig, lanesOf, proposingLanes } from '../../run/lane.ts';
import {
  type Answered,
  answerTo,
  askedByLabel,
  askedLabels,
  askingLabels,
  askOf,
  isFrom,
  isOfItsIssue,
  isOurWork,
  laneStanding,
  lookedAtLabels,
  noExperiment,
  ownRunId,
  refused,
  runsOfPull,
  waitingRequests,
} from '../../run/proposals.ts';
import { canPropose, type OpenLab, type OpenLane, openLane } from '../open-lab.ts';
import { say } from '../outbox.ts';
import { contained, inComment, type Trouble } from '../trouble.ts';
import { begin, resumeProposal } from './begin.ts';
import { carryOutRequest, decideAgain, type RequestOutcome, requestOutcome } from './outcome.ts';
import { fittingLane, issueData, openIssueFor, resumeAs, resumedAs, takeUp } from './own-thread.ts';

/** Executes waiting requests, oldest first, and records the answers in the journal. Returns the commands that were answered now. */
export async function carryOutRequests(open: OpenLab, troubles: Trouble[]): Promise<readonly SeenCommand[]> {
  const answered: SeenCommand[] = [];
  for (const command of waitingRequests(open.store.current().journal)) {
    const where = inComment(open, command.thread, { surface: command.surface, id: command.comment });
    const isRunning = await contained(open, troubles, where, async () => {
      const answer = await outcomeOf(open, command);
      if (answer === 'running') return true;
      if (answer !== null && (await recorded(open, command, answer))) answered.push(command);
      return false;
    });
    // Keep the order: later commands must not overtake one with running checks.
    if (isRunning === true) break;
  }
  return answered;
}

/** Null while a read or write fails. After `requestPatienceMs`, the answer reports the failure to the person. */
async function outcomeOf(open: OpenLab, command: SeenCommand): Promise<Answered | 'running' | null> {
  const outcome = await decideAgain(open, () => decided(open, command));
  if (outcome.kind === 'answer') return outcome;
  open.lab.log(`a /${command.name} waits: ${outcome.why}`, { command: commandKey(command) });
  if (outcome.isRunning === true) return 'running';
  const age = open.lab.now() - (fromRfc3339(command.at) ?? 0);
  const why = cutText(outcome.why, limits.messageCharactersMax);
  return age < limits.requestPatienceMs ? null : answerTo('failed', { why });
}

/** Safe to call again after a crash: each step checks the record for its earlier result. Throws `GitError`. */
async function decided(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const answer = (): Answered | null => {
    const run = open.store.current().runs.find(({ proposal }) => isFrom(proposal.request, command));
    return run === undefined ? null : answerFor(run, command);
  };
  const known = answer();
  if (known !== null) return known;
  const { journal, broken } = open.store.current();
  if (broken.length > 0) return answerTo('logbook-broken');
  const begun = [...journal.proposals.values()].find(({ proposed }) => isFrom(proposed.request, command));
  const outcome =
    begun === undefined ? await begunFor(open, command) : await completed(open, begun.proposed.lane, command);
  return answer() ?? outcome;
}

/** The answer for the run that the command started. */
function answerFor(state: RunState, command: SeenCommand): Answered {
  const { run, proposal } = state;
  const { pull, issue, adopts } = proposal;
  if (adopts !== undefined) return answerTo('adopt-asked', { run, job: adopts.jobId, cluster: adopts.cluster });
  return command.name === 'resume-as' ? resumedAs(state, command) : answerTo('proposed', { run, pull, issue });
}

async function completed(open: OpenLab, laneName: string, command: SeenCommand): Promise<RequestOutcome> {
  const lane = openLane(open, laneName);
  if (lane === null) return answerTo('failed', { why: `no lane ${laneName} any more` });
  const outcome = await resumeProposal(lane, command);
  return outcome === null ? { kind: 'wait', why: 'it is being proposed' } : requestOutcome(outcome);
}

async function begunFor(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  if (command.name === 'watch') return adoptJob(open, command);
  if (command.name === 'resume-as') return resumeAs(open, command);
  return (await takeUpHere(open, command)) ?? proposedAnew(open, command);
}

/** Turns the command's own thread into the run. Null if the bot should propose instead: the thread is the bot's work or already a run. */
async function takeUpHere(open: OpenLab, command: SeenCommand): Promise<RequestOutcome | null> {
  const { runs } = open.store.current();
  const isRun = runsOfPull(runs, command.thread).some((run) => !isOver(run) || run.proposal.own === undefined);
  if (isRun) return null;
  const read = await readOwnThread(open.lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const thread = read.value;
  if (thread === null || !thread.isOpen || isOurWork(thread, open.config.appSlug)) return null;
  const lanes = lanesFor(open, thread, command);
  const fitting = lanes.length === 0 ? null : await fittingLane(open, thread, lanes);
  if (fitting === null) return null;
  // If an experiment changes no lane's file, its thread is treated like an issue: the bot proposes.
  const isExperiment = thread.kind === 'pull' && thread.labels.includes('experiment');
  if (fitting.kind === 'answer' && fitting.detail['why'] === 'no-experiment' && isExperiment) return null;
  if (fitting.kind !== 'lane') return fitting;
  const { lane } = fitting;
  if (askOf(command).knobs.length > 0 && !isOfItsIssue(command))
    return thread.kind === 'issue'
      ? refused('knobs')
      : refused('knobs', lane.kind.proposes?.change?.file(lane.lane) ?? '');
  return takeUp({ ...open, config: lane }, thread, { kind: 'command', command });
}

/** The lanes that the command may refer to. An issue can also select its lane by a label. */
function lanesFor(
  { config: lab }: OpenLab,
  thread: OwnPull | OwnIssue,
  command: SeenCommand,
): readonly LaneScopedConfig[] {
  const { lane: named } = askOf(command);
  return lanesOf(lab).filter((config) => {
    const { contracts } = config.kind;
    if (isOfItsIssue(command) && (thread.kind === 'pull' || contracts?.command !== command.name)) return false;
    if (named !== null) return config.laneName === named;
    if (thread.kind === 'pull' || isOfItsIssue(command)) return true;
    return askedLabels(config).some((label) => hasLabel(thread.labels, label));
  });
}

/** Why the bot proposes nothing in a lane of hero runs, rentals or adopted jobs. */
export const FROM_ISSUES = 'runs of this lane begin as issues';

/** Starts a run that the bot proposes, in the selected lane. */
async function proposedAnew(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  if (isOfItsIssue(command)) return notHere(open, command);
  const meant = laneFor(open, command);
  if (meant.kind !== 'lane') {
    const { code, detail } = laneUnclear(meant);
    return { kind: 'answer', code, detail };
  }
  const lane = openLane(open, meant.lane);
  if (lane === null) return answerTo('failed', { why: `no lane ${meant.lane} any more` });
  if (lane.config.kind.contracts?.opens !== undefined) return openIssueFor(lane, command);
  return canPropose(lane)
    ? carryOutRequest(lane, command)
    : answerTo('propose-nothing', { reason: 'nothing-due', why: FROM_ISSUES });
}

/** Opens nothing. The answer refers to an open issue of a fitting lane, or states that no lane fits. */
function notHere({ config }: OpenLab, command: SeenCommand): Answered {
  const lanes = lanesOf(config).filter(({ kind }) => kind.contracts?.command === command.name);
  const why = lanes.length === 0 ? 'no-lane' : 'no-issue';
  return answerTo('rent-not-here', { why, lanes: lanes.map(({ laneName }) => laneName).join(' ') });
}

/** Selects the lane for a `/propose`. */
function laneFor({ config, store }: OpenLab, command: SeenCommand): MeantLane {
  const { runs, journal } = store.current();
  const here = runs.find(({ proposal }) => [proposal.pull, proposal.issue].includes(command.thread));
  const laneHere = here?.proposal.lane ?? questionIn(journal, command.thread)?.lane ?? null;
  const [lanes, proposing] = [Object.keys(config.lanes), proposingLanes(config)];
  return meantLane(askOf(command).lane ?? undefined, { lanes, proposing, laneHere });
}

/** Records the answer, unless another process has recorded one: the record accepts one answer. */
async function recorded(open: OpenLab, command: SeenCommand, { code, detail }: Answered): Promise<boolean> {
  const { comment, surface, index, thread } = command;
  const data = { comment, surface, index, thread, code, detail };
  const recorded = await transactJournal(open, ({ commands }) =>
    commands.get(commandKey(command))?.answer === null ? [{ type: 'command-answered', role: 'control', data }] : [],
  );
  return recorded.kind !== 'refused';
}

/** Turns the issue into the run of a job that a person launched. Permissions were checked when the command was received. */
async function adoptJob(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs } = store.current();
  const { job = '', cluster = '', experiment = '' } = command.args;
  const lanes = adoptingLanes(open.config);
  const config = lanes.find(({ lane }) => lane.cluster === cluster);
  if (config === undefined)
    return answerTo('adopt-cluster', { cluster, clusters: lanes.map(({ lane }) => lane.cluster).join(' ') });
  const adopts = { jobId: job, cluster };
  const holder = holderOf(runs, adopts);
  if (holder !== null) return answerTo('adopt-held', { job, run: holder.run, thread: holder.proposal.issue });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  const isRun = runsOfPull(runs, command.thread).some((run) => !isOver(run));
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen || isRun) return answerTo('adopt-place');
  const run = ownRunId(config, dateOf(lab.now()), `issue${issue.number}`, runs);
  const objective = { kind: 'production', text: '' } as const;
  const begun = { run, experiment, objective, knobs: [] };
  const proposed = { ...issueData({ ...open, config }, begun, command), author: issue.author, adopts };
  const intent = { run, proposed, issue: issue.number, pull: null, labels: [], missing: null };
  return requestOutcome(await begin({ ...open, config }, { intent, command }));
}

/** Memory about labelled pull requests; a new process rebuilds it. */
export type OwnPulls = {
  /** Threads that wait for their lane. */
  readonly waiting: Set<number>;
};

/** The memory of a process that has seen no labelled pull request. */
export function noOwnPulls(): OwnPulls {
  return { waiting: new Set() };
}

/** Labels of all lanes that request a run. */
export function laneLabels(open: Pick<OpenLab, 'config'>): readonly string[] {
  return lanesOf(open.config).flatMap(askedLabels);
}

/** Threads in the triggers that carry a lane's label and are not part of a live run. */
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

/** Whether a run could start in the lane now, according to the record. */
export function hasRoom({ store }: OpenLab, { laneName }: LaneScopedConfig): boolean {
  const { runs, broken } = store.current();
  return broken.length === 0 && laneStanding(runsOfLane(runs, laneName), null).kind === 'free';
}

/** Turns fitting threads into runs, oldest first. Returns the threads of the new runs. Waiting threads are retried when a lane has room. */
export async function takeUpLabelled(
  open: OpenLab,
  numbers: readonly number[],
  known: OwnPulls,
  troubles: Trouble[],
): Promise<readonly number[]> {
  const isRoom = known.waiting.size > 0 && lanesOf(open.config).some((config) => hasRoom(open, config));
  // Each batch reads a limited number of threads, so new requests come before waiting ones.
  const all = [...new Set([...numbers, ...(isRoom ? known.waiting : [])])];
  const taken: number[] = [];
  for (const thread of all.slice(0, limits.otherPullsMax).toSorted((a, b) => a - b)) {
    const outcome = await contained(open, troubles, { run: JOURNAL, thread }, () => look(open, thread, known));
    if (outcome === 'taken') taken.push(thread);
  }
  return taken;
}

/** Waiting threads of a lane with room, from GitHub's list. Finds threads without a webhook, also in a new process. */
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

/** Refusals that resolve on their own over time. */
const WAITING: ReadonlySet<string> = new Set(['propose-held', 'propose-standing', 'propose-busy']);

/** `none`: the labels request no run. */
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

/** More people can set labels than can propose. Checks the person who set the label, or the thread's author if an app set it. */
async function mayAsk(
  { lab, config }: OpenLab,
  labelled: Labelled,
  thread: OwnPull | OwnIssue,
): Promise<RequestOutcome | null> {
  const person = personOf(labelled) ?? (thread.authorIsBot ? null : thread.author);
  const wanted = policyOf(config).permissions.propose;
  if (person === null) {
    // An app that pushed a branch of this repository had write access. An issue proves nothing, because any app can open it for anyone.
    return thread.kind === 'pull' ? null : refused('no-person', thread.author.login, wanted);
  }
  const held = await readPermission(lab.client, person);
  if (held.kind === 'unknown') return { kind: 'wait', why: held.why };
  if (permits(held.value, wanted)) return null;
  return refused('not-permitted', person.login, wanted);
}

/** Posts each reason once, because repeating the same text does not help. */
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
