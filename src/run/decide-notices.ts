/** Reminders about undecided runs, each recorded once, and the automatic close without a decision. */

import { idsOf } from '../config/approvals-schema.ts';
import { listClaimedActions } from '../domain/actions/action.ts';
import { permits } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import { type Incident, type IncidentCode, incidentDraft, QUIET_INCIDENTS, readIncident } from '../domain/incidents.ts';
import { contractDri, isSameLogin } from '../domain/launch/contract.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/define.ts';
import { awaitsAdoptionUntil } from '../domain/logbook/holdings.ts';
import { isBilled } from '../domain/logbook/job-state.ts';
import { findAcceptedDri, findOwner, findUnacknowledgedWatchEnd, openOffer } from '../domain/logbook/ownership.ts';
import {
  type Ending,
  isNotified,
  isOver,
  listPages,
  listUndelivered,
  type Notice,
  type RunState,
} from '../domain/logbook/run-state.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import { addDays, addMs, fromRfc3339, type Instant, toRfc3339, utcDate, utcTime, weekdayOf } from '../domain/values.ts';
import { explainNotConfirmed } from '../render/propose-words.ts';
import type { ClosingCommand } from './decide-closure.ts';
import { isWaitOpen } from './decide-waits.ts';
import type { LaneScopedConfig } from './lane.ts';
import { listPublications, mayAnyonePost } from './publications.ts';
import { append, type Step } from './step.ts';

/** Daily workflows start at varying times; a reminder shortly before their own notice adds nothing. */
const DAILY_NOTICE_SLACK_MS = 6 * 60 * 60 * 1_000;

const HOUR_MS = 3_600_000;

/** The notice in the run that blocks its lane on this day; null if it is that day's run or people were notified. */
export function blockedNotice(blocking: RunState, config: LaneScopedConfig, date: string): EventDraft | null {
  const data = { reason: 'lane-blocked', about: date, ...chooseAudience(blocking, config) } as const;
  // A closed run that still holds something accepts no entries; its holdings end by themselves.
  if (blocking.proposal.date >= date || isOver(blocking) || isNotified(blocking, data)) return null;
  return { type: 'notified', role: 'control', data };
}

/** The occasion of a reminder: the entry that started it, the news since, and the audience of the next reminder. */
type ReminderOccasion = {
  readonly reason: 'undecided' | 'watch-ended' | 'job-unconfirmed' | 'update';
  readonly since: { readonly seq: number; readonly at: string };
  /** Null if the lane sends no reminders. */
  readonly everyHours: number | null;
  /** The newest related news; default: the newest reminder. */
  readonly lastNewsAt?: string;
  readonly slackMs?: number;
  readonly audience: Audience;
};

type Audience = Pick<EventDataByType['notified'], 'people' | 'permission'>;

/** The next reminder about an occasion, numbered; null while it is not due. */
function buildReminder({ notices }: RunState, occasion: ReminderOccasion, now: Instant): EventDraft | null {
  const { reason, since, everyHours, lastNewsAt, slackMs = 0, audience } = occasion;
  if (everyHours === null) return null;
  const told = notices.filter((one) => one.reason === reason && one.seq > since.seq);
  const last = fromRfc3339(lastNewsAt ?? (told.at(-1) ?? since).at) ?? now;
  // rule HR-26
  if (now - last < everyHours * HOUR_MS + slackMs) return null;
  return { type: 'notified', role: 'control', data: { reason, about: `${since.seq}-${told.length + 1}`, ...audience } };
}

/** The due reminder about what waits for a person: a job to confirm, an end without a decision, an ended watch, an issue without news. */
export function decideReminder(state: RunState, config: LaneScopedConfig, now: Instant): EventDraft | null {
  const occasion = findOccasion(state, config, now);
  return occasion === null ? null : buildReminder(state, occasion, now);
}

