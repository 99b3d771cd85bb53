/** Answers commands in threads without an active run, once each, and records the answers in the journal. */

import type { Permission } from '../../domain/actor.ts';
import { toldCommands } from '../../domain/answer-key.ts';
import { limits } from '../../domain/limits.ts';
import { questionIn } from '../../domain/logbook/journal-state.ts';
import { isOver, type RunState, type SeenCommand } from '../../domain/logbook/run-state.ts';
import type { Observed } from '../../domain/observed.ts';
import { hasLabel } from '../../domain/own-pull.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after } from '../../domain/time.ts';
import { readPermission } from '../../github/permission.ts';
import { readThread } from '../../github/thread.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { decideJournal } from '../../run/decide-journal.ts';
import { contractLabels } from '../../run/own-pull.ts';
import { commandsSince, isForUs, type PendingItem, pendingItems } from '../../run/pending-commands.ts';
import { isOpenProposal } from '../../run/proposal-texts.ts';
import { publishedHeads } from '../../run/published-heads.ts';
import { concerns, isAside, isConsent, isSpokenIn } from '../../run/said-without-run.ts';
import { colleaguesFirst, quietFirst } from '../../run/untrusted.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';
import { LANE_LABEL } from '../propose/lane-issue.ts';
import { readingOf } from '../reading.ts';
import { apartFromComments, type Trouble } from '../trouble.ts';
import { recordFactsOf, type WithoutText } from './gather.ts';
import { keepIssueCard } from './issue-card.ts';
import { publishAnswersIn } from './journal-answers.ts';
import { readDescription } from './shown-facts.ts';
import type { Turn, Work } from './turn.ts';

type HeardTrigger = Extract<ReconcileRequest, { kind: 'comment' | 'thread' }>;

/** The threads that triggers name and no active run owns. A command to a run with a broken record is no command to a newer run of its thread. */
export function threadsWithoutRun({ open, triggers, troubles }: Turn): readonly Work[] {
  const { runs, broken } = open.store.current();
  if (broken.some((one) => one.run === JOURNAL)) return [];
  const heard = triggers.filter(isSaidOrSeen);
  const isOwned = (thread: number): boolean => runs.some((run) => !isOver(run) && isIn(thread)(run));
  return [...Map.groupBy(heard, ({ thread }) => thread)].flatMap(([thread, here]) =>
    isOwned(thread) && brokenIn(open, thread) === undefined
      ? []
      : {
          where: { run: JOURNAL, thread },
          reconcile: () =>
            apartFromComments(open, troubles, (withoutText) =>
              answerThread(open, { thread, heard: here, withoutText, troubles }),
            ),
        },
  );
}

/** The thread has a new slash command, or is a changed experiment issue. */
function isSaidOrSeen(trigger: ReconcileRequest): trigger is HeardTrigger {
  return (
    (trigger.kind === 'comment' && trigger.hasSlash) ||
    (trigger.kind === 'thread' && trigger.isExperiment === true)
  );
}

type ThreadLook = {
  readonly thread: number;
  readonly heard: readonly HeardTrigger[];
  readonly withoutText: WithoutText;
  readonly troubles: Trouble[];
};

