/**
 * Every run that needs something opened begins here: `proposing` is recorded first, and only one process can record it. The
 * branch, the issue and the pull request follow. Each is found again by its name or marker, so that any process can go on
 * after a crash.
 */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { Digest, Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import type { Proposing } from '../../domain/logbook/events/launch-events.ts';
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

/** What this process wrote: by it the bot's own work is known from what others add to it. */
type Opened = {
  readonly issue: number;
  readonly pull: number;
  readonly head: Sha | null;
  readonly texts: { readonly pull?: string; readonly issue?: string };
};

async function complete(open: OpenLane, begun: BegunProposal, work: Work): Promise<BeginOutcome> {
  const cleared = work.command === null ? null : await clearReplaced(open, work.command);
  if (cleared !== null) return cleared;
  const head = await pushedHead(open, begun);
  if (typeof head === 'object' && head !== null) return head;
  const issue = await threadOf(open, begun, 'issue', work);
  if (issue.kind === 'failed') return issue;
  const linked = typeof begun.pull === 'number' ? begun : withLink(begun, issue.number);
  const pull = await threadOf(open, linked, 'pull', work);
  if (pull.kind === 'failed') return pull;
  const issueText =
    issue.text === undefined || pull.text === undefined
      ? issue.text
      : `Proposed in #${pull.number}.\n\n${issue.text}`;
  if (issueText !== undefined && issueText !== issue.text) {
    const body = `${markerOf(begun, 'issue')}\n${issueText}`;
    const edit = { kind: 'edit-issue', issue: issue.number, expected: null, body, state: null } as const;
    const updated = await perform(open, edit);
    if (updated.kind !== 'done') return notDone('the link from the issue to the pull request', updated);
  }
  const offered = await offerMissing(open, begun, pull.number);
  if (offered !== null) return offered;
  const texts = {
    ...(pull.text === undefined ? {} : { pull: pull.text }),
    ...(issueText === undefined ? {} : { issue: issueText }),
  };
  return record(open, begun, { issue: issue.number, pull: pull.number, head, texts });
}

function withLink(begun: BegunProposal, issue: number): BegunProposal {
  const { pull } = begun;
  return typeof pull === 'number'
    ? begun
    : { ...begun, pull: { ...pull, body: `Tracked in #${issue}.\n\n${pull.body}` } };
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
  if (pushed.kind !== 'done' || pushed.sha === undefined) return notDone(`the branch ${name}`, pushed);
  await open.git.fetch();
  return pushed.sha;
}

/** `text`: as the bot wrote it; missing where somebody else did. */
type Thread = { readonly kind: 'thread'; readonly number: number; readonly text?: string };

async function threadOf(
  open: OpenLane,
  begun: BegunProposal,
  which: 'issue' | 'pull',
  { isFirst }: Work,
): Promise<Thread | Failed> {
  const wanted = begun[which];
  if (typeof wanted === 'number') return { kind: 'thread', number: wanted };
  const { title, body: text } = wanted;
  const body = `${markerOf(begun, which)}\n${text}`;
  const { headBranch: head, baseBranch: base } = begun.proposed;
  const { labels } = begun;
  const common = { title, body, ...(isFirst ? { isFirst } : {}) };
  const marker = markerIdentity({ run: begun.run, kind: 'issue', key: 'issue' });
  const opened = await perform(
    open,
    which === 'issue'
      ? { kind: 'open-issue', ...common, marker, labels: ['experiment', ...labels] }
      : { kind: 'open-pull', ...common, head, base, labels },
  );
  return opened.kind === 'done' && opened.number !== null
    ? { kind: 'thread', number: opened.number, text }
    : notDone(which === 'issue' ? 'the issue' : 'the pull request', opened);
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
  const { run } = begun;
  const { issue, pull, head, texts } = opened;
  const author = begun.proposed.author ?? (await authorOf(open, begun, opened));
  if ('kind' in author) return author;
  const isRecorded = (): boolean => store.current().runs.some((known) => known.run === run);
  const data: EventDataByType['proposed'] = {
    ...begun.proposed,
    author,
    issue,
    pull,
    ...(head === null ? {} : { head }),
    ...(Object.keys(texts).length === 0 ? {} : { texts: printsOf(open, texts) }),
  };
  const recorded = await transact(open, () =>
    isRecorded() ? [] : [{ run, drafts: [{ type: 'proposed', role: 'control', data }] }],
  );
  if (recorded.kind === 'refused') return notRecorded(recorded);
  return recorded.kind === 'recorded' ? { kind: 'proposed', run, pull, issue } : { kind: 'already', run };
}

/** Who opened the pull request. A card in its threads says that the run was recorded once: it is begun no second time. */
async function authorOf(
  { lab, config }: OpenLane,
  { run, proposed: { headBranch, baseBranch } }: BegunProposal,
  { issue, pull }: Opened,
): Promise<EventDataByType['proposed']['author'] | Failed> {
  const threads = await readProposal(
    lab.client,
    { issue, pull, headBranch, baseBranch },
    readingOf(lab, config),
  );
  const facts = threads.kind === 'known' ? threads.value.pull : threads;
  if (threads.kind === 'unknown' || facts.kind === 'unknown')
    return { kind: 'failed', code: 'unreadable', why: facts.kind === 'unknown' ? facts.why : '' };
  if (publishedHeads(threads.value.comments).some((card) => card.run === run))
    return { kind: 'failed', code: 'not-written', why: `${run} was in the logbook and is not any more` };
  return facts.value.author;
}

function printsOf(
  { lab, config }: OpenLane,
  texts: Opened['texts'],
): NonNullable<EventDataByType['proposed']['texts']> {
  const { preconditions } = config.lane.checklist;
  const print = (text: string): Digest => lab.digestOf(bodyFingerprintText(text, preconditions));
  return {
    ...(texts.pull === undefined ? {} : { pull: print(texts.pull) }),
    ...(texts.issue === undefined ? {} : { issue: print(texts.issue) }),
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
