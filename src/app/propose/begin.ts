/**
 * Carries a planned proposal out: branch, issue, PR, and the record. Every step is found again by a name that the run
 * decides, so that a second try completes what a first one began, and whose branch it is decides between two.
 */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { Effect, EffectOutcome } from '../../domain/effect.ts';
import type { PullFacts } from '../../domain/facts.ts';
import type { Digest, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import { branchMark } from '../../kinds/ferry/ask/branch-mark.ts';
import type { ProposalView } from '../../kinds/ferry/proposal-view.ts';
import { ferryLane } from '../../kinds/ferry/settings.ts';
import {
  renderCommitMessage,
  renderIssueBody,
  renderIssueFirstBody,
  renderIssueTitle,
  renderPullBody,
  renderPullTitle,
} from '../../render/proposal.ts';
import { fillLane } from '../../run/fill.ts';
import { perform } from '../control/perform.ts';
import { toldAnchors } from '../control/told-anchors.ts';
import type { OpenLane } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { begunAs, isBegunFor, proposalBranchOf } from './begun.ts';
import { type Failed, notWritten, type ProposeOutcome } from './outcome.ts';
import type { Planned } from './plan.ts';

/** `lost`: the name was taken by another proposal at the same moment; decide again. */
export type BeginOutcome = Extract<ProposeOutcome, { kind: 'proposed' | 'already' | 'failed' }> | Lost;
type Lost = { readonly kind: 'lost' };

/** Writes everything that a proposal is. Throws `GitError` where git cannot tell whose branch it is. */
export async function begin(
  open: OpenLane,
  planned: Planned,
  request: SeenCommand | null,
): Promise<BeginOutcome> {
  const branch = await pushedBranch(open, planned, request);
  if (branch.kind !== 'ours') return branch;
  return ferryLane(open.config.lane).issueFirst
    ? beginInIssue(open, planned.view, request, branch)
    : beginInPull(open, planned.view, request, branch);
}

/** The issue is all that is opened: it carries what a pull request would, and its number stands for both. */
async function beginInIssue(
  open: OpenLane,
  view: ProposalView,
  request: SeenCommand | null,
  branch: OurBranch,
): Promise<BeginOutcome> {
  const { preconditions } = open.config.lane.checklist;
  const body = renderIssueFirstBody(view, proposalBranchOf(view.run), preconditions);
  const issue = await openedIssue(open, view, body);
  if (issue.kind !== 'done' || issue.number === null) return refusedOr('the ferry issue', issue);
  const texts = { pull: body, issue: body };
  return record(open, { ...view, issue: issue.number, pull: issue.number }, request, { branch, texts });
}

async function beginInPull(
  open: OpenLane,
  view: ProposalView,
  request: SeenCommand | null,
  branch: OurBranch,
): Promise<BeginOutcome> {
  const issue = await openedIssue(open, view, renderIssueBody(view));
  if (issue.kind !== 'done' || issue.number === null) return refusedOr('the ferry issue', issue);
  const linked: ProposalView = { ...view, issue: issue.number };
  const pull = await openedPull(open, linked, branch);
  if (pull.kind !== 'done' || pull.number === null) return refusedOr('the pull request', pull);
  const both: ProposalView = { ...linked, pull: pull.number };
  const updated = await act(open, {
    kind: 'edit-issue',
    issue: issue.number,
    expected: null,
    body: `${markerOf(both, 'issue')}\n${renderIssueBody(both)}`,
    state: null,
  });
  if (updated.kind !== 'done') return refusedOr('the link from the issue to the pull request', updated);
  const texts = { pull: pullBody(open, linked), issue: renderIssueBody(both) };
  return record(open, both, request, { branch, texts });
}

function act(open: OpenLane, effect: Effect): Promise<EffectOutcome> {
  return perform(open, effect);
}

/** Whether asking again may help is the difference between the two failures. */
function refusedOr(what: string, outcome: EffectOutcome): Failed {
  if (outcome.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: `${what}: ${outcome.message}` };
  return notWritten(what, outcome.kind === 'done' ? 'no number' : outcome.message);
}

function markerOf({ run }: ProposalView, kind: 'issue' | 'pull'): string {
  return markerText({ run, kind, key: kind, fields: {} });
}

/** The branch is there and ours; new where this process has just made it, of the commit `head`. */
type OurBranch = { readonly kind: 'ours'; readonly isNew: boolean; readonly head: Sha | null };

async function pushedBranch(
  open: OpenLane,
  { view, text, base, head: begunHead }: Planned,
  request: SeenCommand | null,
): Promise<Failed | Lost | OurBranch> {
  const { git, config } = open;
  const branch = proposalBranchOf(view.run);
  const mark = branchMark(request === null ? null : commandKey(request));
  const known = await begunAs(open, view.run);
  if (known !== null)
    return isBegunFor(known, request)
      ? { kind: 'ours', isNew: false, head: known.tip === begunHead ? known.tip : null }
      : { kind: 'lost' };
  const pushed = await act(open, {
    kind: 'push-branch',
    branch,
    base,
    files: text === null ? {} : { [ferryLane(config.lane).experiment]: text },
    message: renderCommitMessage(view, mark),
  });
  if (pushed.kind !== 'done') return refusedOr(`the branch ${branch}`, pushed);
  // A push that found the branch there says so as done: somebody else may have been faster.
  await git.fetch();
  const now = await begunAs(open, view.run);
  if (now === null) return { kind: 'failed', code: 'unreadable', why: `the branch ${branch} is not there` };
  const head = pushed.sha ?? null;
  return isBegunFor(now, request) ? { kind: 'ours', isNew: pushed.isNew === true, head } : { kind: 'lost' };
}

function openedIssue(open: OpenLane, view: ProposalView, body: string): Promise<EffectOutcome> {
  return act(open, {
    kind: 'open-issue',
    marker: markerIdentity({ run: view.run, kind: 'issue', key: 'issue' }),
    title: renderIssueTitle(view),
    body: `${markerOf(view, 'issue')}\n${body}`,
    labels: ['experiment', 'ferry', `ferry-${view.lane}`],
  });
}

function openedPull(open: OpenLane, view: ProposalView, { isNew }: OurBranch): Promise<EffectOutcome> {
  const lane = open.config.lane;
  return act(open, {
    kind: 'open-pull',
    ...(isNew ? { isFirst: true } : {}),
    head: proposalBranchOf(view.run),
    base: lane.targetBranch,
    title: renderPullTitle(view),
    body: `${markerOf(view, 'pull')}\n${pullBody(open, view)}`,
    labels: ['ferry', `ferry-${view.lane}`],
  });
}

function pullBody({ config }: OpenLane, view: ProposalView): string {
  return renderPullBody(view, config.lane.checklist.preconditions);
}

/** What this process wrote: by it the bot's own work is known from what others add to it. */
type Written = {
  readonly branch: OurBranch;
  readonly texts: { readonly pull: string; readonly issue: string };
};

async function record(
  open: OpenLane,
  view: ProposalView,
  request: SeenCommand | null,
  written: Written,
): Promise<Extract<ProposeOutcome, { kind: 'proposed' | 'already' | 'failed' }>> {
  const { lab, config, keeper } = open;
  const { run, issue, pull } = view;
  if (issue === null || pull === null) throw new Error('recorded before it was opened');
  const baseBranch = config.lane.targetBranch;
  const place = { issue, pull, headBranch: proposalBranchOf(run), baseBranch };
  const threads = await readProposal(lab.client, place, readingOf(lab, config));
  const opened = threads.kind === 'known' ? threads.value.pull : threads;
  if (threads.kind === 'unknown' || opened.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: opened.kind === 'unknown' ? opened.why : '' };
  // A card is only written from a record: this run was recorded once, and is begun no second time.
  if (toldAnchors(threads.value.comments).some((card) => card.run === run))
    return { kind: 'failed', code: 'not-written', why: `${run} was in the logbook and is not any more` };
  // Another process may have finished meanwhile, while this one waited for GitHub: its words are the recorded ones.
  await keeper.load();
  if (keeper.current().runs.some((known) => known.run === run)) return { kind: 'already', run };
  const mended = await mendedText(open, view, opened.value, written);
  if (mended !== null) return mended;
  const data = { ...proposedData(open, view, request, opened.value), ...proofOf(open, written) };
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    if (keeper.current().runs.some((known) => known.run === run)) return { kind: 'already', run };
    const result = await keeper.append(run, [{ type: 'proposed', role: 'control', data }], lab.now());
    if (result.kind === 'appended') return { kind: 'proposed', run, pull, issue };
    if (result.kind === 'refused') return { kind: 'failed', code: 'unreadable', why: result.message };
    if (result.kind === 'failed') return { kind: 'failed', code: 'not-written', why: result.message };
    await keeper.load();
  }
  return { kind: 'failed', code: 'unreadable', why: 'the logbook kept moving' };
}

