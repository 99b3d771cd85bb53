/** Events about commands and holds. */

import * as z from 'zod';
import { SURFACES } from '../../actor.ts';
import { readFacts } from '../../incidents.ts';
import { HOLD_SCOPES, type RecordedTarget } from '../../launch/hold.ts';
import { endedAttemptWithoutSuccessor } from '../../launch/next-attempt.ts';
import {
  actorText,
  byPerson,
  code,
  type DataOf,
  defineEvents,
  type EventOf,
  moment,
  prose,
  scalarsText,
} from '../define.ts';
import { applyToHolds } from '../journal-state.ts';
import { digest, integer, scalars, text, texts } from '../parts.ts';
import { commandKey, type RunState, type SeenCommand, voidOrder } from '../run-state.ts';
import { type Acknowledgement, applyAcknowledgement } from './watch-events.ts';

const comment = { comment: integer, surface: z.enum(SURFACES), index: integer, thread: integer };

const target = {
  scope: z
    .enum(HOLD_SCOPES)
    .describe('a hold with the scope `run` is in the record of the run; others are in the journal'),
  lane: text.optional().describe('for the scopes `lane` and `date`'),
  date: text.nullable().describe('for the scope `date`, `YYYY-MM-DD`'),
};

const data = {
  'command-seen': z.object({ ...comment, name: text, args: texts, bodyDigest: digest }),
  'command-answered': z.object({ ...comment, code: text, detail: scalars }),
  held: z.object({ ...target, reason: text }),
  released: z.object(target),
};

export type CommandEventData = DataOf<typeof data>;

export const commandEvents = defineEvents(data, {
  'command-seen': {
    title: 'command received',
    meaning: 'A person posted a command. `index`: its position among the commands of the comment.',
    writers: ['control'],
    isByPerson: true,
    isInJournal: true,
    rule: (state, { data }) => (state.commands.has(commandKey(data)) ? 'a command is seen once' : null),
    apply: (state, event) => addCommand(state, { ...event.data, ...byPerson(event), answer: null }),
    describe: ({ data, actor }) => ({
      status: `${actorText(actor)} wrote ${code(`/${data.name}`)}`,
      evidence: `${data.surface} ${data.comment} on #${data.thread}`,
      decision: scalarsText(data.args) || 'no arguments',
      next: 'ferrybot answers it once',
    }),
  },
  'command-answered': {
    title: 'command answered',
    meaning: 'The answer to a command, as a `code` and its `detail`.',
    writers: ['control'],
    isInJournal: true,
    rule: (state, { data }) => checkAnswer(state.commands.get(commandKey(data))),
    apply: applyAnswer,
    describe: ({ data }) => ({
      status: `answered ${code(data.code)}`,
      evidence: `${data.surface} ${data.comment} on #${data.thread}`,
      decision: scalarsText(data.detail) || 'no details',
      next: 'the command is done',
    }),
  },
  held: {
    title: 'held',
    meaning: 'A person blocks launches.',
    writers: ['control'],
    isByPerson: true,
    isInJournal: true,
    isDecisive: true,
    apply: (state, event) => ({ ...voidOrder(state), holds: applyToHolds(state.holds, event) }),
    describe: ({ data, actor }) => ({
      status: `${holdText(data)} by ${actorText(actor)}`,
      evidence: prose(data.reason),
      decision: 'nothing is launched',
      next: 'a person lifts it',
    }),
  },
  released: {
    title: 'released',
    meaning: 'A person lifts a hold.',
    writers: ['control'],
    isByPerson: true,
    isInJournal: true,
    isDecisive: true,
    apply: (state, event) => ({ ...state, holds: applyToHolds(state.holds, event) }),
    describe: ({ data, actor }) => ({
      status: `${holdText(data)} lifted by ${actorText(actor)}`,
      decision: 'this hold blocks no launch any more',
      next: 'gates are evaluated',
    }),
  },
});

/** The rule that an answer to this command breaks, or null. */
export function checkAnswer(seen: SeenCommand | undefined): string | null {
  if (seen === undefined) return 'answered a command that was not seen';
  return seen.answer === null ? null : 'a command is answered once';
}

function addCommand(state: RunState, command: SeenCommand): RunState {
  return { ...state, commands: new Map([...state.commands, [commandKey(command), command]]) };
}

function applyAnswer(state: RunState, event: EventOf<'command-answered'>): RunState {
  const seen = state.commands.get(commandKey(event.data));
  if (seen === undefined) throw new Error('an answer without its command passed the transition check');
  const { code, detail } = event.data;
  const next = addCommand(state, { ...seen, answer: { code, detail, ...moment(event) } });
  const asked = applyRequest(state, seen, event);
  // A rollback also voids the orders before it.
  if (asked !== null) return 'rollback' in asked ? { ...voidOrder(next), ...asked } : { ...next, ...asked };
  const what = ACKNOWLEDGED_BY_ANSWER.get(code);
  return what === undefined ? next : applyAcknowledgement(next, what, { actor: seen.actor, ...moment(event) });
}

/** A person's request about the next attempt (relaunch or rollback), or null. */
function applyRequest(
  state: RunState,
  seen: SeenCommand,
  { seq, data: { code, detail } }: EventOf<'command-answered'>,
): Pick<RunState, 'relaunchRequest'> | Pick<RunState, 'rollback'> | null {
  const last = code === 'relaunch-asked' || code === 'rolled-back' ? endedAttemptWithoutSuccessor(state) : null;
  if (last === null) return null;
  const { attempt } = last.submission;
  const { actor, comment, surface, bodyDigest } = seen;
  if (code === 'relaunch-asked' && state.submission !== null && surface !== 'review-comment')
    return { relaunchRequest: { attempt, actor, comment, surface, bodyDigest, seq } };
  const back = code === 'rolled-back' ? readFacts({ step: 'integer', path: 'text?' }, detail) : null;
  if (back === null) return null;
  const checkpoint = back.path === undefined ? null : { path: back.path, step: back.step };
  return { rollback: { attempt, checkpoint, actor, seq } };
}

/** Answers that acknowledge something in the run's thread. */
const ACKNOWLEDGED_BY_ANSWER: ReadonlyMap<string, Acknowledgement> = new Map([
  ['incident-taken', 'incidents'],
  ['watch-end-taken', 'watch-end'],
  ['acknowledged', 'end'],
]);

function holdText({ scope, lane, date }: RecordedTarget): string {
  return ['hold on the', scope, date ?? '', lane === undefined ? '' : `of the lane ${lane}`]
    .filter((word) => word !== '')
    .join(' ');
}
