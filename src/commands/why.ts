/** `/why`: the gates that block a launch, and who can fix them. */

import { mayApprove } from '../config/approvers.ts';
import { type Actor, permits } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { isBeforeLaunch, isFixGated, mayBeFixed } from '../domain/launch/next-attempt.ts';
import type { RemedyActor } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import { standingApprovals } from '../domain/logbook/run-state.ts';
import { isNotAsked, type Need, need } from '../domain/need.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';

const answerWhy = answering({
  'why-told': {
    count: 'integer',
    gate: 'list',
    code: 'list',
    /** JSON. */
    found: 'list',
    by: 'list',
    who: 'list',
  },
  'why-nothing': {},
  'why-stopped': { by: 'text' },
});

export const why = {
  name: 'why',
  answers: answerWhy.vocabulary,
  keys: {},
  who: () => null,
  summary: 'Lists each gate that keeps the run from launching: why, what to do, and who can do it.',
  example: '/why',
  decide: decideWhy,
} as const satisfies CommandDefinition;

function decideWhy(context: CommandContext): CommandDecision {
  const { state } = context;
  if (mayBeFixed(state) && !isFixGated(state))
    return answerWhy('no-fix', { attempt: state.submission?.attempt ?? 1 });
  if (!isBeforeLaunch(state) || isLive(state)) return answerWhy('why-nothing');
  if (state.stop !== null) return answerWhy('why-stopped', { by: state.stop.actor.login });
  const unread: readonly Need[] = [
    ...context.unread,
    ...(isNotAsked(context.people) ? (['people'] as const) : []),
  ];
  if (unread.length > 0) return need(...unread);
  const { gates } = context;
  if (gates === null)
    return answerWhy('not-now', {
      status: 'the launch gates cannot be read; ferrybot tries again by itself',
    });
  const open = [...gates.verdicts, ...gates.approvals].filter(
    ({ outcome }) => outcome === 'fail' || outcome === 'unknown',
  );
  if (open.length === 0) return answerWhy('why-nothing');
  const shown = open.slice(0, limits.shownRowsMax);
  return answerWhy('why-told', {
    count: open.length,
    gate: shown.map(({ gate }) => gate),
    code: shown.map((verdict) => verdict.code),
    found: shown.map(({ found }) => JSON.stringify(found)),
    by: shown.map(({ remedyBy }) => remedyBy),
    who: shown.map(({ remedyBy }) => namesFor(remedyBy, context).slice(0, limits.shownNamesMax).join(', ')),
  });
}

/** Logins of people who can act; empty if only time helps. */
function namesFor(by: RemedyActor, context: CommandContext): readonly string[] {
  const { interested, policy, state } = context;
  const people = context.people.kind === 'known' ? context.people.value : [];
  const approved = new Set(standingApprovals(state).map((approval) => approval.actor.id));
  const isOwn = ({ actor }: PersonFacts): boolean => interested.some((one) => one.id === actor.id);
  switch (by) {
    case 'author': {
      const authors = interested.filter(({ login }) => !login.endsWith('[bot]'));
      return logins(authors.length > 0 ? authors : those(people, (one) => permits(one.permission, 'write')));
    }
    case 'maintainer':
    case 'lab':
      return logins(those(people, (one) => permits(one.permission, 'maintain')));
    case 'approver':
      return logins(
        those(
          people,
          (one) =>
            mayApprove(one.permission, one.actor.id, policy.approvals) &&
            (policy.approvals.onePersonIsEnough || !isOwn(one)) &&
            !approved.has(one.actor.id),
        ),
      );
    default:
      return [];
  }
}

function those(people: readonly PersonFacts[], may: (person: PersonFacts) => boolean): readonly Actor[] {
  return people.filter(may).map(({ actor }) => actor);
}

function logins(people: readonly Actor[]): readonly string[] {
  return [...new Set(people.map(({ login }) => login))].toSorted();
}
