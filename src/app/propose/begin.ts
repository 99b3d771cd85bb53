/**
 * Every run that needs something opened begins here: `proposing` is recorded first, and only one process can record it. The
 * branch, the issue and the pull request follow. Each is found again by its name or marker, so that any process can go on
 * after a crash.
 */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { Digest, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType, EventDraft } from '../../domain/logbook/event.ts';
import type { Proposing } from '../../domain/logbook/events/proposal-events.ts';
import type { BegunProposal } from '../../domain/logbook/journal-state.ts';
import { commandKey, runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { transact } from '../../logbook/transact.ts';
import { renderMissingParts } from '../../render/own-pull.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import { pendingProposal } from '../../run/proposal-record.ts';
import { type Failed, notDone, notRecorded, type ProposeOutcome } from '../../run/proposing.ts';
import { publishedHeads } from '../../run/published-heads.ts';
import { perform } from '../control/perform.ts';
import type { OpenLab, OpenLane } from '../open-lab.ts';
import { readingOf } from '../reading.ts';
import { sayOnce } from './say-once.ts';

/** `lost`: another process recorded something for the lane in the meantime; decide again. */
export type BeginOutcome =
  | Extract<ProposeOutcome, { kind: 'proposed' | 'already' | 'failed' }>
  | { readonly kind: 'lost' };

/**
 * Records what is about to be opened, where the lane is still free, and opens it. A proposal that `command` may replace is
 * closed in the same push. Throws `GitError`.
 */
export async function begin(
  open: OpenLane,
  intent: Proposing,
  command: SeenCommand | null,
): Promise<BeginOutcome> {
  const { store, lab, config } = open;
  const recorded = await transact(open, () => {
    const record = store.current();
    const isTaken = record.runs.some(({ run }) => run === intent.run);
    if (record.broken.length > 0 || isTaken || pendingProposal(record, config.laneName, lab.now()) !== null)
      return [];
    const proposing = { type: 'proposing', role: 'control', data: intent } as const;
    const ours = { run: JOURNAL, drafts: [proposing] } as const;
    const standing = laneStanding(runsOfLane(record.runs, config.laneName), command?.thread ?? null);
    if (standing.kind === 'free') return [ours];
    if (standing.kind !== 'replaceable' || command === null) return [];
    const data = { outcome: 'withdrawn', reason: replacedReason(command), closurePull: null } as const;
    const closed = { type: 'closed', role: 'control', actor: command.actor, data } as const;
    return [{ run: standing.run.run, drafts: [closed] }, ours];
  });
  if (recorded.kind === 'refused') return notRecorded(recorded);
  const begun = store.current().journal.proposals.get(config.laneName);
  if (recorded.kind === 'nothing' || begun?.run !== intent.run) return { kind: 'lost' };
  return complete(open, begun, { command, isFirst: true });
}

/**
 * Goes on with what another process began and did not finish. A younger one than the grace is left to the process that
 * began it. Throws `GitError`.
 */
export async function goOn(
  open: OpenLane,
  begun: BegunProposal,
  command: SeenCommand | null,
): Promise<BeginOutcome> {
  if (isYoung(open, begun))
    return { kind: 'failed', code: 'unreadable', why: `${begun.run} is being proposed` };
  const outcome = await complete(open, begun, { command, isFirst: false });
  open.lab.log(`a proposal that was begun: ${outcome.kind}`, { run: begun.run });
  return outcome;
}

/** Goes on with what the lane began for no command. Null where there is nothing, or where its process may be at it still. */
export async function resumeProposal(open: OpenLane): Promise<BeginOutcome | null> {
  const { store, config, lab } = open;
  const record = store.current();
  const begun = record.broken.length > 0 ? null : pendingProposal(record, config.laneName, lab.now());
  if (begun === null || begun.proposed.request !== undefined || isYoung(open, begun)) return null;
  return goOn(open, begun, null);
}

/** Younger than the grace: the process that began it goes on by itself. */
function isYoung({ lab }: OpenLab, { at }: BegunProposal): boolean {
  return lab.now() - (fromRfc3339(at) ?? 0) < limits.publishGraceMs;
}

type Work = {
  readonly command: SeenCommand | null;
  /** Recorded just now: nothing can be there to be found again. */
  readonly isFirst: boolean;
};

/** A thread of the run; `text` as the bot wrote it, missing where somebody else did. */
type Thread = { readonly kind: 'thread'; readonly number: number; readonly text?: string };

type Opened = { readonly head: Sha | null; readonly issue: Thread; readonly pull: Thread };

async function complete(open: OpenLane, begun: BegunProposal, work: Work): Promise<BeginOutcome> {
  const cleared = work.command === null ? null : await clearReplaced(open, work.command);
  if (cleared !== null) return cleared;
  const head = await pushedHead(open, begun);
  if (typeof head === 'object' && head !== null) return head;
  const issue = await openedIssue(open, begun, work);
  if (issue.kind === 'failed') return issue;
  const pull = begun.pull === null ? issue : await openedPull(open, begun, issue.number, work);
  if (pull.kind === 'failed') return pull;
  const linked =
    typeof begun.pull === 'number' || pull === issue ? issue : await link(open, begun, issue, pull);
  if (linked.kind === 'failed') return linked;
  const offered = await offerMissing(open, begun, pull.number);
  return offered ?? record(open, begun, { head, issue: linked, pull });
}

/** The commit of the branch; null where the branch is somebody's own. The same commit whoever makes it. */
async function pushedHead(
  open: OpenLane,
  { branch, proposed, at }: BegunProposal,
): Promise<Sha | Failed | null> {
  if (branch === undefined) return null;
  const { base, files, message } = branch;
  const name = proposed.headBranch;
  const onto = { atMs: fromRfc3339(at) ?? 0, isNewBranch: true } as const;
  const pushed = await perform(open, { kind: 'push-branch', branch: name, base, files, message, onto });
  return pushed.kind === 'done' && pushed.sha !== undefined
    ? pushed.sha
    : notDone(`the branch ${name}`, pushed);
}

async function openedIssue(
  open: OpenLane,
  begun: BegunProposal,
  { isFirst }: Work,
): Promise<Thread | Failed> {
  const { run, issue, labels } = begun;
  if (typeof issue === 'number') return { kind: 'thread', number: issue };
  const opened = await perform(open, {
    kind: 'open-issue',
    ...(isFirst ? { isFirst } : {}),
    marker: markerIdentity({ run, kind: 'issue', key: 'issue' }),
    title: issue.title,
    body: `${markerOf(begun, 'issue')}\n${issue.body}`,
    labels: ['experiment', ...labels],
  });
  return opened.kind === 'done' && opened.number !== null
    ? { kind: 'thread', number: opened.number, text: issue.body }
    : notDone('the issue', opened);
}

async function openedPull(
  open: OpenLane,
  begun: BegunProposal,
  issue: number,
  { isFirst }: Work,
): Promise<Thread | Failed> {
  const { pull, labels } = begun;
  if (pull === null || typeof pull === 'number') return { kind: 'thread', number: pull ?? issue };
  const text = `Tracked in #${issue}.\n\n${pull.body}`;
  const opened = await perform(open, {
    kind: 'open-pull',
    ...(isFirst ? { isFirst } : {}),
    head: begun.proposed.headBranch,
    base: begun.proposed.baseBranch,
    title: pull.title,
    body: `${markerOf(begun, 'pull')}\n${text}`,
    labels,
  });
  return opened.kind === 'done' && opened.number !== null
    ? { kind: 'thread', number: opened.number, text }
    : notDone('the pull request', opened);
}

/** Names the new pull request in the issue. */
async function link(
  open: OpenLane,
  begun: BegunProposal,
  issue: Thread,
  pull: Thread,
): Promise<Thread | Failed> {
  const text = `Proposed in #${pull.number}.\n\n${issue.text ?? ''}`;
  const body = `${markerOf(begun, 'issue')}\n${text}`;
  const edit = { kind: 'edit-issue', issue: issue.number, expected: null, body, state: null } as const;
  const edited = await perform(open, edit);
  return edited.kind === 'done'
    ? { ...issue, text }
    : notDone('the link from the issue to the pull request', edited);
}

function markerOf({ run }: BegunProposal, kind: 'issue' | 'pull'): string {
  return markerText({ run, kind, key: kind, fields: {} });
}

/** The text of a person's pull request is not edited: what it lacks is offered below it, once. */
async function offerMissing(
  open: OpenLab,
  { run, missing }: BegunProposal,
  pull: number,
): Promise<Failed | null> {
  if (missing === null) return null;
  const posted = await sayOnce(open, pull, run, renderMissingParts(run, missing));
  return posted === 'done' ? null : { kind: 'failed', code: 'unreadable', why: posted.why };
}

async function record(open: OpenLane, begun: BegunProposal, opened: Opened): Promise<BeginOutcome> {
  const { store } = open;
  const { run, proposed, contract } = begun;
  const threads = { issue: opened.issue.number, pull: opened.pull.number };
  const author = proposed.author ?? (await authorOf(open, begun, threads));
  if ('kind' in author) return author;
  const texts = printsOf(open, opened);
  const data = {
    ...proposed,
    author,
    ...threads,
    ...(opened.head === null ? {} : { head: opened.head }),
    ...(Object.keys(texts).length === 0 ? {} : { texts }),
  };
  const drafts: readonly EventDraft[] = [
    { type: 'proposed', role: 'control', data },
    ...(contract === undefined ? [] : [{ type: 'contracted', role: 'control', data: { contract } } as const]),
  ];
  const recorded = await transact(open, () =>
    store.current().runs.some((known) => known.run === run) ? [] : [{ run, drafts }],
  );
  if (recorded.kind === 'refused') return notRecorded(recorded);
  return recorded.kind === 'recorded' ? { kind: 'proposed', run, ...threads } : { kind: 'already', run };
}

/** Who opened the pull request. A card in its threads says that the run was recorded once: it is begun no second time. */
async function authorOf(
  { lab, config }: OpenLane,
  { run, proposed: { headBranch, baseBranch } }: BegunProposal,
  threads: { readonly issue: number; readonly pull: number },
): Promise<EventDataByType['proposed']['author'] | Failed> {
  const read = await readProposal(lab.client, { ...threads, headBranch, baseBranch }, readingOf(lab, config));
  const facts = read.kind === 'known' ? read.value.pull : read;
  if (read.kind === 'unknown' || facts.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: facts.kind === 'unknown' ? facts.why : '' };
  if (publishedHeads(read.value.comments).some((card) => card.run === run))
    return { kind: 'failed', code: 'not-written', why: `${run} was in the logbook and is not any more` };
  return facts.value.author;
}

/** By these the bot's own texts are known from what others write into them later. */
function printsOf(
  { lab, config }: OpenLane,
  { issue, pull }: Opened,
): NonNullable<EventDataByType['proposed']['texts']> {
  const { preconditions } = config.lane.checklist;
  const print = (text: string): Digest => lab.digestOf(bodyFingerprintText(text, preconditions));
  return {
    ...(pull.text === undefined ? {} : { pull: print(pull.text) }),
    ...(issue.text === undefined || issue === pull ? {} : { issue: print(issue.text) }),
  };
}

/** Closes the pull request and the issue of what this command replaced. Null once they are closed. */
async function clearReplaced(open: OpenLane, command: SeenCommand): Promise<Failed | null> {
  const reason = replacedReason(command);
  const replaced = open.store.current().runs.filter(({ closed }) => closed?.reason === reason);
  for (const { proposal } of replaced) {
    const pull = await perform(open, { kind: 'close-pull', pull: proposal.pull });
    if (pull.kind === 'unknown') return notDone('the old pull request', pull);
    const edit = { kind: 'edit-issue', expected: null, body: null, state: 'closed' } as const;
    const issue = await perform(open, { ...edit, issue: proposal.issue });
    if (issue.kind === 'unknown') return notDone('the old issue', issue);
  }
  return null;
}

/** The reason names the command, by which a crash between two steps is found again. */
function replacedReason(command: SeenCommand): string {
  return `replaced: ${command.actor.login} asked for another proposal (${commandKey(command)})`;
}
