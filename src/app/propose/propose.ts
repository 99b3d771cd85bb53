/**
 * mode: propose, the daily workflow: context since the last ferry, one bounded edit, branch, issue, PR, and the record.
 * Every step is found again by a name that the date decides, so that a second try completes what a first one began.
 */

import type { Objective } from '../../domain/event.ts';
import { GitError } from '../../domain/git.ts';
import { branded, isRunId, type RunId, type Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { isOver, type RunState } from '../../domain/run-state.ts';
import { compactDate, dateOf } from '../../domain/time.ts';
import type { ProposalView } from '../../ferry/proposal-view.ts';
import { readThreads } from '../../github/threads.ts';
import { markerText } from '../../render/marker.ts';
import {
  renderCommitMessage,
  renderIssueBody,
  renderIssueTitle,
  renderPullBody,
  renderPullTitle,
} from '../../render/proposal.ts';
import { fillLane } from '../../run/fill.ts';
import { cardAnchors } from '../control/card-anchor.ts';
import { type ControlEffect, perform } from '../control/perform.ts';
import type { OpenLab } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import type { ProposeOutcome } from './outcome.ts';
import { planProposal } from './plan.ts';

/** The only lane that proposes by itself. */
const LANE = 'daily';

export type ProposeInput = { readonly objective: Objective; readonly date: string | null };

/** Proposes today's ferry, or the one of a given date whose proposal was begun and not recorded. */
export async function propose(open: OpenLab, input: ProposeInput): Promise<ProposeOutcome> {
  const date = input.date ?? dateOf(open.lab.now());
  const { runs, broken } = open.keeper.current();
  if (broken.length > 0)
    return {
      kind: 'failed',
      code: 'unreadable',
      why: `the logbook of ${broken[0]?.run} is broken; see the incident`,
    };
  const standing = runs.find((run) => !isOver(run));
  if (standing !== undefined) return { kind: 'already', run: standing.run };
  const run = runIdFor(runs, LANE, date);
  try {
    const planned = await planProposal(open, { run, date, objective: input.objective });
    return planned.kind === 'planned'
      ? await carryOut(open, run, planned.view, planned.text, planned.base)
      : planned;
  } catch (error) {
    if (error instanceof GitError) return { kind: 'failed', code: 'unreadable', why: error.message };
    throw error;
  }
}

/** `ferry-daily-20261121`; a second proposal of one day, after the first was withdrawn or closed, ends in `-2`. */
function runIdFor(runs: readonly RunState[], lane: string, date: string): RunId {
  const base = `ferry-${lane}-${compactDate(date)}`;
  const taken = new Set<string>(runs.map((run) => run.run));
  for (let number = 1; number <= limits.proposalsPerDayMax; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return branded(id, isRunId);
  }
  throw new Error(`more than ${limits.proposalsPerDayMax} proposals on ${date}`);
}

/** The branch of a proposal: one for each run, named by it. */
export function proposalBranchOf(run: string): string {
  return `ferrybot/proposal/${run}`;
}

async function carryOut(
  open: OpenLab,
  run: RunId,
  view: ProposalView,
  text: string,
  base: Sha,
): Promise<ProposeOutcome> {
  const { lab, config, git } = open;
  const lane = config.lanes.daily;
  const branch = proposalBranchOf(run);
  const marker = markerText({ run, kind: 'issue', key: 'issue', fields: {} });
  const act = (effect: ControlEffect): ReturnType<typeof perform> => perform(lab, git, effect);

  const pushed = await act({
    kind: 'push-branch',
    branch,
    base,
    files: text === '' ? {} : { [lane.experiment]: text },
    message: renderCommitMessage(view),
  });
  if (pushed.kind !== 'done') return notWritten(`the branch ${branch}`, pushed.message);
  const issue = await act({
    kind: 'open-issue',
    marker,
    title: renderIssueTitle(view),
    body: `${marker}\n${renderIssueBody(view)}`,
    labels: ['experiment', 'ferry', `ferry-${view.lane}`],
  });
  if (issue.kind !== 'done' || issue.number === null)
    return notWritten('the ferry issue', issue.kind === 'done' ? 'no number' : issue.message);
  const linked: ProposalView = { ...view, issue: issue.number };
  const pullMarker = markerText({ run, kind: 'pull', key: 'pull', fields: {} });
  const pull = await act({
    kind: 'open-pull',
    head: branch,
    base: lane.targetBranch,
    title: renderPullTitle(linked),
    body: `${pullMarker}\n${renderPullBody(linked, lane.checklist.preconditions)}`,
    labels: ['ferry', `ferry-${view.lane}`],
  });
  if (pull.kind !== 'done' || pull.number === null)
    return notWritten('the pull request', pull.kind === 'done' ? 'no number' : pull.message);
  const both: ProposalView = { ...linked, pull: pull.number };
  const updated = await act({
    kind: 'edit-issue',
    issue: issue.number,
    body: `${marker}\n${renderIssueBody(both)}`,
    state: null,
  });
  if (updated.kind !== 'done')
    return notWritten('the link from the issue to the pull request', updated.message);
  return record(open, run, both, issue.number, pull.number);
}

async function record(
  open: OpenLab,
  run: RunId,
  view: ProposalView,
  issue: number,
  pull: number,
): Promise<ProposeOutcome> {
  const { lab, config, keeper } = open;
  const threads = await readThreads(lab.client, pull, issue, readingOf(lab, config));
  if (threads.kind === 'unknown') return { kind: 'failed', code: 'unreadable', why: threads.why };
  // A card is only written from a record: this run was recorded once, and is begun no second time.
  if (cardAnchors(threads.value.comments).some((card) => card.run === run))
    return { kind: 'failed', code: 'not-written', why: `${run} was in the logbook and is not any more` };
  const lane = config.lanes.daily;
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    if (keeper.current().runs.some((known) => known.run === run)) return { kind: 'already', run };
    const result = await keeper.append(
      run,
      [
        {
          type: 'proposed',
          role: 'control',
          data: {
            lane: view.lane,
            date: view.date,
            runName: fillLane(lane, { run, date: view.date }).runName,
            repository: lab.repository,
            issue,
            pull,
            baseBranch: lane.targetBranch,
            headBranch: threads.value.pull.headBranch,
            experiment: lane.experiment,
            objective: view.objective,
            interval: view.interval,
            candidate: view.candidate,
            author: threads.value.pull.author,
            requestedBy: null,
            keys: config.keys,
          },
        },
      ],
      lab.now(),
    );
    if (result.kind === 'appended') return { kind: 'proposed', run, pull, issue };
    if (result.kind === 'failed' || result.kind === 'refused')
      return { kind: 'failed', code: 'not-written', why: result.message };
    await keeper.load();
  }
  return { kind: 'failed', code: 'not-written', why: 'the logbook kept moving' };
}

function notWritten(what: string, why: string): ProposeOutcome {
  return { kind: 'failed', code: 'not-written', why: `${what} could not be written: ${why}` };
}
