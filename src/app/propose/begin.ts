/**
 * Carries a planned proposal out: branch, issue, PR, and the record. Every step is found again by a name that the run
 * decides, so that a second try completes what a first one began, and whose branch it is decides between two.
 */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { EffectOutcome } from '../../domain/effect.ts';
import type { PullFacts } from '../../domain/facts.ts';
import type { Digest, Sha } from '../../domain/ids.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import { commandKey, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import { transact } from '../../logbook/transact.ts';
import { branchMark } from '../../run/branch-mark.ts';
import { proposalLabels } from '../../run/own-pull.ts';
import { isPartialFor, proposalBranchOf, proposedData } from '../../run/proposal-record.ts';
import { type Failed, notDone, notRecorded, type Planned, type ProposeOutcome } from '../../run/proposing.ts';
import { publishedHeads } from '../../run/published-heads.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { begunAs } from './partial-proposal.ts';

/** The branch is there and ours; new where this process has just made it, of the commit `head`. */
type OurBranch = {
  readonly kind: 'ours';
  readonly name: string;
  readonly isNew: boolean;
  readonly head: Sha | null;
};

/** `lost`: the name was taken by another proposal at the same moment; decide again. */
type Lost = { readonly kind: 'lost' };

export type BeginOutcome = Extract<ProposeOutcome, { kind: 'proposed' | 'already' | 'failed' }> | Lost;

/** Writes everything that a proposal is. Throws `GitError` where git cannot tell whose branch it is. */
export async function begin(
  open: OpenLane,
  planned: Planned,
  request: SeenCommand | null,
): Promise<BeginOutcome> {
  const branch = await pushedBranch(open, planned, request);
  if (branch.kind !== 'ours') return branch;
  const { words } = planned;
  const issue = await openedIssue(open, planned, words.issue(null), branch);
  if (issue.kind !== 'done' || issue.number === null) return notDone('the issue', issue);
  const body = words.pull.body(issue.number);
  const pull = await openedPull(open, planned, { title: words.pull.title, body }, branch);
  if (pull.kind !== 'done' || pull.number === null) return notDone('the pull request', pull);
  const threads = { issue: issue.number, pull: pull.number };
  const linked = words.issue(threads);
  const updated = await perform(open, {
    kind: 'edit-issue',
    issue: issue.number,
    expected: null,
    body: `${markerOf(planned, 'issue')}\n${linked}`,
    state: null,
  });
  if (updated.kind !== 'done') return notDone('the link from the issue to the pull request', updated);
  return record(open, planned, threads, request, { branch, texts: { pull: body, issue: linked } });
}

/** Pushes the branch, or finds the one that was pushed before for the same request. Throws `GitError`. */
async function pushedBranch(
  open: OpenLane,
  planned: Planned,
  request: SeenCommand | null,
): Promise<Failed | Lost | OurBranch> {
  const { run, files, base, head: begunHead, words } = planned;
  const ours = { kind: 'ours', name: proposalBranchOf(run) } as const;
  if (begunHead !== undefined) return begunBranch(open, planned, request);
  if ((await begunAs(open, run)) !== null) return { kind: 'lost' };
  const message = words.commit(branchMark(request === null ? null : commandKey(request)));
  const pushed = await perform(open, { kind: 'push-branch', branch: ours.name, base, files, message });
  if (pushed.kind !== 'done') return notDone(`the branch ${ours.name}`, pushed);
  // A push that found the branch there says so as done: somebody else was faster, and completes what they began.
  if (pushed.isNew !== true) return { kind: 'lost' };
  await open.git.fetch();
  return { ...ours, isNew: true, head: pushed.sha ?? null };
}

/** The branch that was pushed before, where it is still there and still the same request's. */
async function begunBranch(
  open: OpenLane,
  { run, head }: Planned,
  request: SeenCommand | null,
): Promise<Failed | Lost | OurBranch> {
  const name = proposalBranchOf(run);
  const known = await begunAs(open, run);
  if (known === null) return { kind: 'failed', code: 'unreadable', why: `the branch ${name} is not there` };
  if (!isPartialFor(known, request)) return { kind: 'lost' };
  return { kind: 'ours', name, isNew: false, head: known.tip === head ? known.tip : null };
}

