/** Events about a run's watch: owner, stopping point, end, and adoption of another person's job. */

import * as z from 'zod';
import { type Actor, SURFACES } from '../../actor.ts';
import { JOB_STATUSES } from '../../engine.ts';
import { actorText, byPerson, code, type DataOf, defineEvents, type EventOf, moment, prose } from '../define.ts';
import { adoptJob, awaitsAdoption, awaitsDescription } from '../holdings.ts';
import { actorSchema, integer, integerOrNull, sha, text, texts } from '../parts.ts';
import type { RunState } from '../run-state.ts';

const data = {
  described: z.object({
    found: z
      .enum(['described', 'absent', 'cannot', 'taken', 'unknown'])
      .describe(
        '`absent`: the cluster has no such job; `cannot`: ferrybot cannot watch it, or the config does not allow it; `taken`: it is a job of the run in `why`; `unknown`: no answer, and the watch asks again',
      ),
    why: text,
    engine: text,
    status: z.enum(JOB_STATUSES).nullable(),
    since: text.nullable().describe('start time, RFC 3339'),
    submitter: text.nullable(),
    entrypoint: text.nullable().describe('without secrets'),
    commit: sha.nullable().describe("the job's GIT_COMMIT"),
    commitIsHere: z.boolean().describe('whether the repository has that commit'),
    session: text.nullable().describe("the engine's session"),
    urls: texts,
  }),
  adopted: z.object({ described: integer.describe('the entry') }),
  handoff: z.object({
    state: z.enum(['offered', 'accepted', 'expired']),
    to: actorSchema,
    until: text.describe('RFC 3339; afterwards the offer cannot be accepted'),
  }),
  'watch-bounded': z.object({ step: integerOrNull, time: text.nullable().describe('RFC 3339') }),
  'watch-ended': z.object({
    attempt: integer,
    cause: z.enum(['person', 'step', 'time']).describe('`step`, `time`: the end that a person set was reached'),
    reason: text.nullable().describe('text of the person who ended it'),
  }),
  'watch-resumed': z.object({ attempt: integer }),
  taken: z.object({
    what: z
      .enum(['incidents', 'watch-end', 'end'])
      .describe('the incidents so far, the end of the watch, or the end of the job'),
    comment: integer,
    surface: z.enum(SURFACES),
  }),
};

export type WatchEventData = DataOf<typeof data>;
export type WatchEndCause = WatchEventData['watch-ended']['cause'];
export type Acknowledgement = WatchEventData['taken']['what'];

type Moment = { readonly at: string; readonly seq: number };
export type Offer = WatchEventData['handoff'] & Moment & { readonly by: Actor | null };
export type WatchEnd = WatchEventData['watch-ended'] & Moment & { readonly actor: Actor | null };

export type WatchState = {
  /** The person who took ownership of the watch. */
  readonly owner: Actor | null;
  /** The newest offer, in any state. */
  readonly offer: Offer | null;
  readonly plannedEnd: (WatchEventData['watch-bounded'] & Moment & { readonly actor: Actor }) | null;
  /** The end of the newest attempt's watch; its job continues without a watch. */
  readonly ended: WatchEnd | null;
};

export const NO_WATCH: WatchState = { owner: null, offer: null, plannedEnd: null, ended: null };

/** A reached stopping point and an expired offer do not apply to the next attempt. */
export function resetWatch(watch: WatchState, at: string): WatchState {
  const { offer, ended, plannedEnd } = watch;
  const isStale = offer?.state === 'offered' && offer.until <= at;
  return { ...watch, offer: isStale ? null : offer, plannedEnd: ended === null ? plannedEnd : null, ended: null };
}

/** Records an acknowledgement, made in any thread. */
export function applyAcknowledgement(
  state: RunState,
  what: Acknowledgement,
  by: Moment & { readonly actor: Actor },
): RunState {
  const { actor, at } = by;
  return { ...state, taken: by, ...(what === 'end' ? { acknowledged: { actor, at } } : {}) };
}

