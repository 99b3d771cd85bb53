/** Commands that only report: status, why and help. */

import { z } from 'zod';
import { canApprove } from '../config/approvals-schema.ts';
import { findStrayHolds } from '../config/lane-of-file.ts';
import { type Actor, permits } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import type { Facts } from '../domain/incidents.ts';
import { unholdCommand } from '../domain/launch/hold.ts';
import { canBeFixed, isBeforeLaunch, isFixEvaluated } from '../domain/launch/next-attempt.ts';
import { listOpenVerdicts } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import { listCurrentApprovals } from '../domain/logbook/run-state.ts';
import { isNotAsked, type Need, request } from '../domain/reconcile-request.ts';
import { utcDate } from '../domain/values.ts';
import { answerLaneUnclear, chooseLane } from './brakes.ts';
import {
  type AnswerDecision,
  type Answers,
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandDefinition,
  type PlaceContext,
} from './decision.ts';
import { laneWord } from './values.ts';

/** With or without slash. */
const commandWord = z.string().regex(/^\/?[a-z][a-z-]{0,30}$/, 'the name of a command');

export const status = {
  name: 'status',
  keys: { lane: { required: false, value: laneWord } },
  permission: () => null,
  // rule AG-28
  summary:
    'Shows the state of the run, its evidence and what is missing. With `lane=`, in any thread: the last runs of that lane.',
  example: '/status',
  confusedWith: ['history', 'logs'],
  decide: (context) => answerLaneHistory(context) ?? answer('status-shown'),
  decideWithoutRun,
} as const satisfies CommandDefinition;

/** Without a run, shows the lane's state. */
function decideWithoutRun(context: PlaceContext): AnswerDecision {
  const past = answerLaneHistory(context);
  if (past !== null) return past;
  const { journalHolds, recordedRuns, lanes, now } = context;
  if (journalHolds.kind === 'unknown' || recordedRuns.kind === 'unknown') return answer('logbook-broken');
  const live = recordedRuns.value.filter(isLive);
  const newest = recordedRuns.value[0];
  const stray = findStrayHolds(journalHolds.value, lanes, utcDate(now));
  return answer('lane-shown', {
    live: live.map(({ run }) => run).join(', '),
    last: newest?.run ?? '',
    issue: newest?.proposal.issue ?? 0,
    holds: journalHolds.value
      .filter(({ lane }) => lane === null || lanes.includes(lane))
      .map((hold) => unholdCommand(hold)),
    stray: stray.map((hold) => unholdCommand(hold)),
  });
}

/** The rows are rendered later from the record. */
function answerLaneHistory(context: PlaceContext): AnswerDecision | null {
  const { args, recordedRuns } = context;
  if (args['lane'] === undefined) return null;
  const meant = chooseLane(args['lane'], context);
  if (meant.kind !== 'lane') return answerLaneUnclear(meant);
  return recordedRuns.kind === 'unknown' ? answer('logbook-broken') : answer('lane-past', { lane: meant.lane });
}

export const why = {
  name: 'why',
  keys: {},
  permission: () => null,
  summary: 'Lists each gate that blocks the launch: why, what to do, and who can do it.',
  example: '/why',
  decide: decideWhy,
} as const satisfies CommandDefinition;

function decideWhy(context: CommandContext): CommandDecision {
  const { state } = context;
  if (canBeFixed(state) && !isFixEvaluated(state)) return answer('no-fix', { attempt: state.submission?.attempt ?? 1 });
  if (!isBeforeLaunch(state) || isLive(state)) return answer('why-nothing');
  if (state.stop !== null) return answer('why-stopped', { by: state.stop.actor.login });
  const unread: readonly Need[] = [...context.unread, ...(isNotAsked(context.people) ? (['people'] as const) : [])];
  if (unread.length > 0) return request(...unread);
  const { gates } = context;
  if (gates === null)
    return answer('not-now', { status: 'the launch gates cannot be read; ferrybot tries again by itself' });
  return listOpenVerdicts([...gates.verdicts, ...gates.approvals]).length === 0
    ? answer('why-nothing')
    : answer('why-told', peopleWhoCanAct(context));
}

function peopleWhoCanAct({ authors: interested, people, policy, state }: CommandContext): Facts<Answers['why-told']> {
  const all = people.kind === 'known' ? people.value : [];
  const approved = new Set(listCurrentApprovals(state).map((approval) => approval.actor.id));
  const isOwn = ({ actor }: PersonFacts): boolean => interested.some((one) => one.id === actor.id);
  const authors = interested.filter(({ login }) => !login.endsWith('[bot]'));
  const loginsOf = (fits: (person: PersonFacts) => boolean): string =>
    joinLogins(all.filter(fits).map(({ actor }) => actor));
  const may = (one: PersonFacts): boolean => canApprove(one.permission, one.actor.id, policy.approvals);
  const mayOwn = policy.approvals.onePersonIsEnough;
  return {
    author: authors.length > 0 ? joinLogins(authors) : loginsOf((one) => permits(one.permission, 'write')),
    maintainer: loginsOf((one) => permits(one.permission, 'maintain')),
    approver: loginsOf((one) => may(one) && (mayOwn || !isOwn(one)) && !approved.has(one.actor.id)),
    excluded: loginsOf((one) => may(one) && !mayOwn && isOwn(one)),
  };
}

function joinLogins(people: readonly Actor[]): string {
  const names = [...new Set(people.map(({ login }) => login))].toSorted();
  return names.slice(0, limits.shownNamesMax).join(', ');
}

export const help = {
  name: 'help',
  positional: { name: 'command', required: false, value: commandWord },
  keys: {},
  permission: () => null,
  summary: 'Lists the commands, or explains one.',
  example: '/help approve-launch',
  decide: decideHelp,
  decideWithoutRun: decideHelp,
} as const satisfies CommandDefinition;

function decideHelp({ args }: PlaceContext): AnswerDecision {
  return answer('help-shown', { command: (args['command'] ?? '').replace(/^\//, '') });
}
