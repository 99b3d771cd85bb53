/** `/propose`, carried out: the command stands in the journal, its work outside is done, and only then it is answered. */

import { rootOf, startPoint } from '../../checkpoints/start.ts';
import { laneUnclear, type MeantLane, meantLane } from '../../commands/meant-lane.ts';
import { namesOf, wantedForSecret } from '../../contracts/fields.ts';
import { GitError } from '../../domain/git.ts';
import type { RunId } from '../../domain/ids.ts';
import type { ContractIssue } from '../../domain/launch/contract.ts';
import { failedAttempt } from '../../domain/launch/next-attempt.ts';
import { rootHolder } from '../../domain/launch/output-root.ts';
import { limits } from '../../domain/limits.ts';
import { questionIn } from '../../domain/logbook/journal-state.ts';
import { holderOf, isHolding } from '../../domain/logbook/liveness.ts';
import {
  commandKey,
  type Ending,
  isOver,
  type RunState,
  type SeenCommand,
} from '../../domain/logbook/run-state.ts';
import { known } from '../../domain/observed.ts';
import { cutText } from '../../domain/text.ts';
import { dateOf, fromRfc3339, toRfc3339 } from '../../domain/time.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import { folderOf, markdownPath } from '../../logbook/segments.ts';
import { recordAsDecided, transactJournal } from '../../logbook/transact.ts';
import { renderRunIssue } from '../../render/run-issue.ts';
import { adoptingLanes } from '../../run/adoptable.ts';
import type { Contracts } from '../../run/kind.ts';
import { lanesOf, proposingLanes } from '../../run/lane-scope.ts';
import { ownRunId, proposalLabels, runsOfPull } from '../../run/own-pull.ts';
import { proposedData } from '../../run/proposal-record.ts';
import { type Answered, answerTo, refusedIssue } from '../../run/propose-answers.ts';
import { askOf, isFrom, isOfItsIssue, waitingRequests } from '../../run/propose-request.ts';
import { searchRoots } from '../control/checkpoint-facts.ts';
import { canPropose, type OpenLab, type OpenLane, openLane } from '../open-lab.ts';
import { contained, inComment, type Trouble } from '../trouble.ts';
import { begin, goOn } from './begin.ts';
import { issueData, takeUpIssue } from './own-issue.ts';
import { roomFor } from './own-pull.ts';
import { takeUpHere } from './own-pull-asked.ts';
import { carryOutRequest, outcomeOfBegun, outcomeUnrecorded, type RequestOutcome } from './request.ts';

// `/resume-as`, carried out: the old run is closed, and the same issue becomes the run that goes on from it.

const NEVER_RAN =
  'no attempt of it has ended; to be rid of a run that was never launched, close the issue, and open it again to go on from the one before';

function hasRun({ submission, attempts }: RunState): boolean {
  return submission !== null || attempts.length > 0;
}

/** Every step is found again by the record: after a crash it is called once more. */
async function resumeAs(open: OpenLab, command: SeenCommand): Promise<RequestOutcome> {
  const { lab, store } = open;
  const { runs, broken } = store.current();
  const { id = '', reason = '' } = command.args;
  const begun = runs.find(({ proposal }) => isFrom(proposal.request, command));
  if (begun !== undefined) return resumed(begun, command);
  if (broken.length > 0) return answerTo('logbook-broken');
  const here = runsOfPull(runs, command.thread);
  // One that began from it and was never launched has left nothing to go on from.
  const old = here.find((run) => !isOver(run)) ?? here.find(hasRun) ?? here[0];
  const config = lanesOf(open.config).find(({ laneName }) => laneName === old?.proposal.lane);
  const contracts = config?.kind.contracts;
  const knobs = old === undefined ? undefined : contracts?.continued?.(old.run, command.args);
  if (old === undefined || config === undefined || contracts === undefined || knobs === undefined)
    return answerTo('resume-as-not-now', { status: 'no run of this thread can go on as another one' });
  const holder = runs.find((run) => run.run === id || run.order?.manifest?.tracker.runId === id);
  if (holder !== undefined) return answerTo('resume-as-taken', { id, run: holder.run });
  const read = await readOwnThread(lab.client, command.thread);
  if (read.kind === 'unknown') return { kind: 'wait', why: read.why };
  const issue = read.value;
  if (issue === null || issue.kind !== 'issue' || !issue.isOpen)
    return answerTo('resume-as-not-now', { status: 'its issue is not open, so that it is reopened first' });
  const refused = isOver(old)
    ? null
    : (notYet(old) ?? (await refusedAsAsked({ ...open, config }, contracts, { ...issue, asked: knobs })));
  if (refused !== null) return refused;
  const closed = await closedFor(open, old, command);
  if (closed !== null) return closed;
  const outcome = await takeUpIssue({ ...open, config }, issue, {
    kind: 'command',
    command,
    continues: { run: old.run, reason },
    knobs,
  });
  if (outcome.kind !== 'answer' || outcome.code !== 'proposed') return outcome;
  const next = store.current().runs.find(({ proposal }) => isFrom(proposal.request, command));
  return next === undefined ? { kind: 'again' } : resumed(next, command);
}

function resumed({ run, proposal }: RunState, { args }: SeenCommand): RequestOutcome {
  const { from = '', root } = args;
  const { run: old = '', reason = '' } = proposal.continues ?? {};
  return answerTo('resumed-as', { old, run, from, reason, ...(root === undefined ? {} : { root }) });
}

