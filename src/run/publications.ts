/** Comments that the record requires, derived and never stored. */

import { answersByKey, isQuiet } from '../domain/answer-key.ts';
import type { Summons } from '../domain/effect.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import { inChargeByContract, ownerOf } from '../domain/logbook/ownership.ts';
import type { Role } from '../domain/logbook/parts.ts';
import type { RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import type { RunCommentKind } from '../domain/marker.ts';
import type { AttemptCache } from './step.ts';

/** `seq`: the newest event that it reports; `at`: that event's time. */
export type Publication = {
  readonly kind: RunCommentKind;
  readonly key: string;
  readonly thread: number;
  readonly seq: number;
  readonly at: string;
  /** The event's author, who publishes it first. */
  readonly role: Role;
  /** Default: no mentions. */
  readonly summons?: Summons;
};

/** All comments of a run, answers and incidents first. Progress is only on the card. */
export function publicationsOf(state: RunState): readonly Publication[] {
  return [
    ...answersOf(state.commands),
    ...incidentsOf(state),
    ...dropsOf(state),
    ...actionsOf(state),
    ...noticesOf(state),
    ...milestonesOf(state),
  ];
}

/** Whether this process publishes the newest event for another role. */
export function isHeadOurs(state: RunState, { speaksFor }: Pick<AttemptCache, 'speaksFor'>): boolean {
  return publicationsOf(state).some(
    ({ seq, role }) => seq === state.head.seq && speaksFor?.includes(role) === true,
  );
}

/** One answer per comment once all its commands are answered, plus one if an edit added a command. */
export function answersOf(all: RunState['commands']): readonly Publication[] {
  return [...answersByKey(all.values())].flatMap(([key, commands]) => {
    const loud = commands.flatMap((one) => (one.answer === null || isQuiet(one) ? [] : [one.answer]));
    const last = loud.toSorted((a, b) => b.seq - a.seq)[0];
    const thread = commands[0]?.thread;
    if (commands.some(({ answer }) => answer === null) || last === undefined || thread === undefined)
      return [];
    const told = { kind: 'answer', key, thread, seq: last.seq, at: last.at, role: 'control' } as const;
    const people = commands.flatMap(askedPerson);
    return [people.length === 0 ? told : { ...told, summons: { people, permission: null } }];
  });
}

/** The person to whom the command made an offer. */
function askedPerson({ answer }: SeenCommand): readonly number[] {
  const to = answer?.code === 'handoff-offered' ? answer.detail['to'] : undefined;
  return typeof to === 'number' ? [to] : [];
}

function incidentsOf(state: RunState): readonly Publication[] {
  const thread = state.proposal.issue;
  return state.incidents.map(({ seq, at, role }) => ({
    kind: 'incident',
    key: String(seq),
    thread,
    seq,
    at,
    role,
  }));
}

function dropsOf(state: RunState): readonly Publication[] {
  return state.drops.map(({ seq, at }) => ({
    kind: 'drop',
    key: String(seq),
    thread: state.proposal.pull,
    seq,
    at,
    role: 'control',
  }));
}

/** The proposal, a consent by config, and the end; a person's consent has its own answer. */
function actionsOf({ actions }: RunState): readonly Publication[] {
  return actions.flatMap(({ proposal, at, seq, approvals: consents, ended }) => {
    const byConfig = consents.filter(({ source }) => source.kind === 'config');
    const moments = [
      { at, seq, role: proposal.change.kind === 'delete-checkpoint' ? 'control' : 'watch' },
      ...byConfig.map((one) => ({ at: one.at, seq: one.seq, role: 'control' }) as const),
      ...(ended === null ? [] : [{ at: ended.at, seq: ended.seq, role: 'runner' } as const]),
    ] as const;
    return moments.map((moment) => ({
      kind: 'action' as const,
      key: String(moment.seq),
      thread: proposal.thread,
      ...moment,
    }));
  });
}

function noticesOf(state: RunState): readonly Publication[] {
  const thread = approversThread(state);
  const unposted = state.deliveries
    .filter(({ outcome }) => outcome !== 'sent')
    .map(({ seq, at, role }) => ({ kind: 'notice', key: String(seq), thread, seq, at, role }) as const);
  const notices = state.notices.map(({ seq, at, role, reason, people = [], permission = null }) => ({
    kind: 'notice' as const,
    key: String(seq),
    // Updates go to the run's followers, other notices to the approvers' thread.
    thread: reason === 'update' ? state.proposal.issue : thread,
    seq,
    at,
    role,
    ...(people.length === 0 && permission === null
      ? {}
      : { summons: { people, permission, ...(reason === 'incident' ? { isAssigned: true } : {}) } }),
  }));
  return [...notices, ...unposted, ...watchEndOf(state), ...descriptionOf(state)];
}

/** The description of a job to adopt; if adoption is impossible, the closing comment reports it. */
function descriptionOf({ description, proposal }: RunState): readonly Publication[] {
  if (description === null || (description.found !== 'described' && description.found !== 'unknown'))
    return [];
  const { seq, at } = description;
  const people = proposal.requestedBy === null ? [] : [proposal.requestedBy.id];
  const summons = { people, permission: null };
  return [{ kind: 'notice', key: String(seq), thread: proposal.issue, seq, at, role: 'watch', summons }];
}

/** A reached stopping point; other ends are answers to commands. */
function watchEndOf(state: RunState): readonly Publication[] {
  const { ended, bound } = state.watch;
  if (ended === null || ended.cause === 'person') return [];
  const { seq, at } = ended;
  const owner = ownerOf(state);
  const people = [...new Set([bound?.actor, owner].flatMap((one) => (one == null ? [] : [one.id])))];
  const thread = approversThread(state);
  const summons = { people, permission: null };
  return [{ kind: 'notice', key: String(seq), thread, seq, at, role: 'watch', summons }];
}

/** The thread of the last approval command, or the default one. */
export function approversThread({ commands, proposal }: RunState): number {
  const spoken = [...commands.values()].findLast(({ name }) => name === 'approve-launch');
  return spoken?.thread ?? proposal.pull;
}

function milestonesOf(state: RunState): readonly Publication[] {
  // rule DF-07
  const thread = state.proposal.issue;
  const moments = [
    ...[...state.attempts, state].flatMap(
      ({ submission, firstEval, firstTracker, end }) =>
        [
          { kind: 'launch', role: 'runner', event: isAdopted({ submission }) ? null : submission },
          { kind: 'tracker', role: 'watch', event: firstTracker },
          { kind: 'first-eval', role: 'watch', event: firstEval },
          // rules HR-22, ML-17
          { kind: 'ended', role: 'watch', event: end },
        ] as const,
    ),
    // rule HR-18
    { kind: 'sealed', role: 'control', event: state.seal },
    { kind: 'closed', role: 'control', event: state.closed },
  ] as const;
  // After the watch ended, report only the job's end.
  const endedAt = state.watch.ended?.seq ?? Number.POSITIVE_INFINITY;
  const isUnwatched = (kind: string, seq: number): boolean =>
    (kind === 'tracker' || kind === 'first-eval') && seq > endedAt;
  return moments.flatMap(({ kind, role, event }) => {
    if (event === null || isUnwatched(kind, event.seq)) return [];
    const { seq, at } = event;
    return [{ kind, key: String(seq), thread, seq, at, role, ...crashSummons(state, event) }];
  });
}

/** The contract's DRI is mentioned for each failed attempt that was not stopped here, even if it is relaunched (policy HR-31). */
function crashSummons(state: RunState, event: object): Pick<Publication, 'summons'> {
  const status = 'status' in event ? event.status : null;
  const isCrash =
    // rule HR-31
    status === 'FAILED' || (status === 'STOPPED' && !(event === state.end && state.stop !== null));
  const dri = isCrash ? inChargeByContract(state) : null;
  return dri === null ? {} : { summons: { people: [dri.id], permission: null } };
}