function findOccasion(state: RunState, config: LaneScopedConfig, now: Instant): ReminderOccasion | null {
  const { lane, permissions, approvals } = config;
  const { everyHours } = lane.reminders;
  const { description, watch, submission } = state;
  const end = findUndecidedEnd(state);
  if (awaitsAdoptionUntil(state, lane.reminders.closeAfterHours) !== null) {
    if (description?.found !== 'described') return null;
    // Remind only once: the description has already notified the requester.
    const data = { reason: 'job-unconfirmed', about: `${description.seq}-1` } as const;
    const audience = { permission: permissions.adopt ?? approvals.permission };
    return isNotified(state, data) ? null : { reason: data.reason, since: description, everyHours, audience };
  }
  if (end !== null) {
    if (closeUnsealed(state, config, now) !== null) return null;
    const last = listNoticesSince(state, end).at(-1);
    const isOfLane = last?.reason === 'lane-blocked' && (everyHours ?? 0) >= 24;
    return {
      ...{ reason: 'undecided', since: end, everyHours, lastNewsAt: (last ?? end).at },
      ...{ slackMs: isOfLane ? DAILY_NOTICE_SLACK_MS : 0, audience: chooseAudience(state, config) },
    };
  }
  const ended = findUnacknowledgedWatchEnd(state);
  if (ended !== null && state.end === null) {
    const owner = findOwner(state);
    const isFirst = listNoticesSince(state, ended).every(({ reason }) => reason !== 'watch-ended');
    const audience = owner !== null && isFirst ? { people: [owner.id] } : { permission: permissions.ack };
    return { reason: 'watch-ended', since: ended, everyHours, audience };
  }
  if (lane.updateHours === null || submission === null || state.end !== null) return null;
  if (watch.ended !== null || isOver(state)) return null;
  return {
    ...{ reason: 'update', since: submission, everyHours: lane.updateHours },
    ...{ lastNewsAt: isIssueMentioned(state) ?? submission.at, audience: {} },
  };
}

/** When the issue had its last news; answers to commands do not count. */
function isIssueMentioned(state: RunState): string | undefined {
  const { issue } = state.proposal;
  const news = listPublications(state).filter(({ kind, thread }) => kind !== 'answer' && thread === issue);
  return news
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
}

/** The automatic close after the lane's time limit; null before it, or without a limit. */
export function closeUnsealed(state: RunState, config: LaneScopedConfig, now: Instant): ClosingCommand | null {
  const at = closingTime(state, config);
  const { closeAfterHours } = config.lane.reminders;
  if (at === null || now < at) return null;
  const reason = `nobody sealed or closed it within ${closeAfterHours} h of its end`;
  return { decision: { kind: 'close', outcome: 'unsealed', reason }, staged: null };
}

function closingTime(state: RunState, config: LaneScopedConfig): Instant | null {
  const end = findUndecidedEnd(state);
  const { closeAfterHours } = config.lane.reminders;
  const endedAt = end === null ? null : fromRfc3339(end.at);
  return endedAt === null || closeAfterHours === null ? null : addMs(endedAt, closeAfterHours * HOUR_MS);
}

/** The end that needs a decision; null while the run still holds something. */
function findUndecidedEnd(state: RunState): Ending | null {
  return isOver(state) || isBilled(state) || listClaimedActions(state.actions).length > 0 ? null : state.end;
}

function listNoticesSince({ notices }: RunState, since: { readonly seq: number }): readonly Notice[] {
  return notices.filter(({ seq }) => seq > since.seq);
}

/** The first notice goes to the approvers and the requester, later ones to everyone who may decide. */
function chooseAudience(state: RunState, config: LaneScopedConfig): Audience {
  const end = findUndecidedEnd(state);
  if (end === null || config.lane.reminders.everyHours === null) return {};
  const { order, proposal } = state;
  const approvers = order?.order.approvals.map(({ user }) => user) ?? [];
  const named = [...new Set([...approvers, ...(proposal.requestedBy === null ? [] : [proposal.requestedBy.id])])];
  if (named.length > 0 && listNoticesSince(state, end).length === 0) return { people: named };
  return { permission: config.permissions[end.status === 'FAILED' ? 'ack' : 'seal'] };
}

