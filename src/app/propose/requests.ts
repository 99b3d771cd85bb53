/** Executes requests for a run, oldest first. The command is in the journal, then its run starts, and only then is it answered. */

import { answerLaneUnclear, chooseLane, type LaneChoice } from '../../commands/brakes.ts';
import { type Actor, hasLabel, type Labelled, type OwnIssue, type OwnPull, permits } from '../../domain/actor.ts';
import { limits } from '../../domain/limits.ts';
import { findHolder } from '../../domain/logbook/job-state.ts';
import { findQuestion } from '../../domain/logbook/journal-state.ts';
import { commandKey, isOver, type RunState, runsInLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { cutText, fromRfc3339, utcDate } from '../../domain/values.ts';
import { listLabelledOpen } from '../../github/issues.ts';
import { readOwnThread } from '../../github/proposal-work.ts';
import { readPermission } from '../../github/settings.ts';
import { recordInJournal } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { renderNotTaken } from '../../render/issues.ts';
import { allLanes, type LaneScopedConfig, listAdoptingLanes, listProposingLanes } from '../../run/lane.ts';
import {
  type Answered,
  answerAdoptionRefused,
  answerNoExperiment,
  askingLabels,
  belongsToOwnIssue,
  chooseRunId,
  findLabelRequest,
  isBotWork,
  isRequestedBy,
  judgeLane,
  listRelevantLabels,
  listRequestLabels,
  listRunsOfPull,
  listWaitingRequests,
  readAsk,
  reply,
} from '../../run/proposals.ts';
import { guard, locateComment, type Trouble } from '../contained-errors.ts';
import { canPropose, type OpenLab, type OpenLane, openLane } from '../open-lab.ts';
import { post } from '../outbox.ts';
import { beginProposal, resumeProposal } from './begin.ts';
import { carryOutRequest, decideWithRetries, type RequestOutcome, requestOutcome } from './outcome.ts';
import { adopt, fittingLane, issueData, openIssueFor, resume } from './own-thread.ts';

/** Executes waiting requests, oldest first, and records the answers in the journal. Returns the commands that were answered now. */
export async function runRequests(open: OpenLab, troubles: Trouble[]): Promise<readonly SeenCommand[]> {
  const answered: SeenCommand[] = [];
  for (const command of listWaitingRequests(open.store.current().journal)) {
    const where = locateComment(open, command.thread, { surface: command.surface, id: command.comment });
    const isRunning = await guard(open, troubles, where, async () => {
      const answer = await tryRequest(open, command);
      if (answer === 'running') return true;
      if (answer !== null && (await recordAnswer(open, command, answer))) answered.push(command);
      return false;
    });
    // Keep the order: later commands must not overtake one with running checks.
    if (isRunning === true) break;
  }
  return answered;
}

/** Null while a read or write fails. After `requestPatienceMs`, the answer reports the failure to the person. */
async function tryRequest(open: OpenLab, command: SeenCommand): Promise<Answered | 'running' | null> {
  const outcome = await decideWithRetries(open, () => decideRequest(open, command));
  if (outcome.kind === 'answer') return outcome;
  open.lab.log(`a /${command.name} waits: ${outcome.why}`, { command: commandKey(command) });
  if (outcome.isRunning === true) return 'running';
  const age = open.lab.now() - (fromRfc3339(command.at) ?? 0);
  const why = cutText(outcome.why, limits.messageCharactersMax);
  return age < limits.requestPatienceMs ? null : reply('failed', { why });
}

/** Safe to call again after a crash: each step checks the record for its earlier result. Throws `GitError`. */
async function decideRequest(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const findAnswer = (): Answered | null => {
    const run = open.store.current().runs.find(({ proposal }) => isRequestedBy(proposal.request, command));
    return run === undefined ? null : answerForRun(run, command);
  };
  const known = findAnswer();
  if (known !== null) return known;
  const { journal, broken } = open.store.current();
  if (broken.length > 0) return reply('logbook-broken');
  const begun = [...journal.proposals.values()].find(({ proposed }) => isRequestedBy(proposed.request, command));
  const outcome =
    begun === undefined ? await beginRequest(open, command) : await complete(open, begun.proposed.lane, command);
  return findAnswer() ?? outcome;
}

function answerForRun(state: RunState, command: SeenCommand): Answered {
  const { run, proposal } = state;
  const { pull, issue, adopts } = proposal;
  if (adopts !== undefined) return reply('adopt-asked', { run, job: adopts.jobId, cluster: adopts.cluster });
  return command.name === 'resume-as' ? resumedAnswer(state, command) : reply('proposed', { run, pull, issue });
}

async function complete(open: OpenLab, laneName: string, command: SeenCommand): Promise<RequestOutcome> {
  const lane = openLane(open, laneName);
  if (lane === null) return reply('failed', { why: `no lane ${laneName} any more` });
  const outcome = await resumeProposal(lane, command);
  return outcome === null ? { kind: 'wait', why: 'it is being proposed' } : requestOutcome(outcome);
}

async function beginRequest(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  if (command.name === 'watch') return adoptJob(open, command);
  if (command.name === 'resume-as') return resume(open, command);
  return (await adoptHere(open, command)) ?? proposeNewRun(open, command);
}

/** Turns the command's own thread into the run. Null if the bot should propose instead: the thread is the bot's work or already a run. */
async function adoptHere(open: OpenLab, command: SeenCommand): Promise<RequestOutcome | null> {
  const { runs } = open.store.current();
  const isRun = listRunsOfPull(runs, command.thread).some((run) => !isOver(run) || run.proposal.own === undefined);
  if (isRun) return null;
  const read = await readOwnThread(open.lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const thread = read.value;
  if (thread === null || !thread.isOpen || isBotWork(thread, open.config.appSlug)) return null;
  const lanes = findLanesForThread(open, thread, command);
  const fitting = lanes.length === 0 ? null : await fittingLane(open, thread, lanes);
  if (fitting === null) return null;
  // If an experiment changes no lane's file, its thread is treated like an issue: the bot proposes.
  const isExperiment = thread.kind === 'pull' && thread.labels.includes('experiment');
  if (fitting.kind === 'answer' && fitting.detail['why'] === 'no-experiment' && isExperiment) return null;
  if (fitting.kind !== 'lane') return fitting;
  const { lane } = fitting;
  if (readAsk(command).knobs.length > 0 && !belongsToOwnIssue(command))
    return thread.kind === 'issue'
      ? answerAdoptionRefused('knobs')
      : answerAdoptionRefused('knobs', lane.kind.proposals?.change?.file(lane.lane) ?? '');
  return adopt({ ...open, config: lane }, thread, { kind: 'command', command });
}

/** The lanes that the command may refer to. An issue can also select its lane by a label. */
function findLanesForThread(
  { config: lab }: OpenLab,
  thread: OwnPull | OwnIssue,
  command: SeenCommand,
): readonly LaneScopedConfig[] {
  const { lane: named } = readAsk(command);
  return allLanes(lab).filter((config) => {
    const { contracts } = config.kind;
    if (belongsToOwnIssue(command) && (thread.kind === 'pull' || contracts?.command !== command.name)) return false;
    if (named !== null) return config.laneName === named;
    if (thread.kind === 'pull' || belongsToOwnIssue(command)) return true;
    return listRequestLabels(config).some((label) => hasLabel(thread.labels, label));
  });
}

/** Why the bot proposes nothing in a lane of hero runs, rentals or adopted jobs. */
export const FROM_ISSUES = 'runs of this lane begin as issues';

/** Starts a run that the bot proposes, in the selected lane. */
async function proposeNewRun(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  if (belongsToOwnIssue(command)) return wrongThread(open, command);
  const meant = pickLane(open, command);
  if (meant.kind !== 'lane') {
    const { code, detail } = answerLaneUnclear(meant);
    return { kind: 'answer', code, detail };
  }
  const lane = openLane(open, meant.lane);
  if (lane === null) return reply('failed', { why: `no lane ${meant.lane} any more` });
  if (lane.config.kind.contracts?.opensIssue !== undefined) return openIssueFor(lane, command);
  return canPropose(lane)
    ? carryOutRequest(lane, command)
    : reply('propose-nothing', { reason: 'nothing-due', why: FROM_ISSUES });
}

/** Opens nothing. The answer refers to an open issue of a fitting lane, or states that no lane fits. */
function wrongThread({ config }: OpenLab, command: SeenCommand): Answered {
  const lanes = allLanes(config).filter(({ kind }) => kind.contracts?.command === command.name);
  const why = lanes.length === 0 ? 'no-lane' : 'no-issue';
  return reply('rent-not-here', { why, lanes: lanes.map(({ laneName }) => laneName).join(' ') });
}

function pickLane({ config, store }: OpenLab, command: SeenCommand): LaneChoice {
  const { runs, journal } = store.current();
  const here = runs.find(({ proposal }) => [proposal.pull, proposal.issue].includes(command.thread));
  const laneHere = here?.proposal.lane ?? findQuestion(journal, command.thread)?.lane ?? null;
  const lanes = Object.keys(config.lanes);
  return chooseLane(readAsk(command).lane ?? undefined, {
    ...{ lanes, laneHere },
    proposing: () => listProposingLanes(config),
  });
}

/** Records the answer, unless another process has recorded one: the record accepts one answer. */
async function recordAnswer(open: OpenLab, command: SeenCommand, { code, detail }: Answered): Promise<boolean> {
  const { comment, surface, index, thread } = command;
  const data = { comment, surface, index, thread, code, detail };
  const recorded = await recordInJournal(open, ({ commands }) =>
    commands.get(commandKey(command))?.answer === null ? [{ type: 'command-answered', role: 'control', data }] : [],
  );
  return recorded.kind !== 'refused';
}

/** Turns the issue into the run of a job that a person launched. Permissions were checked when the command was received. */
async function adoptJob(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs } = store.current();
  const { job = '', cluster = '', experiment = '' } = command.args;
  const lanes = listAdoptingLanes(open.config);
  const config = lanes.find(({ lane }) => lane.cluster === cluster);
  if (config === undefined)
    return reply('adopt-cluster', { cluster, clusters: lanes.map(({ lane }) => lane.cluster).join(' ') });
  const adopts = { jobId: job, cluster };
  const holder = findHolder(runs, adopts);
  if (holder !== null) return reply('adopt-held', { job, run: holder.run, thread: holder.proposal.issue });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  const isRun = listRunsOfPull(runs, command.thread).some((run) => !isOver(run));
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen || isRun) return reply('adopt-place');
  const run = chooseRunId(config, utcDate(lab.now()), `issue${issue.number}`, runs);
  const objective = { kind: 'production', text: '' } as const;
  const begun = { run, experiment, objective, knobs: [] };
  const proposed = { ...issueData({ ...open, config }, begun, command), author: issue.author, adopts };
  const intent = { run, proposed, issue: issue.number, pull: null, labels: [], missing: null };
  return requestOutcome(await beginProposal({ ...open, config }, { intent, command }));
}