/**
 * What a process that died had opened may say it in other words, and nobody knows by now whose they are: the text becomes
 * what is recorded as ours. Null where it is, or was.
 */
async function mendedText(
  open: OpenLane,
  view: ProposalView,
  opened: PullFacts,
  { texts }: Written,
): Promise<Failed | null> {
  const { lab, config } = open;
  const { issueFirst, checklist } = ferryLane(config.lane);
  const print = (text: string): string => bodyFingerprintText(text, checklist.preconditions);
  if (print(opened.body) === print(texts.pull)) return null;
  const body = `${markerOf(view, issueFirst ? 'issue' : 'pull')}\n${texts.pull}`;
  const { number, bodyDigest: expected } = opened;
  const outcome = await perform(
    open,
    issueFirst
      ? { kind: 'edit-issue', issue: number, expected, body, state: null }
      : { kind: 'edit-pull-body', pull: number, expected, body },
  );
  if (outcome.kind !== 'done') return refusedOr('the text of the proposal', outcome);
  lab.log('a proposal that was begun has its text anew', { number });
  return null;
}

function proofOf(
  { lab, config }: OpenLane,
  { branch: { head }, texts }: Written,
): Pick<EventDataByType['proposed'], 'head' | 'texts'> {
  const { preconditions } = config.lane.checklist;
  const print = (text: string): Digest => lab.digestOf(bodyFingerprintText(text, preconditions));
  return {
    ...(head === null ? {} : { head }),
    texts: { pull: print(texts.pull), issue: print(texts.issue) },
  };
}

function proposedData(
  { lab, config }: OpenLane,
  view: ProposalView,
  request: SeenCommand | null,
  pull: PullFacts,
): EventDataByType['proposed'] {
  const lane = ferryLane(config.lane);
  return {
    lane: view.lane,
    date: view.date,
    runName: fillLane(lane, view).runName,
    repository: lab.repository,
    issue: view.issue ?? 0,
    pull: view.pull ?? 0,
    baseBranch: lane.targetBranch,
    headBranch: pull.headBranch,
    experiment: lane.experiment,
    objective: view.objective,
    interval: view.interval,
    candidate: view.candidate,
    author: pull.author,
    requestedBy: request?.actor ?? null,
    ...(request === null ? {} : { request: requestOf(request, view) }),
    keys: config.keys,
  };
}

/** The knobs that a person named are those that change: what is not asked for is not edited. */
function requestOf(
  { surface, comment, index, thread, args }: SeenCommand,
  { changes }: ProposalView,
): NonNullable<EventDataByType['proposed']['request']> {
  const isNamed = Object.keys(args).some((name) => name !== 'objective');
  const knobs = isNamed ? changes.map(({ path, after }) => ({ path, after: after ?? '' })) : [];
  return { surface, comment, index, thread, knobs };
}