/** The due close of an adoption that no person confirmed, or null. */
export function closeUnconfirmed(state: RunState, { lane }: LaneScopedConfig, now: Instant): EventDraft | null {
  const { closeAfterHours } = lane.reminders;
  const until = awaitsAdoptionUntil(state, closeAfterHours);
  return until === null || now < until ? null : buildWithdrawal(explainNotConfirmed(state, closeAfterHours));
}

/** The end of a run that was given up before a launch. */
export function buildWithdrawal(reason: string): EventDraft {
  return { type: 'closed', role: 'control', data: { outcome: 'withdrawn', reason, closurePull: null } };
}

/** Reports an offer of the watch that expired: the owner keeps the watch, and the people on call are notified. */
export function decideOffer(state: RunState, now: Instant): Step | null {
  const { watch, submission, end } = state;
  const { offer } = watch;
  if (submission === null || end !== null || watch.ended !== null) return null;
  if (offer?.state !== 'offered' || openOffer(state, now) !== null) return null;
  const owner = findOwner(state)?.login;
  const { to, until } = offer;
  return append(
    { type: 'handoff', role: 'control', data: { state: 'expired', to, until } },
    incidentDraft('control', 'handoff-unanswered', {
      login: to.login,
      until,
      ...(owner === undefined ? {} : { owner }),
    }),
  );
}

/**
 * Asks the contract's DRI once before the launch. Mentions the account only if that person has a role here; otherwise the text names the
 * login.
 */
export function decideChargeRequest(
  state: RunState,
  { people }: RunFacts,
  { permissions }: LaneScopedConfig,
): Step | null {
  const dri = findLoginToAsk(state);
  if (dri === null) return null;
  if (isNotAsked(people)) return request('people');
  if (people.kind === 'unknown') return null;
  const person = people.value.find(({ actor }) => isSameLogin(actor.login, dri));
  const may = person !== undefined && permits(person.permission, permissions.watch);
  const mentioned = may ? { people: [person.actor.id] } : {};
  return append({ type: 'notified', role: 'control', data: { reason: 'dri-asked', about: dri, ...mentioned } });
}

/** The DRI to ask, or null if none is left to ask. */
function findLoginToAsk(state: RunState): string | null {
  const { contract, proposal, submission, attempts, watch } = state;
  const dri = contractDri(contract);
  if (dri === null || submission !== null || attempts.length > 0) return null;
  if (isSameLogin(dri, proposal.author.login)) return null;
  if (watch.owner !== null && isSameLogin(dri, watch.owner.login)) return null;
  return isNotified(state, { reason: 'dri-asked', about: dri }) ? null : dri;
}

/** Interval between mentions of people on call while a wait is open. */
const WAIT_MENTION_MS = 60 * 60 * 1_000;

/** Urgent: a job may run unwatched, or the record is in doubt. Other incidents wait for the end of quiet hours. */
const URGENT: readonly IncidentCode[] = [
  ...(['submit-conflict', 'submit-unknown', 'engine-state-lost', 'engine-unreadable'] as const),
  ...(['stop-unconfirmed', 'failure-signature', 'run-degraded', 'run-alarm', 'monitor-stale'] as const),
  ...(['cluster-missing', 'logbook-broken', 'machine-still-there', 'account-unreadable'] as const),
  'balance-short',
];

/** Maximum age at the first notice, so that incidents survive a night of quiet hours. */
const PAGE_AGE_MAX_MS = 24 * 60 * 60 * 1_000;

/** Due pages for recorded incidents. */
export function decidePages(state: RunState, config: LaneScopedConfig, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return state.incidents
    .flatMap((incident) => listDuePages(state, config, incident, now))
    .map((data) => ({ type: 'notified', role: 'control', data }));
}

