/** Carries out requests for a run, oldest first: the command is in the journal, its run begins, and only then it is answered. */

import { laneUnclear, type MeantLane, meantLane } from '../../commands/brakes.ts';
import { limits } from '../../domain/limits.ts';
import { questionIn } from '../../domain/logbook/journal-state.ts';
import { holderOf } from '../../domain/logbook/liveness.ts';
import { commandKey, isOver, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { hasLabel, type OwnIssue, type OwnPull } from '../../domain/own-pull.ts';
import { cutText } from '../../domain/text.ts';
import { dateOf, fromRfc3339 } from '../../domain/values.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { transactJournal } from '../../logbook/append.ts';
import { adoptingLanes, type LaneScopedConfig, lanesOf, proposingLanes } from '../../run/lane-scope.ts';
import {
  type Answered,
  answerTo,
  askedLabels,
  isOurWork,
  ownRunId,
  refused,
  runsOfPull,
} from '../../run/own-pull.ts';
import { askOf, isFrom, isOfItsIssue, waitingRequests } from '../../run/proposal-record.ts';
import { canPropose, type OpenLab, openLane } from '../open-lab.ts';
import { contained, inComment, type Trouble } from '../trouble.ts';
import { begin, resumeProposal } from './begin.ts';
import { carryOutRequest, decideAgain, type RequestOutcome, requestOutcome } from './outcome.ts';
import { fittingLane, issueData, openIssueFor, resumeAs, resumedAs, takeUp } from './own-thread.ts';

/** Carries out what waits, oldest first, and answers in the journal. Gives the commands that have an answer now. */
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
    // Oldest first: what comes after a command whose checks still run would overtake it.
    if (isRunning === true) break;
  }
  return answered;
}

/** Null while something cannot be read or written; after long enough the person is told so. */
async function outcomeOf(open: OpenLab, command: SeenCommand): Promise<Answered | 'running' | null> {
  const outcome = await decideAgain(open, () => decided(open, command));
  if (outcome.kind === 'answer') return outcome;
  open.lab.log(`a /${command.name} waits: ${outcome.why}`, { command: commandKey(command) });
  if (outcome.isRunning === true) return 'running';
  const age = open.lab.now() - (fromRfc3339(command.at) ?? 0);
  const why = cutText(outcome.why, limits.messageCharactersMax);
  return age < limits.requestPatienceMs ? null : answerTo('failed', { why });
}

/** Every step is found again by the record: after a crash it is called once more. Throws `GitError`. */
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

/** What is said of the run that came of the command. */
function answerFor(state: RunState, command: SeenCommand): Answered {
  const { run, proposal } = state;
  const { pull, issue, adopts } = proposal;
  if (adopts !== undefined)
    return answerTo('adopt-asked', { run, job: adopts.jobId, cluster: adopts.cluster });
  return command.name === 'resume-as'
    ? resumedAs(state, command)
    : answerTo('proposed', { run, pull, issue });
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

/** That very thread becomes the run. Null where the command asks for a proposal of the bot's: in the bot's own work, in what is a run already. */
async function takeUpHere(open: OpenLab, command: SeenCommand): Promise<RequestOutcome | null> {
  const { runs } = open.store.current();
  const isRun = runsOfPull(runs, command.thread).some(
    (run) => !isOver(run) || run.proposal.own === undefined,
  );
  if (isRun) return null;
  const read = await readOwnThread(open.lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const thread = read.value;
  if (thread === null || !thread.isOpen || isOurWork(thread, open.config.appSlug)) return null;
  const lanes = lanesFor(open, thread, command);
  const fitting = lanes.length === 0 ? null : await fittingLane(open, thread, lanes);
  if (fitting === null) return null;
  // In the thread of an experiment that changes no lane's file, people ask for a proposal as in an issue.
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

/** The lanes that the command may mean in the thread: an issue also names its lane by a label. */
function lanesFor(
  { config: lab }: OpenLab,
  thread: OwnPull | OwnIssue,
  command: SeenCommand,
): readonly LaneScopedConfig[] {
  const { lane: named } = askOf(command);
  return lanesOf(lab).filter((config) => {
    const { contracts } = config.kind;
    if (isOfItsIssue(command) && (thread.kind === 'pull' || contracts?.command !== command.name))
      return false;
    if (named !== null) return config.laneName === named;
    if (thread.kind === 'pull' || isOfItsIssue(command)) return true;
    return askedLabels(config).some((label) => hasLabel(thread.labels, label));
  });
}

/** Why the bot proposes nothing in a lane of hero runs, rentals or adopted jobs. */
export const FROM_ISSUES = 'runs of this lane begin as issues';

/** A proposal of the bot's own, in the lane that is meant. */
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

/** Nothing is opened for it: it is said in an open issue of a lane whose runs begin so, or nowhere. */
function notHere({ config }: OpenLab, command: SeenCommand): Answered {
  const lanes = lanesOf(config).filter(({ kind }) => kind.contracts?.command === command.name);
  const why = lanes.length === 0 ? 'no-lane' : 'no-issue';
  return answerTo('rent-not-here', { why, lanes: lanes.map(({ laneName }) => laneName).join(' ') });
}

/** The lane that a `/propose` is for. */
function laneFor({ config, store }: OpenLab, command: SeenCommand): MeantLane {
  const { runs, journal } = store.current();
  const here = runs.find(({ proposal }) => [proposal.pull, proposal.issue].includes(command.thread));
  const laneHere = here?.proposal.lane ?? questionIn(journal, command.thread)?.lane ?? null;
  const [lanes, proposing] = [Object.keys(config.lanes), proposingLanes(config)];
  return meantLane(askOf(command).lane ?? undefined, { lanes, proposing, laneHere });
}

/** Somebody else may answer at the same moment: the record takes one answer. */
async function recorded(open: OpenLab, command: SeenCommand, { code, detail }: Answered): Promise<boolean> {
  const { comment, surface, index, thread } = command;
  const data = { comment, surface, index, thread, code, detail };
  const recorded = await transactJournal(open, ({ commands }) =>
    commands.get(commandKey(command))?.answer === null
      ? [{ type: 'command-answered', role: 'control', data }]
      : [],
  );
  return recorded.kind !== 'refused';
}

/** The issue becomes the run of a job that a person launched; who may ask was decided when the command was received. */
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
