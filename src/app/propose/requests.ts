/** `/propose`, carried out: the command stands in the journal, its work outside is done, and only then it is answered. */

import { laneUnclear, type MeantLane, meantLane } from '../../commands/meant-lane.ts';
import { cutText } from '../../domain/cut-text.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { holderOf } from '../../domain/logbook/holder.ts';
import { questionIn } from '../../domain/logbook/journal-state.ts';
import { commandKey, isOver, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { dateOf, fromRfc3339 } from '../../domain/time.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { recordAsDecided, transactJournal } from '../../logbook/transact.ts';
import { adoptingLanes } from '../../run/adoptable.ts';
import { lanesOf, proposingLanes } from '../../run/lane-scope.ts';
import { ownRunId, runsOfPull } from '../../run/own-pull.ts';
import { proposedData } from '../../run/proposal-record.ts';
import { type Answered, answerTo } from '../../run/propose-answers.ts';
import { askOf, isFrom, isOfItsIssue, waitingRequests } from '../../run/propose-request.ts';
import { canPropose, type OpenLab, openLane } from '../open-lab.ts';
import { contained, inComment, type Trouble } from '../trouble.ts';
import { goOn } from './begin.ts';
import { openIssueFor } from './open-issue.ts';
import { takeUpHere } from './own-pull-asked.ts';
import { carryOutRequest, outcomeOfBegun, outcomeUnrecorded, type RequestOutcome } from './request.ts';
import { resumeAs } from './resume-as.ts';

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
  for (let round = 0; round < limits.requestRoundsMax; round += 1) {
    const outcome = await carriedOut(open, command);
    if (outcome.kind === 'answer') return outcome;
    if (outcome.kind === 'wait') {
      open.lab.log(`a /${command.name} waits: ${outcome.why}`, { command: commandKey(command) });
      if (outcome.isRunning === true) return 'running';
      const age = open.lab.now() - (fromRfc3339(command.at) ?? 0);
      return age < limits.requestPatienceMs
        ? null
        : answerTo(FAILED_CODES[command.name] ?? 'propose-failed', {
            why: cutText(outcome.why, limits.messageCharactersMax),
          });
    }
    await open.git.fetch();
    await open.store.load();
  }
  return null;
}

const FAILED_CODES: Readonly<Record<string, 'adopt-failed' | 'resume-as-failed'>> = {
  watch: 'adopt-failed',
  'resume-as': 'resume-as-failed',
};

async function carriedOut(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  try {
    return await decided(open, command);
  } catch (error) {
    if (error instanceof GitError) return { kind: 'wait', why: error.message };
    throw error;
  }
}

/** Every step is safe to repeat: after a crash it is called again. Throws `GitError`. */
async function decided(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  if (command.name === 'watch') return adoptJob(open, command);
  if (command.name === 'resume-as') return resumeAs(open, command);
  const from = open.store.current().runs.find((run) => isFrom(run.proposal.request, command));
  if (from !== undefined) {
    const { pull, issue } = from.proposal;
    return answerTo('proposed', { run: from.run, pull, issue });
  }
  const { journal, broken } = open.store.current();
  const begun = [...journal.proposals.values()].find(({ proposed }) => isFrom(proposed.request, command));
  if (begun === undefined) return (await takeUpHere(open, command)) ?? proposedAnew(open, command);
  if (broken.length > 0) return answerTo('logbook-broken');
  const lane = openLane(open, begun.proposed.lane);
  return lane === null
    ? answerTo('propose-failed', { why: `no lane ${begun.proposed.lane} any more` })
    : outcomeOfBegun(await goOn(lane, begun, command));
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
  if (lane === null) return answerTo('propose-failed', { why: `no lane ${meant.lane} any more` });
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

/** Decides on the record as it is now; who may ask was decided when the command was received. */
async function adoptJob(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs, broken } = store.current();
  const { job = '', cluster = '', experiment = '' } = command.args;
  const begun = runs.find(({ proposal }) => isFrom(proposal.request, command));
  if (begun !== undefined) return answerTo('adopt-asked', { run: begun.run, job, cluster });
  if (broken.length > 0) return answerTo('logbook-broken');
  const lanes = adoptingLanes(open.config);
  const config = lanes.find(({ lane }) => lane.cluster === cluster);
  if (config === undefined)
    return answerTo('adopt-cluster', { cluster, clusters: lanes.map(({ lane }) => lane.cluster).join(' ') });
  const holder = holderOf(runs, { jobId: job, cluster });
  if (holder !== null) return answerTo('adopt-held', { job, run: holder.run, thread: holder.proposal.issue });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  const isRun = runsOfPull(runs, command.thread).some((run) => !isOver(run));
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen || isRun) return answerTo('adopt-place');
  const date = dateOf(lab.now());
  const run = ownRunId(config, date, `issue${issue.number}`, runs);
  const planned = {
    run,
    date,
    recorded: {
      experiment,
      objective: { kind: 'production', text: '' } as const,
      interval: { sinceCommit: null, sinceDate: date, fallback: true, lastRun: null },
      candidate: null,
    },
    knobs: [],
  };
  const place = { headBranch: config.lane.targetBranch };
  const data = {
    ...proposedData({ config, repository: open.lab.repository }, planned, command, place),
    author: issue.author,
    issue: issue.number,
    pull: issue.number,
    own: { label: null },
    adopts: { jobId: job, cluster },
  };
  const drafts = [{ type: 'proposed', role: 'control', data }] as const;
  const recorded = await recordAsDecided(open, [{ run, drafts }]);
  return recorded.kind === 'recorded'
    ? answerTo('adopt-asked', { run, job, cluster })
    : outcomeUnrecorded(recorded);
}