/** Pages for incidents among these drafts, pushed together with them after the entry `state.head`. */
export function buildPages(
  state: RunState,
  drafts: readonly EventDraft[],
  config: LaneScopedConfig,
  now: Instant,
): readonly EventDraft[] {
  return drafts.flatMap((draft, index) => {
    if (draft.type !== 'incident') return [];
    const written = { role: draft.role, at: toRfc3339(now), seq: state.head.seq + 1 + index };
    const due = listDuePages(state, config, readIncident(draft.data, written), now);
    return due.map((data): EventDraft => ({ type: 'notified', role: draft.role, data }));
  });
}

function listDuePages(
  state: RunState,
  config: LaneScopedConfig,
  incident: Incident,
  now: Instant,
): readonly EventDataByType['notified'][] {
  // An incident from another version of ferrybot counts as urgent.
  const { code } = incident;
  if (code !== null && (QUIET_INCIDENTS.includes(code) || (!URGENT.includes(code) && isQuietHour(config, now))))
    return [];
  if (!isPageDue(state, config, incident, now)) return [];
  // rule HR-30
  const own = [state.watch.owner, findAcceptedDri(state)].flatMap((one) => (one === null ? [] : [one.id]));
  const people = [...new Set([...own, ...listPeopleOnCall(config, now)])];
  if (people.length === 0 && Object.keys(config.onCall.channels).length === 0) return [];
  const about = `${incident.seq}-${listPages(state, incident.seq).length + 1}`;
  const channels = Object.keys(config.onCall.channels);
  // rule HR-05
  const data = { reason: 'incident', about, people, ...(channels.length === 0 ? {} : { channels }) } as const;
  return [data];
}

function isPageDue(
  state: RunState,
  { onCall: { againAfterMinutes } }: LaneScopedConfig,
  incident: Incident,
  now: Instant,
): boolean {
  const { taken } = state;
  if (taken !== null && taken.seq > incident.seq) return false;
  const told = listPages(state, incident.seq);
  const [first, again] = told;
  const last = told.at(-1);
  if (last !== undefined && isWaitOpen(state, incident, now))
    return now - (fromRfc3339(last.at) ?? now) >= WAIT_MENTION_MS;
  // An incident older than the on-call schedule is not reported.
  if (first === undefined) return now - (fromRfc3339(incident.at) ?? 0) < PAGE_AGE_MAX_MS;
  if (again !== undefined || againAfterMinutes === null) return false;
  return now - (fromRfc3339(first.at) ?? now) >= againAfterMinutes * 60_000;
}

/** User ids of the lane's maintainers and the people on call. */
export function listPeopleOnCall({ lane, onCall }: LaneScopedConfig, now: Instant): readonly number[] {
  const onShift = onCall.shifts.filter((shift) => isShiftActive(shift, now)).flatMap(({ users }) => users);
  return idsOf([...lane.inCharge, ...onShift]);
}

/** During quiet hours, only urgent incidents may mention people. */
export function isQuietHour({ onCall: { quietHours } }: LaneScopedConfig, now: Instant): boolean {
  return quietHours !== null && findShiftStart(quietHours, now) !== null;
}

function isShiftActive(
  { days, from, until, since, through }: LaneScopedConfig['onCall']['shifts'][number],
  now: Instant,
): boolean {
  const day = findShiftStart({ from, until }, now);
  if (day === null || !days.includes(weekdayOf(day))) return false;
  return (since === null || day >= since) && (through === null || day <= through);
}

/** The day on which the current period started; null outside the period. */
function findShiftStart(
  { from, until }: { readonly from: string; readonly until: string },
  now: Instant,
): string | null {
  const today = utcDate(now);
  const time = utcTime(now);
  if (from < until) return from <= time && time < until ? today : null;
  if (time >= from) return today;
  return time < until ? addDays(today, -1) : null;
}

/** Records a delivery as unknown if its sender died. The message may have arrived, so it is not sent again. */
export function listLostDeliveries(state: RunState, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return listUndelivered(state)
    .filter(({ at }) => mayAnyonePost(at, now))
    .map(({ seq, channel }) => ({
      type: 'delivered',
      role: 'control',
      data: { notice: seq, channel, outcome: 'unknown', why: 'whoever was to send it did not say what came of it' },
    }));
}