/** `isOwing` if the thread could not be read or written, or a command is left. */
async function answerThread(open: OpenLab, look: ThreadLook): Promise<{ readonly isOwing: boolean }> {
  const { thread, heard } = look;
  const { lab, config } = open;
  const record = open.store.current();
  const isHere = isIn(thread);
  // After an outage, a sweep finds comments older than the usual lookback.
  const lookback = after(lab.now(), -limits.sweepLookbackMs);
  const since = heard.reduce(
    (from, trigger) =>
      trigger.kind === 'comment' && trigger.at !== undefined && trigger.at < from ? trigger.at : from,
    lookback,
  );
  const read = await readThread(lab.client, thread, readingOf(lab, config), since);
  if (read.kind === 'unknown') {
    lab.log(`thread ${thread}: ${read.why}`);
    return { isOwing: true };
  }
  const comments = look.withoutText(read.value.comments);
  // The thread may show a card of a run that the record lacks.
  for (const card of publishedHeads(comments)) await open.store.expect(card.run, card.anchor, card.thread);
  const broken = brokenIn(open, thread);
  const past = broken?.state ?? record.runs.find(isHere) ?? null;
  const isOurs = read.value.labels.includes(LANE_LABEL) || isSpokenIn(record.journal, thread);
  const answered = new Set(
    comments.flatMap(({ marker }) =>
      marker?.kind === 'answer' && marker.role === 'control' ? [marker.key] : [],
    ),
  );
  const recordedHere = past?.commands ?? new Map<string, SeenCommand>();
  const here = broken === undefined ? recordedHere : toldCommands(recordedHere, answered);
  const known = new Map([...here, ...record.journal.commands]);
  const { otherBots } = config;
  const ownedSince = record.runs.filter((run) => !isOver(run) && isHere(run)).map(commandsSince);
  const unowned = comments.filter((one) => ownedSince.every((moment) => one.createdAt < moment));
  const unasked = pendingItems(known, unowned, { since, otherBots, permissions: new Map() });
  const isAsking = contractLabels(config).some((label) => hasLabel(read.value.labels, label));
  const isHeard = isOurs || isAsking || read.value.labels.includes('experiment');
  const isSilent = past === null && broken === undefined && !isHeard;
  const { isOpenPull, isOpenIssue } = read.value;
  const actions = [...record.journal.actions, ...(past?.actions ?? [])];
  const concern = (item: PendingItem): boolean =>
    isForUs(item.said, item.comment, actions) && (!isSilent || concerns(item, { isOpenPull, isOpenIssue }));
  const mayConcern = unasked.filter((item) => item.said.kind === 'unread' || concern(item));
  if (isSilent && mayConcern.length === 0) return { isOwing: false };
  const permissions = await permissionsOf(open, mayConcern);
  const all = pendingItems(known, unowned, { since, otherBots, permissions });
  const pending = colleaguesFirst(
    all.filter(
      (item) => item.said.kind === 'unread' || (concern(item) && !(isSilent && isAside(item, permissions))),
    ),
    permissions,
  );
  if (isSilent && pending.length === 0) return { isOwing: false };
  const over = past === null ? 'no-run-here' : 'run-over';
  const otherwise = broken === undefined ? over : 'logbook-broken';
  const now = lab.now();
  const journal = record.journal.commands;
  const proposalTexts = pending.some(isConsent)
    ? await readDescription(open, record.journal.actions.filter(isOpenProposal), thread)
    : new Map();
  const facts = { permissions, proposalTexts, ...recordFactsOf(open.store.current()) };
  const drafts = decideJournal({
    items: pending,
    known,
    journal,
    facts,
    config,
    laneHere: past?.proposal.lane ?? questionIn(record.journal, thread)?.lane ?? null,
    otherwise,
    now,
  });
  // A lost race is retried at the next trigger.
  const isRecorded = async (): Promise<boolean> =>
    (await recordAsDecided(open, [{ run: JOURNAL, drafts }])).kind === 'recorded';
  if (drafts.length > 0 && !(await isRecorded())) return { isOwing: true };
  await publishAnswersIn(open, thread, comments, look.troubles);
  // An issue that asks for a run either starts one or gets the reason why not.
  const hasCard =
    read.value.isOpenIssue && read.value.labels.includes('experiment') && (!isAsking || past !== null);
  if (broken === undefined && hasCard) await keepIssueCard(open, thread, comments, past);
  const given = drafts.filter(({ type }) => type === 'command-answered').length;
  return { isOwing: given < pending.length };
}

function isIn(thread: number): (state: RunState) => boolean {
  return ({ proposal }) => proposal.pull === thread || proposal.issue === thread;
}

/** The broken run of this thread. */
function brokenIn({ store }: OpenLab, thread: number): BrokenRun | undefined {
  const isHere = isIn(thread);
  return store
    .current()
    .broken.find((one) => one.thread === thread || (one.state !== null && isHere(one.state)));
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
