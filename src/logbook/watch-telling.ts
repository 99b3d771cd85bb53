/** The entries about the watch of a run, told for people. */

import { assertNever } from '../domain/assert.ts';
import type { EventOf } from '../domain/logbook/event.ts';
import { code, prose } from '../domain/logbook/plain-text.ts';

type WatchType =
  | 'described'
  | 'adopted'
  | 'handoff'
  | 'watch-bounded'
  | 'watch-ended'
  | 'watch-resumed'
  | 'taken';
type Told = {
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};

export const watchTellers: { readonly [Type in WatchType]: (event: EventOf<Type>) => Told } = {
  described: ({ data: { found, why, engine, status, submitter, entrypoint, commit } }) => ({
    status: found === 'described' ? `the job is ${status ?? 'UNKNOWN'}` : `the job is not told: ${found}`,
    evidence: [
      `engine ${code(engine)}`,
      ...(why === '' ? [] : [prose(why)]),
      ...(submitter === null ? [] : [`submitted by ${prose(submitter)}`]),
      ...(entrypoint === null ? [] : [code(entrypoint)]),
      ...(commit === null ? [] : [`GIT_COMMIT ${code(commit)}`]),
    ].join(', '),
    decision: '',
    next: found === 'described' ? 'a person says whether this is the job' : 'nothing is taken over',
  }),
  adopted: ({ data: { described }, actor }) => ({
    status: `the job is taken over${actor === undefined ? '' : ` by ${personOf(actor)}`}`,
    evidence: `as entry ${described} tells of it`,
    decision: 'it is watched to its end',
    next: 'the watch reports what it sees',
  }),
  handoff: ({ data: { state, to, until } }) => ({
    status: `the watch is ${state === 'offered' ? 'offered to' : state === 'accepted' ? 'taken by' : 'not taken by'} ${personOf(to)}`,
    evidence: '',
    decision: state === 'offered' ? `the offer stands until ${until}` : '',
    next: state === 'offered' ? '`/accept` by exactly that person' : '',
  }),
  'watch-bounded': ({ data: { step, time }, actor }) => ({
    status: `the watch ends ${[
      ...(step === null ? [] : [`at step ${step}`]),
      ...(time === null ? [] : [`at ${time}`]),
    ].join(' or ')}`,
    evidence: actor === undefined ? '' : `said by ${personOf(actor)}`,
    decision: '',
    next: 'the watch goes on until then',
  }),
  'watch-ended': ({ data: { attempt, cause, reason }, actor }) => ({
    status: `the watch of attempt ${attempt} has ended; the job goes on`,
    evidence: causeOf(cause, actor),
    decision: reason === null ? '' : prose(reason),
    next: 'somebody says that they took note; the end of the job is looked for',
  }),
  'watch-resumed': ({ data: { attempt }, actor }) => ({
    status: `attempt ${attempt} is watched again`,
    evidence: actor === undefined ? '' : `said by ${personOf(actor)}`,
    decision: '',
    next: 'the watch goes on to the end of the job',
  }),
  taken: ({ data: { what, surface, comment }, actor }) => ({
    status: `${actor === undefined ? 'somebody' : personOf(actor)} took ${TAKEN_WORDS[what]}`,
    evidence: `${surface} ${comment}, in another thread`,
    decision: '',
    next: 'nobody else is called for it',
  }),
};

const TAKEN_WORDS = {
  incidents: 'what had gone wrong until then',
  'watch-end': 'note of the end of the watch',
  end: 'note of how the job ended',
} as const;

function causeOf(
  cause: EventOf<'watch-ended'>['data']['cause'],
  actor: EventOf<'watch-ended'>['actor'],
): string {
  switch (cause) {
    case 'person':
      return actor === undefined ? '' : `by ${personOf(actor)}`;
    case 'step':
      return 'the step was reached that somebody named';
    case 'time':
      return 'the time has come that somebody named';
    default:
      return assertNever(cause);
  }
}

function personOf({ login, id }: { readonly login: string; readonly id: number }): string {
  return `@${prose(login)} (${id})`;
}