type Threads = { readonly issue: number; readonly pull: number };

function markerOf({ run }: Planned, kind: 'issue' | 'pull'): string {
  return markerText({ run, kind, key: kind, fields: {} });
}

function openedIssue(
  open: OpenLane,
  planned: Planned,
  body: string,
  { isNew }: OurBranch,
): Promise<EffectOutcome> {
  return perform(open, {
    kind: 'open-issue',
    ...(isNew ? { isFirst: true } : {}),
    marker: markerIdentity({ run: planned.run, kind: 'issue', key: 'issue' }),
    title: planned.words.issueTitle,
    body: `${markerOf(planned, 'issue')}\n${body}`,
    labels: ['experiment', ...proposalLabels(open.config)],
  });
}

function openedPull(
  open: OpenLane,
  planned: Planned,
  { title, body }: { readonly title: string; readonly body: string },
  { name, isNew }: OurBranch,
): Promise<EffectOutcome> {
  return perform(open, {
    kind: 'open-pull',
    ...(isNew ? { isFirst: true } : {}),
    head: name,
    base: open.config.lane.targetBranch,
    title,
    body: `${markerOf(planned, 'pull')}\n${body}`,
    labels: proposalLabels(open.config),
  });
}

/** What this process wrote: by it the bot's own work is known from what others add to it. */
type Written = {
  readonly branch: OurBranch;
  readonly texts: { readonly pull: string; readonly issue: string };
};

async function record(
  open: OpenLane,
  planned: Planned,
  threadsOf: Threads,
  request: SeenCommand | null,
  written: Written,
): Promise<Extract<ProposeOutcome, { kind: 'proposed' | 'already' | 'failed' }>> {
  const { lab, config, store } = open;
  const { run } = planned;
  const { issue, pull } = threadsOf;
  const place = { issue, pull, headBranch: written.branch.name, baseBranch: config.lane.targetBranch };
  const threads = await readProposal(lab.client, place, readingOf(lab, config));
  const opened = threads.kind === 'known' ? threads.value.pull : threads;
  if (threads.kind === 'unknown' || opened.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: opened.kind === 'unknown' ? opened.why : '' };
  // A card is only written from a record: this run was recorded once, and is begun no second time.
  if (publishedHeads(threads.value.comments).some((card) => card.run === run))
    return { kind: 'failed', code: 'not-written', why: `${run} was in the logbook and is not any more` };
  // Another process may have finished meanwhile, while this one waited for GitHub: its words are the recorded ones.
  await store.load();
  const isRecorded = (): boolean => store.current().runs.some((known) => known.run === run);
  if (isRecorded()) return { kind: 'already', run };
  const mended = await mendedText(open, planned, opened.value, written);
  if (mended !== null) return mended;
  const data = {
    ...proposedData({ config, repository: lab.repository }, planned, request, opened.value),
    ...threadsOf,
    ...proofOf(open, written),
  };
  const recorded = await transact(open, () =>
    isRecorded() ? [] : [{ run, drafts: [{ type: 'proposed', role: 'control', data }] }],
  );
  if (recorded.kind === 'refused') return notRecorded(recorded);
  return recorded.kind === 'recorded' ? { kind: 'proposed', run, pull, issue } : { kind: 'already', run };
}

/**
 * What a process that died had opened may say it in other words, and nobody knows by now whose they are: the text becomes
 * what is recorded as ours. Null where it is, or was.
 */
async function mendedText(
  open: OpenLane,
  planned: Planned,
  opened: PullFacts,
  { texts }: Written,
): Promise<Failed | null> {
  const { lab, config } = open;
  const { checklist } = config.lane;
  const print = (text: string): string => bodyFingerprintText(text, checklist.preconditions);
  if (print(opened.body) === print(texts.pull)) return null;
  const body = `${markerOf(planned, 'pull')}\n${texts.pull}`;
  const { number, bodyDigest: expected } = opened;
  const outcome = await perform(open, { kind: 'edit-pull-body', pull: number, expected, body });
  if (outcome.kind !== 'done') return notDone('the text of the proposal', outcome);
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
