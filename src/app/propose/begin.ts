/**
 * Opens everything that a new run needs. First, `proposing` is recorded, which only one process can do. The branch, the issue and the pull
 * request follow. Each step finds an earlier result by its name or marker, so any process can continue after a crash.
 */

import { bodyFingerprintText } from '../../commands/grammar/approved-text.ts';
import type { EventDataByType, EventDraft } from '../../domain/logbook/define.ts';
import type { Proposing } from '../../domain/logbook/events/proposal-events.ts';
import { findHolder } from '../../domain/logbook/job-state.ts';
import type { BegunProposal } from '../../domain/logbook/journal-state.ts';
import { commandKey, isOver, type RunState, runsInLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { type Digest, fromRfc3339, type Sha } from '../../domain/values.ts';
import { readProposal } from '../../github/threads.ts';
import { type Entry, recordDecision } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { renderMissingParts } from '../../render/issues.ts';
import { findPendingProposal, isRequestedBy, judgeLane, listRunsOfPull } from '../../run/proposals.ts';
import { type Failed, failNotDone, failNotRecorded, type ProposeOutcome } from '../../run/proposing.ts';
import { listPublishedHeads, mayAnyonePost } from '../../run/publications.ts';
import { performEffect } from '../control/perform.ts';
import { threadReading } from '../markers.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import { openIssue, post } from '../outbox.ts';

/** `again`: another process recorded something for the lane in the meantime, so the caller must decide again. */
export type BeginOutcome =
  | Extract<ProposeOutcome, { kind: 'proposed' | 'already' | 'failed' }>
  | { readonly kind: 'again' };

type Beginning = {
  readonly intent: Proposing;
  /** The command that requested the run; null for the schedule or a label. */
  readonly command: SeenCommand | null;
  /** The run that the new run continues, and its last entry. */
  readonly closes?: { readonly old: RunState; readonly draft: EventDraft } | undefined;
};

/**
 * Records what to open, if the lane is still free, and opens it. A proposal that the command may replace is closed in the same push. If all
 * threads of the run exist already, nothing has to be opened, and the same push records the run itself. Throws `GitError`.
 */
export async function beginProposal(open: OpenLane, beginning: Beginning): Promise<BeginOutcome> {
  const { store, config } = open;
  const { intent, command } = beginning;
  const { run, issue, pull, missing, proposed } = intent;
  const there =
    typeof issue === 'number' && typeof (pull ?? issue) === 'number' && missing === null
      ? { issue, pull: typeof pull === 'number' ? pull : issue }
      : null;
  const drafts =
    there === null || proposed.author === undefined
      ? null
      : buildRunDrafts(intent, { ...proposed, author: proposed.author, ...there });
  const recorded = await recordDecision(open, () => {
    const closing = buildClosingEntries(open, beginning);
    if (closing === null) return [];
    const proposing = { type: 'proposing', role: 'control', data: intent } as const;
    // Processes read the runs that the journal names, so a run stays visible even if its marks are deleted.
    const named: Entry = { run: JOURNAL, drafts: [proposing] };
    // The journal comes last: the commit message and a refused push name the first run.
    return [...closing, ...(drafts === null ? [] : [{ run, drafts }]), named];
  });
  if (recorded.kind === 'refused') return failNotRecorded(recorded);
  if (recorded.kind === 'nothing') return { kind: 'again' };
  if (there !== null && drafts !== null) return { kind: 'proposed', run, ...there };
  const begun = store.current().journal.proposals.get(config.laneName);
  return begun?.run === run ? completeProposal(open, begun, command, { isFirst: true }) : { kind: 'again' };
}

/** The entries that close older runs for the new one; null if the newest record has no room for the new run. */
function buildClosingEntries(
  { store, config: { laneName }, lab }: OpenLane,
  { intent, command, closes }: Beginning,
): readonly Entry[] | null {
  const record = store.current();
  const { run, issue, pull, proposed } = intent;
  const isTaken = record.runs.some((one) => one.run === run);
  if (record.broken.length > 0 || isTaken || findPendingProposal(record, laneName, lab.now()) !== null) return null;
  const others = record.runs.filter((one) => one.run !== closes?.old.run);
  const isThreadOfRun = (thread: Proposing['pull']): boolean =>
    typeof thread === 'number' && listRunsOfPull(others, thread).some((one) => !isOver(one));
  if (isThreadOfRun(issue) || isThreadOfRun(pull)) return null;
  if (proposed.adopts !== undefined) return findHolder(others, proposed.adopts) === null ? [] : null;
  const standing = judgeLane(runsInLane(others, laneName), command?.thread ?? null);
  if (standing.kind === 'replaceable' && command !== null) {
    const data = { outcome: 'withdrawn', reason: replacedReason(command), closurePull: null } as const;
    const closed = { type: 'closed', role: 'control', actor: command.actor, data } as const;
    return [{ run: standing.run.run, drafts: [closed] }];
  }
  if (standing.kind !== 'free') return null;
  if (closes === undefined) return [];
  const { old, draft } = closes;
  const isUnchanged = record.runs.some((one) => one.run === old.run && one.head.hash === old.head.hash);
  return isUnchanged ? [{ run: old.run, drafts: [draft] }] : null;
}

function buildRunDrafts({ contract }: Proposing, data: EventDataByType['proposed']): readonly EventDraft[] {
  return [
    { type: 'proposed', role: 'control', data },
    ...(contract === undefined ? [] : [{ type: 'contracted', role: 'control', data: { contract } } as const]),
  ];
}

/**
 * Completes the lane's unfinished proposal for this command (null: for no command). Null if there is no such proposal, or if the process
 * that started it may still be working on it. Throws `GitError`.
 */
export async function resumeProposal(open: OpenLane, command: SeenCommand | null): Promise<BeginOutcome | null> {
  const { store, config, lab } = open;
  const record = store.current();
  const begun = record.broken.length > 0 ? null : findPendingProposal(record, config.laneName, lab.now());
  if (begun === null) return null;
  const { request } = begun.proposed;
  const isAsked = command === null ? request === undefined : isRequestedBy(request, command);
  if (!isAsked || !mayAnyonePost(begun.at, lab.now())) return null;
  const outcome = await completeProposal(open, begun, command, {});
  lab.log(`a proposal that was begun: ${outcome.kind}`, { run: begun.run });
  return outcome;
}

/** Set right after recording: no step was taken yet, so do not search for existing results. */
type FirstAttempt = { readonly isFirst?: true };

/** A thread of the run. `text`: the text that the bot wrote; missing if a person opened the thread. */
type Thread = { readonly kind: 'thread'; readonly number: number; readonly text?: string };

type OpenedThreads = { readonly head: Sha | null; readonly issue: Thread; readonly pull: Thread };

async function completeProposal(
  open: OpenLane,
  begun: BegunProposal,
  command: SeenCommand | null,
  first: FirstAttempt,
): Promise<BeginOutcome> {
  const cleared = command === null ? null : await closeReplacedThreads(open, command);
  if (cleared !== null) return cleared;
  const head = await pushProposalBranch(open, begun);
  if (typeof head === 'object' && head !== null) return head;
  const issue = await openedIssue(open, begun, first);
  if (issue.kind === 'failed') return issue;
  const pull = await openProposalPull(open, begun, issue, first);
  if (pull.kind === 'failed') return pull;
  const linked = typeof begun.pull === 'number' || pull === issue ? issue : await linkThreads(open, begun, issue, pull);
  if (linked.kind === 'failed') return linked;
  const offered = await postMissingParts(open, begun, pull.number);
  return offered ?? recordProposal(open, begun, { head, issue: linked, pull });
}

/** Pushes the branch and returns its commit; null if the branch is a person's. Every process creates the same commit. */
async function pushProposalBranch(
  open: OpenLane,
  { branch, proposed, at }: BegunProposal,
): Promise<Sha | Failed | null> {
  if (branch === undefined) return null;
  const { base, files, message } = branch;
  const name = proposed.headBranch;
  const onto = { atMs: fromRfc3339(at) ?? 0, isNewBranch: true } as const;
  const pushed = await performEffect(open, { kind: 'push-branch', branch: name, base, files, message, onto });
  return pushed.kind === 'done' && pushed.sha !== undefined ? pushed.sha : failNotDone(`the branch ${name}`, pushed);
}

async function openedIssue(open: OpenLab, begun: BegunProposal, first: FirstAttempt): Promise<Thread | Failed> {
  const { run, issue, labels } = begun;
  if (typeof issue === 'number') return { kind: 'thread', number: issue };
  const { title, body } = issue;
  const marker = markerIdentity({ run, kind: 'issue', key: 'issue' });
  const about = { marker, title, labels: ['experiment', ...labels] };
  const marked = `${proposalMarker(begun, 'issue')}\n${body}`;
  const number = await openIssue(open, 'the issue', { ...first, ...about, body: marked });
  return typeof number === 'number' ? { kind: 'thread', number, text: body } : number;
}

/** Opens the pull request, or finds an existing one by its branch. */
async function openProposalPull(
  open: OpenLab,
  begun: BegunProposal,
  issue: Thread,
  first: FirstAttempt,
): Promise<Thread | Failed> {
  const { pull, labels } = begun;
  if (pull === null) return issue;
  if (typeof pull === 'number') return { kind: 'thread', number: pull };
  const { headBranch: head, baseBranch: base } = begun.proposed;
  const text = `Tracked in #${issue.number}.\n\n${pull.body}`;
  const body = `${proposalMarker(begun, 'pull')}\n${text}`;
  const about = { ...first, head, base, title: pull.title, body, labels };
  const opened = await performEffect(open, { kind: 'open-pull', ...about });
  return opened.kind === 'done' && opened.number !== null
    ? { kind: 'thread', number: opened.number, text }
    : failNotDone('the pull request', opened);
}

async function linkThreads(
  open: OpenLane,
  begun: BegunProposal,
  issue: Thread,
  pull: Thread,
): Promise<Thread | Failed> {
  const text = `Proposed in #${pull.number}.\n\n${issue.text ?? ''}`;
  const body = `${proposalMarker(begun, 'issue')}\n${text}`;
  const edit = { kind: 'edit-issue', issue: issue.number, expected: null, body, state: null } as const;
  const edited = await performEffect(open, edit);
  return edited.kind === 'done'
    ? { ...issue, text }
    : failNotDone('the link from the issue to the pull request', edited);
}

function proposalMarker({ run }: BegunProposal, kind: 'issue' | 'pull'): string {
  return markerText({ run, kind, key: kind, fields: {} });
}

/** Comments once below a person's pull request and offers its missing parts. Never edits the person's text. */
async function postMissingParts(open: OpenLab, { run, missing }: BegunProposal, pull: number): Promise<Failed | null> {
  if (missing === null) return null;
  const marker = markerIdentity({ run: 'journal', kind: 'own-pull', key: run });
  const posted = await post(open, { thread: pull, marker, body: renderMissingParts(run, missing) });
  return posted.kind === 'stands' ? null : { kind: 'failed', code: 'unreadable', why: posted.why };
}

async function recordProposal(open: OpenLane, begun: BegunProposal, opened: OpenedThreads): Promise<BeginOutcome> {
  const { store } = open;
  const { run, proposed } = begun;
  const threads = { issue: opened.issue.number, pull: opened.pull.number };
  const author = proposed.author ?? (await findProposalAuthor(open, begun, threads));
  if ('kind' in author) return author;
  const texts = fingerprintTexts(open, opened);
  const drafts = buildRunDrafts(begun, {
    ...proposed,
    author,
    ...threads,
    ...(opened.head === null ? {} : { head: opened.head }),
    ...(Object.keys(texts).length === 0 ? {} : { texts }),
  });
  const recorded = await recordDecision(open, () =>
    store.current().runs.some((known) => known.run === run) ? [] : [{ run, drafts }],
  );
  if (recorded.kind === 'refused') return failNotRecorded(recorded);
  return recorded.kind === 'recorded' ? { kind: 'proposed', run, ...threads } : { kind: 'already', run };
}

/** The author of the pull request. Fails if its threads contain a card of this run, which proves that the run was recorded before. */
async function findProposalAuthor(
  { lab, config }: OpenLane,
  { run, proposed: { headBranch, baseBranch } }: BegunProposal,
  threads: { readonly issue: number; readonly pull: number },
): Promise<EventDataByType['proposed']['author'] | Failed> {
  const read = await readProposal(lab.client, { ...threads, headBranch, baseBranch }, threadReading(lab, config));
  const facts = read.kind === 'known' ? read.value.pull : read;
  if (read.kind === 'unknown' || facts.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: facts.kind === 'unknown' ? facts.why : '' };
  if (listPublishedHeads(read.value.comments).some((card) => card.run === run))
    return { kind: 'failed', code: 'not-written', why: `${run} was in the logbook and is not any more` };
  return facts.value.author;
}

/** Fingerprints that distinguish the bot's own texts from later edits by other people. */
function fingerprintTexts(
  { lab, config }: OpenLane,
  { issue, pull }: OpenedThreads,
): NonNullable<EventDataByType['proposed']['texts']> {
  const { preconditions } = config.lane.checklist;
  const fingerprint = (text: string): Digest => lab.digestOf(bodyFingerprintText(text, preconditions));
  return {
    ...(pull.text === undefined ? {} : { pull: fingerprint(pull.text) }),
    ...(issue.text === undefined || issue === pull ? {} : { issue: fingerprint(issue.text) }),
  };
}

/** Closes the pull request and the issue of the proposal that this command replaced. Null once both are closed. */
async function closeReplacedThreads(open: OpenLane, command: SeenCommand): Promise<Failed | null> {
  const reason = replacedReason(command);
  const replaced = open.store.current().runs.filter(({ closed }) => closed?.reason === reason);
  for (const { proposal } of replaced) {
    const edit = { kind: 'edit-issue', expected: null, body: null, state: 'closed' } as const;
    const pull = await performEffect(open, { ...edit, issue: proposal.pull });
    if (pull.kind === 'unknown') return failNotDone('the old pull request', pull);
    const issue = await performEffect(open, { ...edit, issue: proposal.issue });
    if (issue.kind === 'unknown') return failNotDone('the old issue', issue);
  }
  return null;
}

/** The reason names the command, so that another process finds the replaced run after a crash. */
function replacedReason(command: SeenCommand): string {
  return `replaced: ${command.actor.login} asked for another proposal (${commandKey(command)})`;
}
