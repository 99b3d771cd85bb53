/** Answers commands in threads without an active run, once each, and records the answers in the journal. */

import { hasLabel, type Permission } from '../../domain/actor.ts';
import type { CommentFacts, RunFacts } from '../../domain/facts.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/define.ts';
import { questionIn } from '../../domain/logbook/journal-state.ts';
import { isOver, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { answersByKey, markerIdentity, toldCommands } from '../../domain/marker.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after, dateOf, fromRfc3339, type Instant, type Observed } from '../../domain/values.ts';
import { readPermission } from '../../github/settings.ts';
import { readThread, type Thread } from '../../github/threads.ts';
import { recordAsDecided } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { renderJournalAnswer } from '../../render/answer.ts';
import { ISSUE_CARD_KEY, renderIssueCard } from '../../render/issues.ts';
import { concerns, decideJournal, isAside, isConsent, isSpokenIn } from '../../run/decide-journal.ts';
import { pastOf } from '../../run/lane.ts';
import {
  colleaguesFirst,
  commandsSince,
  isForUs,
  type PendingItem,
  pendingItems,
  quietFirst,
} from '../../run/pending-commands.ts';
import { isOpenProposal } from '../../run/proposal-texts.ts';
import { contractLabels } from '../../run/proposals.ts';
import {
  answersOf,
  isShared,
  mayPost,
  type OwedComment,
  publishedHeads,
  standingComment,
} from '../../run/publications.ts';
import type { BrokenRun } from '../broken-run.ts';
import { readingOf } from '../markers.ts';
import type { OpenLab } from '../open-lab.ts';
import { isPosted, say, sayAmong } from '../outbox.ts';
import { LANE_LABEL } from '../propose/propose.ts';
import type { Record } from '../record-files.ts';
import { apartFromComments, contained, inComment, type Trouble } from '../trouble.ts';
import { recordFactsOf, type WithoutText } from './gather.ts';
import { readDescription } from './shown-facts.ts';
import type { Turn, Work } from './turn.ts';

/** `past`: the thread's ended run. If `comments` do not contain the card, reads the whole thread. */
async function keepIssueCard(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  past: RunState | null,
): Promise<void> {
  const { lab, config, store } = open;
  const today = dateOf(lab.now());
  const body = renderIssueCard({ config, past, today, ...recordFactsOf(store.current()) });
  const marker = markerIdentity({ run: 'journal', kind: 'card', key: ISSUE_CARD_KEY });
  const owed = { thread, marker, body, isKept: true } as const;
  const said = standingComment(comments, owed) === null ? await say(open, owed) : await sayAmong(open, owed, comments);
  if (said.kind === 'unsaid') lab.log(`the card of thread ${thread}: ${said.why}`);
}

/** Posts answers that this process has not seen in their threads. A new process reads each thread with an answer of the last day once. */
export async function publishAnswers(open: OpenLab, troubles: Trouble[]): Promise<void> {
  const now = open.lab.now();
  const owed = owedAnswers(open, limits.overLookMs).filter((one) => !isPosted(open, one));
  const threads = [...new Set(owed.map(({ thread }) => thread))].toReversed();
  for (const thread of threads.slice(0, limits.journalThreadsPerTriggerMax)) {
    await contained(open, troubles, { run: JOURNAL, thread }, async () => {
      const since = after(now, -limits.sweepLookbackMs);
      const read = await readThread(open.lab.client, thread, readingOf(open.lab, open.config), since);
      if (read.kind === 'known') await publishAnswersIn(open, thread, read.value.comments, troubles);
      else open.lab.log(`thread ${thread}: ${read.why}`);
    });
  }
}

/** Posts the journal's answers that are missing in this thread. Failures are retried at the next sweep. */
async function publishAnswersIn(
  open: OpenLab,
  thread: number,
  comments: readonly CommentFacts[],
  troubles: Trouble[],
): Promise<void> {
  const { journal } = open.store.current();
  const { recordedRuns } = recordFactsOf(open.store.current());
  const byKey = answersByKey(journal.commands.values());
  for (const owed of owedAnswers(open, limits.sweepLookbackMs)) {
    const commands = byKey.get(owed.key) ?? [];
    const [first] = commands;
    if (owed.thread !== thread || first === undefined) continue;
    const where = inComment(open, thread, { surface: first.surface, id: first.comment });
    await contained(open, troubles, where, () => {
      const body = renderJournalAnswer(owed.key, commands, pastOf(recordedRuns, open.config.lanes));
      return sayAmong(open, { ...owed, body }, comments);
    });
  }
}

/** Answers up to this age that this process may post. */
function owedAnswers(
  { lab, store }: OpenLab,
  ageMs: number,
): readonly (Omit<OwedComment, 'body'> & { readonly key: string })[] {
  const now = lab.now();
  const poster = { appended: store.appended(JOURNAL) };
  return answersOf(store.current().journal.commands)
    .filter((one) => now - (fromRfc3339(one.at) ?? 0) < ageMs && mayPost(one, poster, now))
    .map((one) => ({
      key: one.key,
      thread: one.thread,
      marker: markerIdentity({ run: 'journal', kind: 'answer', key: one.key }),
      isOursAlone: !isShared(one, poster, now),
    }));
}

type HeardTrigger = Extract<ReconcileRequest, { kind: 'comment' | 'thread' }>;

/**
 * Threads with a new slash command, and changed experiment issues, that no active run owns. A command for a run with a broken record does
 * not go to a newer run in the thread.
 */
export function threadsWithoutRun({ open, triggers, troubles }: Turn): readonly Work[] {
  const { runs, broken } = open.store.current();
  if (broken.some((one) => one.run === JOURNAL)) return [];
  const owned = new Set<number>();
  for (const run of runs) if (!isOver(run)) owned.add(run.proposal.pull).add(run.proposal.issue);
  const heard = new Map<number, HeardTrigger[]>();
  for (const one of triggers) {
    const isHeard = (one.kind === 'comment' && one.hasSlash) || (one.kind === 'thread' && one.isExperiment === true);
    if (!isHeard || (owned.has(one.thread) && brokenIn(open, one.thread) === undefined)) continue;
    heard.set(one.thread, [...(heard.get(one.thread) ?? []), one]);
  }
  return [...heard].map(([thread, here]) => ({
    where: { run: JOURNAL, thread },
    reconcile: () =>
      apartFromComments(open, troubles, (withoutText) =>
        answerThread(open, { thread, heard: here, withoutText, troubles }),
      ),
  }));
}

type ThreadLook = {
  readonly thread: number;
  readonly heard: readonly HeardTrigger[];
  readonly withoutText: WithoutText;
  readonly troubles: Trouble[];
};

/** A thread and its record. `past`: its broken or ended run. `known`: commands of any record. `isAsking`: a label requests a run. */
type ThreadHere = Thread & {
  readonly thread: number;
  readonly since: Instant;
  readonly record: Record;
  readonly broken: BrokenRun | undefined;
  readonly past: RunState | null;
  readonly known: ReadonlyMap<string, SeenCommand>;
  readonly isAsking: boolean;
};

/** `isOwing`: the thread could not be read or written, or a command is still unanswered. */
async function answerThread(open: OpenLab, look: ThreadLook): Promise<{ readonly isOwing: boolean }> {
  const here = await readHere(open, look);
  if (here === null) return { isOwing: true };
  const pending = await pendingHere(open, here);
  if (pending === null) return { isOwing: false };
  const drafts = await decideHere(open, here, pending);
  // After a lost race, the next trigger retries.
  const isRecorded = async (): Promise<boolean> =>
    (await recordAsDecided(open, [{ run: JOURNAL, drafts }])).kind === 'recorded';
  if (drafts.length > 0 && !(await isRecorded())) return { isOwing: true };
  const { thread, comments, past } = here;
  await publishAnswersIn(open, thread, comments, look.troubles);
  // An issue that requests a run either starts one or gets the reason for the refusal, so it needs no card.
  const hasCard = here.isOpenIssue && here.labels.includes('experiment') && (!here.isAsking || past !== null);
  const given = drafts.filter(({ type }) => type === 'command-answered').length;
  const isOwing = given < pending.items.length;
  // A pending command may start a run here, which has its own card.
  if (here.broken === undefined && hasCard && !isOwing) await keepIssueCard(open, thread, comments, past);
  return { isOwing };
}

/** Null if the thread cannot be read. */
async function readHere(open: OpenLab, look: ThreadLook): Promise<ThreadHere | null> {
  const { thread, heard } = look;
  const { lab, config, store } = open;
  const record = store.current();
  // After an outage, a sweep finds comments that are older than the usual lookback.
  const lookback = after(lab.now(), -limits.sweepLookbackMs);
  const since = heard.reduce(
    (from, trigger) =>
      trigger.kind === 'comment' && trigger.at !== undefined && trigger.at < from ? trigger.at : from,
    lookback,
  );
  const read = await readThread(lab.client, thread, readingOf(lab, config), since);
  if (read.kind === 'unknown') {
    lab.log(`thread ${thread}: ${read.why}`);
    return null;
  }
  const comments = look.withoutText(read.value.comments);
  // The thread may contain a card of a run that the record lacks.
  for (const card of publishedHeads(comments)) await store.expect(card.run, card.anchor, card.thread);
  const broken = brokenIn(open, thread);
  const past = broken?.state ?? record.runs.find(isIn(thread)) ?? null;
  const answered = new Set(
    comments.flatMap(({ marker }) => (marker?.kind === 'answer' && marker.role === 'control' ? [marker.key] : [])),
  );
  const recordedHere = past?.commands ?? new Map<string, SeenCommand>();
  const here = broken === undefined ? recordedHere : toldCommands(recordedHere, answered);
  const known = new Map([...here, ...record.journal.commands]);
  const isAsking = contractLabels(config).some((label) => hasLabel(read.value.labels, label));
  return { ...read.value, comments, thread, since, record, broken, past, known, isAsking };
}

type Pending = { readonly items: readonly PendingItem[]; readonly permissions: RunFacts['permissions'] };

/** The unanswered commands. Null if ferrybot stays silent in the thread. */
async function pendingHere(open: OpenLab, here: ThreadHere): Promise<Pending | null> {
  const { thread, since, record, broken, past, known, labels } = here;
  const { otherBots } = open.config;
  const ownedSince = record.runs.filter((run) => !isOver(run) && isIn(thread)(run)).map(commandsSince);
  const unowned = here.comments.filter((one) => ownedSince.every((moment) => one.createdAt < moment));
  const unasked = pendingItems(known, unowned, { since, otherBots, permissions: new Map() });
  const isOurs = labels.includes(LANE_LABEL) || isSpokenIn(record.journal, thread);
  const isHeard = isOurs || here.isAsking || labels.includes('experiment');
  const isSilent = past === null && broken === undefined && !isHeard;
  const actions = [...record.journal.actions, ...(past?.actions ?? [])];
  const concern = (item: PendingItem): boolean =>
    isForUs(item.said, item.comment, actions) && (!isSilent || concerns(item, here));
  const mayConcern = unasked.filter((item) => item.said.kind === 'unread' || concern(item));
  if (isSilent && mayConcern.length === 0) return null;
  const permissions = await permissionsOf(open, mayConcern);
  const all = pendingItems(known, unowned, { since, otherBots, permissions });
  const items = colleaguesFirst(
    all.filter((item) => item.said.kind === 'unread' || (concern(item) && !(isSilent && isAside(item, permissions)))),
    permissions,
  );
  return isSilent && items.length === 0 ? null : { items, permissions };
}

/** The answers to the commands. */
async function decideHere(
  open: OpenLab,
  { thread, record: { journal }, broken, past, known }: ThreadHere,
  { items, permissions }: Pending,
): Promise<readonly EventDraft[]> {
  const over = past === null ? 'no-run-here' : 'run-over';
  const now = open.lab.now();
  const proposalTexts = items.some(isConsent)
    ? await readDescription(open, journal.actions.filter(isOpenProposal), thread)
    : new Map();
  return decideJournal({
    items,
    known,
    journal: journal.commands,
    facts: { permissions, proposalTexts, ...recordFactsOf(open.store.current()) },
    config: open.config,
    laneHere: past?.proposal.lane ?? questionIn(journal, thread)?.lane ?? null,
    otherwise: broken === undefined ? over : 'logbook-broken',
    now,
  });
}

function isIn(thread: number): (state: RunState) => boolean {
  return ({ proposal }) => proposal.pull === thread || proposal.issue === thread;
}

/** The broken run that this thread belongs to. */
function brokenIn({ store }: OpenLab, thread: number): BrokenRun | undefined {
  const isHere = isIn(thread);
  return store.current().broken.find((one) => one.thread === thread || (one.state !== null && isHere(one.state)));
}

async function permissionsOf(
  { lab }: OpenLab,
  items: readonly PendingItem[],
): Promise<ReadonlyMap<number, Observed<Permission>>> {
  const people = new Map(quietFirst(items).map((person) => [person.id, person]));
  const found = new Map<number, Observed<Permission>>();
  for (const person of [...people.values()].slice(0, limits.permissionsPerTriggerMax))
    found.set(person.id, await readPermission(lab.client, person));
  return found;
}