/** Why nothing goes on from it now; null where an attempt has ended, and nobody holds it. */
function notYet(old: RunState): RequestOutcome | null {
  if (isHolding(old) || endOf(old) === null)
    return answerTo('resume-as-not-now', { status: hasRun(old) ? 'no attempt of it has ended' : NEVER_RAN });
  return old.holds.length > 0 ? answerTo('resume-as-not-now', { status: 'it is on hold' }) : null;
}

function endOf(old: RunState): Ending | null {
  return old.end ?? failedAttempt(old)?.end ?? null;
}

/** Null once nothing of the old run can follow; the push is refused where anything was recorded of it meanwhile. */
async function closedFor(open: OpenLab, old: RunState, command: SeenCommand): Promise<RequestOutcome | null> {
  if (isOver(old)) return null;
  const end = endOf(old);
  if (end === null) return notYet(old);
  const { id = '', reason = '' } = command.args;
  const outcome = ({ FAILED: 'failed', STOPPED: 'stopped', SUCCEEDED: 'rejected' } as const)[end.status];
  const data = { outcome, reason: `goes on as ${id}: ${reason}`, closurePull: null };
  const draft = { type: 'closed', role: 'control', actor: command.actor, data } as const;
  const recorded = await recordAsDecided(open, [{ run: old.run, drafts: [draft] }]);
  return recorded.kind === 'recorded' ? null : outcomeUnrecorded(recorded);
}

/**
 * What `/resume-as` says stands in the new run's contract whatever its issue says later: what can be no part of it is refused
 * while the old run is still there to ask again in. Null: nothing is known against it; what cannot be read now, its launch
 * gates wait for.
 */
async function refusedAsAsked(
  { lab, store, config: { lane } }: OpenLane,
  contracts: Contracts,
  issue: ContractIssue,
): Promise<RequestOutcome | null> {
  const { asked = [] } = issue;
  for (const { path, after } of asked) {
    const field = contracts.fields[path];
    const read = field?.read(after) ?? { value: after };
    const wanted = wantedForSecret(after) ?? ('unclear' in read ? read.unclear : null);
    if (wanted !== null)
      return answerTo('resume-as-unclear', { name: field?.label ?? path, said: after, wanted });
  }
  const { runs } = store.current();
  const root = asked.find(({ path }) => path === 'outputRoot')?.after;
  const place = { roots: root === undefined ? [] : [root], cluster: lane.cluster, common: [] };
  const holder = rootHolder(runs, place, { run: '', lineage: () => false });
  if (root !== undefined && holder !== null)
    return answerTo('resume-as-root-taken', { root, run: holder.run });
  const from = contracts.checkpoints?.(contracts.read(issue, lane), lane).from ?? null;
  if (from === null) return null;
  const start = startPoint(from, await searchRoots([rootOf(from.path)], lab.stores), known(runs));
  return start.kind === 'known' && start.value.kind === 'refused'
    ? answerTo('resume-as-refused', { path: start.value.path, why: start.value.code })
    : null;
}

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

// Opens the issue of a run that nobody has an issue for, with what the command says of it: people write there what is missing.

/** Throws `GitError`. */
async function openIssueFor(open: OpenLane, command: SeenCommand): Promise<RequestOutcome> {
  const { config } = open;
  const { contracts } = config.kind;
  if (contracts?.opens === undefined) throw new Error(`a ${config.kind.name} is opened no issue`);
  const busy = roomFor(open);
  if (busy !== null) return busy;
  const { knobs, objective } = askOf(command);
  const names = namesOf(contracts.fields);
  const unknownKnob = knobs.find(([name]) => !names.includes(name));
  if (unknownKnob !== undefined) return refusedIssue('no-value', unknownKnob[0], names.join(' '));
  const known = contracts.opens.known({ login: command.actor.login, objective });
  const said = { ...known, ...Object.fromEntries(knobs) };
  const run = nameFor(open, contracts, command, said, objective);
  if (run === null) return refusedIssue('no-name', '', 'slug=…');
  const title = `${contracts.opens.title}: ${run}`;
  const body = bodyOf(open, command, contracts, { run, said });
  const contract = contracts.read({ title, body, author: command.actor, asked: [] }, config.lane);
  const proposed = issueData(open, { contracts, run, contract }, command);
  const labels = [...contracts.labels, ...proposalLabels(config)];
  const intent = { run, proposed, issue: { title, body }, pull: null, contract, labels, missing: null };
  return outcomeOfBegun(await begin(open, intent, command));
}

/** What its contract calls it, or what it is for where that says nothing. */
function nameFor(
  { config, lab, store }: OpenLane,
  contracts: Contracts,
  { actor: author }: SeenCommand,
  said: Readonly<Record<string, string>>,
  objective: string | null,
): RunId | null {
  const asked = Object.entries(said).map(([path, after]) => ({ path, after }));
  const contract = contracts.read({ title: objective ?? '', body: '', author, asked }, config.lane);
  const name = contracts.name(contract);
  if (name === null) return null;
  return ownRunId({ ...config, name }, dateOf(lab.now()), '', store.current().runs);
}

function bodyOf(
  { config, lab }: OpenLane,
  { actor: by, thread }: SeenCommand,
  { fields }: Contracts,
  { run, said }: { readonly run: RunId; readonly said: Readonly<Record<string, string>> },
): string {
  const answers = namesOf(fields).map(
    (name) => [fields[name]?.label ?? name, name === 'slug' ? run : (said[name] ?? null)] as const,
  );
  const logbook = markdownPath(folderOf(run, toRfc3339(lab.now())));
  return renderRunIssue({ by, thread, logbookBranch: config.logbookBranch, logbook, answers });
}