export const watchEvents = defineEvents(data, {
  described: {
    title: 'job looked up',
    meaning:
      'What the cluster reports about a job to adopt. The person who launched it chose these values. `null`: not reported.',
    writers: ['watch'],
    rule: (state, event) =>
      checkAdoption(state, event) ?? (awaitsDescription(state) ? null : 'described a job that was described before'),
    apply: (state, event) => ({ ...state, description: { ...event.data, ...moment(event) } }),
    describe: ({ data: { found, why, engine, status, submitter, entrypoint, commit } }) => ({
      status: found === 'described' ? `the job is ${status ?? 'UNKNOWN'}` : `the job is not described: ${found}`,
      evidence: [
        `engine ${code(engine)}`,
        ...(why === '' ? [] : [prose(why)]),
        ...(submitter === null ? [] : [`submitted by ${prose(submitter)}`]),
        ...(entrypoint === null ? [] : [code(entrypoint)]),
        ...(commit === null ? [] : [`GIT_COMMIT ${code(commit)}`]),
      ].join(', '),
      next: found === 'described' ? 'a person confirms that this is the job' : 'nothing is adopted',
    }),
  },
  adopted: {
    title: 'job adopted',
    meaning:
      'A person adopts the job that the entry `described` describes, and owns its watch. The job counts as attempt 1 of the run.',
    writers: ['control'],
    isByPerson: true,
    rule: (state, event) => {
      const broken = checkAdoption(state, event);
      if (broken !== null) return broken;
      if (state.description?.found !== 'described' || state.description.seq !== event.data.described)
        return 'adopted a job that was not described so';
      return state.stop === null ? null : 'adopted after a stop was asked for';
    },
    apply: (state, event) => adoptJob(state, byPerson(event)),
    describe: ({ data: { described }, actor }) => ({
      status: `${actorText(actor)} adopted the job`,
      evidence: `the job of entry ${described}`,
      decision: 'it is watched until its end',
      next: 'the watch records its observations',
    }),
  },
  handoff: {
    title: 'ownership of the watch',
    meaning:
      'The watch is offered to the person `to`, that person accepts it, or the offer expires. Before the launch, the contract is the offer.',
    writers: ['control'],
    apply: (state, event) =>
      updateWatch(state, {
        offer: { ...event.data, ...moment(event), by: event.actor ?? null },
        // rule ML-03
        owner: event.data.state === 'accepted' ? event.data.to : state.watch.owner,
      }),
    describe: ({ data: { state, to, until } }) => ({
      status: `the watch is ${state === 'offered' ? 'offered to' : state === 'accepted' ? 'accepted by' : 'not accepted by'} ${actorText(to)}`,
      decision: state === 'offered' ? `the offer is valid until ${until}` : '',
      next: state === 'offered' ? '`/accept` by exactly that person' : '',
    }),
  },
  'watch-bounded': {
    title: 'end of the watch set',
    meaning:
      'A person sets the end of the watch: the `step` or the `time`, whichever comes first. It replaces the earlier one.',
    writers: ['control'],
    isByPerson: true,
    apply: (state, event) => updateWatch(state, { plannedEnd: { ...event.data, ...byPerson(event) } }),
    describe: ({ data: { step, time }, actor }) => ({
      status: `the watch ends ${[
        ...(step === null ? [] : [`at step ${step}`]),
        ...(time === null ? [] : [`at ${time}`]),
      ].join(' or ')}`,
      evidence: `requested by ${actorText(actor)}`,
      next: 'the watch continues until then',
    }),
  },
  'watch-ended': {
    title: 'watch ended',
    meaning: 'The watch of the `attempt` ends, and the job continues. Another attempt is watched from its start.',
    writers: ['control', 'watch'],
    rule: checkWatchEnd,
    apply: (state, event) =>
      updateWatch(state, { ended: { ...event.data, ...moment(event), actor: event.actor ?? null } }),
    describe: ({ data: { attempt, cause, reason }, actor }) => ({
      status: `the watch of attempt ${attempt} has ended; the job continues`,
      evidence: { person: `by ${actorText(actor)}`, ...STOPPING_POINTS }[cause],
      decision: reason === null ? '' : prose(reason),
      next: 'a person acknowledges it; ferrybot still looks for the end of the job',
    }),
  },
  'watch-resumed': {
    title: 'watch resumed',
    meaning: 'A person requests that the same `attempt` is watched again, until its end.',
    writers: ['control'],
    isByPerson: true,
    apply: (state) => updateWatch(state, { plannedEnd: null, ended: null }),
    describe: ({ data: { attempt }, actor }) => ({
      status: `attempt ${attempt} is watched again`,
      evidence: `requested by ${actorText(actor)}`,
      next: 'the watch continues until the end of the job',
    }),
  },
  taken: {
    title: 'acknowledged by a person',
    meaning: "A person acknowledged in a comment outside the run's own threads. In these, the answer records it.",
    writers: ['control'],
    isByPerson: true,
    apply: (state, event) => applyAcknowledgement(state, event.data.what, byPerson(event)),
    describe: ({ data: { what, surface, comment }, actor }) => ({
      status: `${actorText(actor)} acknowledged ${ACKNOWLEDGED_WORDS[what]}`,
      evidence: `${surface} ${comment}, in another thread`,
      next: 'ferrybot notifies no other people about it',
    }),
  },
});

const STOPPING_POINTS = {
  step: 'the step that a person set was reached',
  time: 'the time that a person set was reached',
} as const;

const ACKNOWLEDGED_WORDS = {
  incidents: 'the incidents so far',
  'watch-end': 'the end of the watch',
  end: 'the end of the job',
} as const;

function updateWatch(state: RunState, change: Partial<WatchState>): RunState {
  return { ...state, watch: { ...state.watch, ...change } };
}

function checkAdoption(state: RunState, { type }: { readonly type: string }): string | null {
  return awaitsAdoption(state) ? null : `${type} though no job is to be taken over`;
}

/** Only control reads comments, so only control may record that a person ended the watch. */
function checkWatchEnd(
  { submission, end, watch }: RunState,
  { data: { attempt, cause }, role }: EventOf<'watch-ended'>,
): string | null {
  if (end !== null || attempt !== submission?.attempt) return 'watch-ended without a job that runs';
  if (role === 'control') return null;
  if (cause === 'person') return `watch-ended in the name of a person by ${role}`;
  return watch.plannedEnd === null ? 'watch-ended at a stopping point without a bound' : null;
}