/** Memory about labelled pull requests; a new process rebuilds it. */
export type OwnPulls = {
  /** Threads that wait for their lane. */
  readonly waiting: Set<number>;
};

/** The memory of a process that has seen no labelled pull request. */
export function createOwnPulls(): OwnPulls {
  return { waiting: new Set() };
}

/** Labels of all lanes that request a run. */
export function listLaneLabels(open: Pick<OpenLab, 'config'>): readonly string[] {
  return allLanes(open.config).flatMap(listRequestLabels);
}

/** Threads in the triggers that carry a lane's label and are not part of a live run. */
export function listLabelled(open: OpenLab, triggers: readonly ReconcileRequest[]): readonly number[] {
  const labels = listRelevantLabels(open.config);
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
export function isLaneFree({ store }: OpenLab, { laneName }: LaneScopedConfig): boolean {
  const { runs, broken } = store.current();
  return broken.length === 0 && judgeLane(runsInLane(runs, laneName), null).kind === 'free';
}

/** Turns fitting threads into runs, oldest first. Returns the threads of the new runs. Waiting threads are retried when a lane has room. */
export async function adoptLabelled(
  open: OpenLab,
  numbers: readonly number[],
  known: OwnPulls,
  troubles: Trouble[],
): Promise<readonly number[]> {
  const isRoom = known.waiting.size > 0 && allLanes(open.config).some((config) => isLaneFree(open, config));
  // Each batch reads a limited number of threads, so new requests come before waiting ones.
  const all = [...new Set([...numbers, ...(isRoom ? known.waiting : [])])];
  const taken: number[] = [];
  for (const thread of all.slice(0, limits.otherPullsMax).toSorted((a, b) => a - b)) {
    const outcome = await guard(open, troubles, { run: JOURNAL, thread }, () => adoptIfLabelled(open, thread, known));
    if (outcome === 'taken') taken.push(thread);
  }
  return taken;
}

/** Waiting threads of a lane with room, from GitHub's list. Finds threads without a webhook, also in a new process. */
export async function listWaiting(open: OpenLane): Promise<readonly number[]> {
  if (!isLaneFree(open, open.config)) return [];
  const { config } = open;
  const found: number[] = [];
  for (const label of listRequestLabels(config)) {
    const listed = await listLabelledOpen(open.lab.client, label);
    if (listed.kind === 'unknown') open.lab.log(`own pull requests: ${listed.why}`);
    else
      for (const { number, isPull } of listed.value)
        if (isPull === (config.kind.contracts === undefined) && !isProposedByBot(open, number)) found.push(number);
  }
  return found;
}

function isProposedByBot({ store }: OpenLab, pull: number): boolean {
  return store.current().runs.some(({ proposal }) => proposal.pull === pull && proposal.own === undefined);
}

async function adoptIfLabelled(open: OpenLab, number: number, known: OwnPulls): Promise<'taken' | 'not'> {
  known.waiting.delete(number);
  const read = await readOwnThread(open.lab.client, number);
  const thread = read.kind === 'known' ? read.value : null;
  if (thread !== null && (!thread.isOpen || isBotWork(thread, open.config.appSlug))) return 'not';
  const outcome =
    read.kind === 'unknown'
      ? ({ kind: 'wait', why: read.why } as const)
      : thread === null
        ? null
        : await decideWithRetries(open, () => adoptByLabel(open, thread));
  if (outcome?.kind === 'wait') {
    open.lab.log(`#${number} is not taken up yet: ${outcome.why}`);
    known.waiting.add(number);
  }
  if (thread === null || outcome?.kind !== 'answer') return 'not';
  if (outcome.code === 'proposed') return 'taken';
  if (WAITING.has(outcome.code)) known.waiting.add(number);
  await postRefusal(open, thread, outcome);
  return 'not';
}

/** Refusals that resolve on their own over time. */
const WAITING: ReadonlySet<string> = new Set(['propose-held', 'propose-standing', 'propose-busy']);

/** `none`: the labels request no run. */
async function adoptByLabel(
  open: OpenLab,
  thread: OwnPull | OwnIssue,
): Promise<RequestOutcome | { readonly kind: 'none' }> {
  const { runs } = open.store.current();
  const asked = allLanes(open.config).flatMap((config) => {
    const by = askingLabels(config, thread).flatMap((label) => findLabelRequest(thread, label, runs) ?? [])[0];
    return by === undefined ? [] : [{ config, by }];
  });
  const lanes = asked.map(({ config }) => config);
  const fitting = lanes.length === 0 ? null : await fittingLane(open, thread, lanes);
  if (fitting?.kind !== 'lane') return fitting ?? { kind: 'none' };
  const by = asked.find(({ config }) => config === fitting.lane)?.by;
  if (by === undefined) return answerNoExperiment([fitting.lane]);
  return (
    (await checkLabeller(open, by, thread)) ??
    adopt({ ...open, config: fitting.lane }, thread, { kind: 'label', by: labeller(by) })
  );
}

function labeller({ by, isBot }: Labelled): Actor | null {
  return isBot ? null : by;
}

/** More people can set labels than can propose. Checks the person who set the label, or the thread's author if an app set it. */
async function checkLabeller(
  { lab, config }: OpenLab,
  labelled: Labelled,
  thread: OwnPull | OwnIssue,
): Promise<RequestOutcome | null> {
  const person = labeller(labelled) ?? (thread.authorIsBot ? null : thread.author);
  const wanted = config.permissions.propose;
  if (person === null) {
    // An app that pushed a branch of this repository had write access. An issue proves nothing, because any app can open it for anyone.
    return thread.kind === 'pull' ? null : answerAdoptionRefused('no-person', thread.author.login, wanted);
  }
  const held = await readPermission(lab.client, person);
  if (held.kind === 'unknown') return { kind: 'wait', why: held.why };
  if (permits(held.value, wanted)) return null;
  return answerAdoptionRefused('not-permitted', person.login, wanted);
}

/** Posts each reason once, because repeating the same text does not help. */
async function postRefusal(open: OpenLab, thread: OwnPull | OwnIssue, why: Answered): Promise<void> {
  const { run, by } = why.detail;
  const about = why.detail['why'] ?? run ?? by ?? '';
  const isOfHead = thread.kind === 'pull' && (about === 'no-experiment' || about === 'several-lanes');
  const key = `${why.code}-${about}${isOfHead ? `-${thread.headSha.slice(0, 12)}` : ''}`.replace(
    /[^A-Za-z0-9:._-]/g,
    '_',
  );
  const marker = markerIdentity({ run: 'journal', kind: 'own-pull', key });
  const said = await post(open, { thread: thread.number, marker, body: renderNotTaken(key, why) });
  if (said.kind === 'unsaid') open.lab.log(`#${thread.number}: ${said.why}`);
}

/** The answer that describes the new run. */
function resumedAnswer({ run, proposal }: RunState, { args }: SeenCommand): Answered {
  const { from = '', root } = args;
  const { run: old = '', reason = '' } = proposal.continues ?? {};
  return reply('resumed-as', { old, run, from, reason, ...(root === undefined ? {} : { root }) });
}
