/** Answers commands in threads without an active run, once each, and records the answers in the journal. */

import { hasLabel, type Permission } from '../../domain/actor.ts';
import type { CommentFacts, RunFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/define.ts';
import { findQuestion } from '../../domain/logbook/journal-state.ts';
import { isOver, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { groupAnswers, listPostedAnswers, markerIdentity } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { addMs, fromRfc3339, type Instant, type Observed, utcDate } from '../../domain/values.ts';
import { readPermission } from '../../github/settings.ts';
import { readThread, type Thread } from '../../github/threads.ts';
import { recordEntries } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { renderJournalAnswer } from '../../render/answer.ts';
import { ISSUE_CARD_KEY, renderIssueCard } from '../../render/issues.ts';
import { concernsThread, decideJournal, hasAnsweredIn, isApprove, isChat } from '../../run/decide-journal.ts';
import { createPastReader } from '../../run/lane.ts';
import {
  colleaguesFirst,
  commandsSince,
  isAddressedToBot,
  listPendingItems,
  type PendingItem,
  sortAuthors,
} from '../../run/pending-commands.ts';
import { isOpenProposal } from '../../run/proposal-texts.ts';
import { listContractLabels } from '../../run/proposals.ts';
import {
  findPostedComment,
  isShared,
  listAnswers,
  listPublishedHeads,
  mayPost,
  type PendingComment,
} from '../../run/publications.ts';
import type { BrokenRun } from '../broken-run.ts';
import { guard, locateComment, skipBadComments, type Trouble } from '../contained-errors.ts';
import { threadReading } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import { isPosted, post, postIn } from '../outbox.ts';
import { LANE_LABEL } from '../propose/propose.ts';
import type { Record } from '../record-files.ts';
import { factsFromRecord, type WithoutText } from './gather.ts';
import { readDescription } from './shown-facts.ts';
import type { ReconcileWork, Turn } from './turn.ts';

/** `past`: the thread's ended run. If `comments` do not contain the card, reads the whole thread. */
async function syncIssueCard(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  past: RunState | null,
): Promise<void> {
  const { lab, config, store } = open;
  const today = utcDate(lab.now());
  const body = renderIssueCard({ config, past, today, ...factsFromRecord(store.current()) });
  const marker = markerIdentity({ run: 'journal', kind: 'card', key: ISSUE_CARD_KEY });
  const owed = { thread, marker, body, isUpdated: true } as const;
  const said = findPostedComment(comments, owed) === null ? await post(open, owed) : await postIn(open, owed, comments);
  if (said.kind === 'unsaid') lab.log(`the card of thread ${thread}: ${said.why}`);
}

/** Posts answers that this process has not seen in their threads. A new process reads each thread with an answer of the last day once. */
export async function postAnswers(open: OpenLab, troubles: Trouble[]): Promise<void> {
  const now = open.lab.now();
  const owed = listPendingAnswers(open, limits.overLookMs).filter((one) => !isPosted(open, one));
  const threads = [...new Set(owed.map(({ thread }) => thread))].toReversed();
  for (const thread of threads.slice(0, limits.journalThreadsPerTriggerMax)) {
    await guard(open, troubles, { run: JOURNAL, thread }, async () => {
      const since = addMs(now, -limits.sweepLookbackMs);
      const read = await readThread(open.lab.client, thread, threadReading(open.lab, open.config), since);
      if (read.kind === 'known') await postAnswersIn(open, thread, read.value.comments, troubles);
      else open.lab.log(`thread ${thread}: ${read.why}`);
    });
  }
}

/** Posts the journal's answers that are missing in this thread. Failures are retried at the next sweep. */
async function postAnswersIn(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  troubles: Trouble[],
): Promise<void> {
  const { journal } = open.store.current();
  const { recordedRuns } = factsFromRecord(open.store.current());
  const byKey = groupAnswers(journal.commands.values());
  for (const owed of listPendingAnswers(open, limits.sweepLookbackMs)) {
    const commands = byKey.get(owed.key) ?? [];
    const [first] = commands;
    if (owed.thread !== thread || first === undefined) continue;
    const where = locateComment(open, thread, { surface: first.surface, id: first.comment });
    await guard(open, troubles, where, () => {
      const body = renderJournalAnswer(owed.key, commands, createPastReader(recordedRuns, open.config.lanes));
      return postIn(open, { ...owed, body }, comments);
    });
  }
}

/** Answers up to this age that this process may post. */
function listPendingAnswers(
  { lab, store }: OpenLab,
  ageMs: number,
): readonly (Omit<PendingComment, 'body'> & { readonly key: string })[] {
  const now = lab.now();
  const poster = { appended: store.appended(JOURNAL) };
  return listAnswers(store.current().journal.commands)
    .filter((one) => now - (fromRfc3339(one.at) ?? 0) < ageMs && mayPost(one, poster, now))
    .map((one) => ({
      key: one.key,
      thread: one.thread,
      marker: markerIdentity({ run: 'journal', kind: 'answer', key: one.key }),
      isOnlyPoster: !isShared(one, poster, now),
    }));
}

type ThreadTrigger = Extract<ReconcileRequest, { kind: 'comment' | 'thread' }>;

/**
 * Threads with a new slash command, and changed experiment issues, that no active run owns. A command for a run with a broken record does
 * not go to a newer run in the thread.
 */
export function listThreadWork({ open, triggers, troubles }: Turn): readonly ReconcileWork[] {
  const { runs, broken } = open.store.current();
  if (broken.some((one) => one.run === JOURNAL)) return [];
  const owned = new Set<number>();
  for (const run of runs) if (!isOver(run)) owned.add(run.proposal.pull).add(run.proposal.issue);
  const heard = new Map<number, ThreadTrigger[]>();
  for (const one of triggers) {
    const isHeard = (one.kind === 'comment' && one.hasSlash) || (one.kind === 'thread' && one.isExperiment === true);
    if (!isHeard || (owned.has(one.thread) && findBrokenRun(open, one.thread) === undefined)) continue;
    heard.set(one.thread, [...(heard.get(one.thread) ?? []), one]);
  }
  return [...heard].map(([thread, here]) => ({
    location: { run: JOURNAL, thread },
    reconcile: () =>
      skipBadComments(open, troubles, (withoutText) =>
        answerThread(open, { thread, triggers: here, withoutText, troubles }),
      ),
  }));
}

type ThreadVisit = {
  readonly thread: number;
  readonly triggers: readonly ThreadTrigger[];
  readonly withoutText: WithoutText;
  readonly troubles: Trouble[];
};

/** A thread and its record. `past`: its broken or ended run. `known`: commands of any record. `isAsking`: a label requests a run. */
type OpenThread = Thread & {
  readonly thread: number;
  readonly since: Instant;
  readonly record: Record;
  readonly broken: BrokenRun | undefined;
  readonly past: RunState | null;
  readonly knownCommands: ReadonlyMap<string, SeenCommand>;
  readonly isRunRequested: boolean;
};

/** `isOwing`: the thread could not be read or written, or a command is still unanswered. */
async function answerThread(open: OpenLab, look: ThreadVisit): Promise<{ readonly mustRetry: boolean }> {
  const here = await openThread(open, look);
  if (here === null) return { mustRetry: true };
  const pending = await listPendingCommands(open, here);
  if (pending === null) return { mustRetry: false };
  const drafts = await decideAnswers(open, here, pending);
  // After a lost race, the next trigger retries.
  const isRecorded = async (): Promise<boolean> =>
    (await recordEntries(open, [{ run: JOURNAL, drafts }])).kind === 'recorded';
  if (drafts.length > 0 && !(await isRecorded())) return { mustRetry: true };
  const { thread, comments, past } = here;
  await postAnswersIn(open, thread, comments, look.troubles);
  // An issue that requests a run either starts one or gets the reason for the refusal, so it needs no card.
  const hasCard = here.isOpenIssue && here.labels.includes('experiment') && (!here.isRunRequested || past !== null);
  const given = drafts.filter(({ type }) => type === 'command-answered').length;
  const isOwing = given < pending.items.length;
  // A pending command may start a run here, which has its own card.
  if (here.broken === undefined && hasCard && !isOwing) await syncIssueCard(open, thread, comments, past);
  return { mustRetry: isOwing };
}

/** Null if the thread cannot be read. */
async function openThread(open: OpenLab, look: ThreadVisit): Promise<OpenThread | null> {
  const { thread, triggers } = look;
  const { lab, config, store } = open;
  const record = store.current();
  // After an outage, a sweep finds comments that are older than the usual lookback.
  const lookback = addMs(lab.now(), -limits.sweepLookbackMs);
  const since = triggers.reduce(
    (from, trigger) =>
      trigger.kind === 'comment' && trigger.at !== undefined && trigger.at < from ? trigger.at : from,
    lookback,
  );
  const read = await readThread(lab.client, thread, threadReading(lab, config), since);
  if (read.kind === 'unknown') {
    lab.log(`thread ${thread}: ${read.why}`);
    return null;
  }
  const comments = look.withoutText(read.value.comments);
  // The thread may contain a card of a run that the record lacks.
  for (const card of listPublishedHeads(comments)) await store.expectEntry(card.run, card.anchor, card.thread);
  const broken = findBrokenRun(open, thread);
  const past = broken?.state ?? record.runs.find(isRunOfThread(thread)) ?? null;
  const answered = new Set(
    comments.flatMap(({ marker }) => (marker?.kind === 'answer' && marker.role === 'control' ? [marker.key] : [])),
  );
  const recordedHere = past?.commands ?? new Map<string, SeenCommand>();
  const here = broken === undefined ? recordedHere : listPostedAnswers(recordedHere, answered);
  const known = new Map([...here, ...record.journal.commands]);
  const isAsking = listContractLabels(config).some((label) => hasLabel(read.value.labels, label));
  return {
    ...read.value,
    comments,
    thread,
    since,
    record,
    broken,
    past,
    knownCommands: known,
    isRunRequested: isAsking,
  };
}

type PendingCommands = { readonly items: readonly PendingItem[]; readonly permissions: RunFacts['permissions'] };

/** The unanswered commands. Null if ferrybot stays silent in the thread. */
async function listPendingCommands(open: OpenLab, here: OpenThread): Promise<PendingCommands | null> {
  const { thread, since, record, broken, past, knownCommands, labels } = here;
  const { otherBots } = open.config;
  const ownedSince = record.runs.filter((run) => !isOver(run) && isRunOfThread(thread)(run)).map(commandsSince);
  const unowned = here.comments.filter((one) => ownedSince.every((moment) => one.createdAt < moment));
  const unasked = listPendingItems(knownCommands, unowned, { since, otherBots, permissions: new Map() });
  const isOurs = labels.includes(LANE_LABEL) || hasAnsweredIn(record.journal, thread);
  const isHeard = isOurs || here.isRunRequested || labels.includes('experiment');
  const isSilent = past === null && broken === undefined && !isHeard;
  const actions = [...record.journal.actions, ...(past?.actions ?? [])];
  const isRelevant = (item: PendingItem): boolean =>
    isAddressedToBot(item.parsed, item.comment, actions) && (!isSilent || concernsThread(item, here));
  const mayConcern = unasked.filter((item) => item.parsed.kind === 'unread' || isRelevant(item));
  if (isSilent && mayConcern.length === 0) return null;
  const permissions = await readPermissions(open, mayConcern);
  const all = listPendingItems(knownCommands, unowned, { since, otherBots, permissions });
  const items = colleaguesFirst(
    all.filter(
      (item) => item.parsed.kind === 'unread' || (isRelevant(item) && !(isSilent && isChat(item, permissions))),
    ),
    permissions,
  );
  return isSilent && items.length === 0 ? null : { items, permissions };
}

async function decideAnswers(
  open: OpenLab,
  { thread, record: { journal }, broken, past, knownCommands }: OpenThread,
  { items, permissions }: PendingCommands,
): Promise<readonly EventDraft[]> {
  const over = past === null ? 'no-run-here' : 'run-over';
  const now = open.lab.now();
  const proposalTexts = items.some(isApprove)
    ? await readDescription(open, journal.actions.filter(isOpenProposal), thread)
    : new Map();
  return decideJournal({
    items,
    knownCommands,
    journal: journal.commands,
    facts: { permissions, proposalTexts, ...factsFromRecord(open.store.current()) },
    config: open.config,
    laneHere: past?.proposal.lane ?? findQuestion(journal, thread)?.lane ?? null,
    noRunAnswer: broken === undefined ? over : 'logbook-broken',
    now,
  });
}

function isRunOfThread(thread: number): (state: RunState) => boolean {
  return ({ proposal }) => proposal.pull === thread || proposal.issue === thread;
}

function findBrokenRun({ store }: OpenLab, thread: number): BrokenRun | undefined {
  const isHere = isRunOfThread(thread);
  return store.current().broken.find((one) => one.thread === thread || (one.state !== null && isHere(one.state)));
}

async function readPermissions(
  { lab }: OpenLab,
  items: readonly PendingItem[],
): Promise<ReadonlyMap<number, Observed<Permission>>> {
  const people = new Map(sortAuthors(items).map((person) => [person.id, person]));
  const found = new Map<number, Observed<Permission>>();
  for (const person of [...people.values()].slice(0, limits.permissionsPerTriggerMax))
    found.set(person.id, await readPermission(lab.client, person));
  return found;
}
