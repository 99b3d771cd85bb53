/** Commands for the watch of a job: watch, accept, handoff, until and stop-watching. */

import { z } from 'zod';
import { canApprove } from '../config/approvals-schema.ts';
import { LOGIN, permits } from '../domain/actor.ts';
import { contractDri, isSameLogin } from '../domain/launch/contract.ts';
import { limits } from '../domain/limits.ts';
import { awaitsAdoption } from '../domain/logbook/holdings.ts';
import { findOwner, openOffer } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import { addDays, addMs, fromRfc3339, type Instant, toRfc3339, utcDate } from '../domain/values.ts';
import { checkApprover } from './approving.ts';
import {
  type AnswerDecision,
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandDefinition,
  type PlaceContext,
} from './decision.ts';
import { reasonText, stepNumber, timeWord } from './values.ts';

const mention = z.string().regex(new RegExp(`^@${LOGIN}$`), 'a person, such as @ada');

/** Relative to the repository's root. */
const treePath = z
  .string()
  .max(300, 'the path of a file')
  .regex(/^[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*$/, 'the path of a file in the repository, such as experiments/sweep.py')
  .refine((path) => !path.split('/').includes('..'), 'a path without ..');

const clusterWord = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'the name of a cluster');

/** Safe as part of a path, in a shell and in Markdown. */
const jobWord = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'the id of a job: letters, digits and . _ -, a letter or digit first');

/** The instant of a validated `timeWord`; a time of day is the next one. */
export function parseUntil(word: string, now: Instant): Instant {
  const today = utcDate(now);
  const isTimeOfDay = word.length === 'hh:mm'.length;
  const at = fromRfc3339(isTimeOfDay ? `${today}T${word}:00Z` : word);
  const tomorrow = isTimeOfDay ? fromRfc3339(`${addDays(today, 1)}T${word}:00Z`) : at;
  return (at !== null && at > now ? at : tomorrow) ?? now;
}

export type RunWithJob = RunState & { readonly submission: NonNullable<RunState['submission']> };

/** The watched run, or the reason why this person cannot direct its watch. */
export function requireWatchDirector(context: CommandContext): RunWithJob | AnswerDecision {
  const watched = requireWatchedJob(context);
  return 'kind' in watched ? watched : (refuseUnlessDirector(context) ?? watched);
}

/** Null if the person may direct the watch. */
export function refuseUnlessDirector({
  state,
  permission,
  policy,
  actor,
}: Pick<CommandContext, 'state' | 'permission' | 'policy' | 'actor'>): AnswerDecision | null {
  const owner = findOwner(state);
  if (owner?.id === actor.id || canApprove(permission, actor.id, policy.approvals)) return null;
  return answer('watch-not-yours', owner === null ? {} : { owner: owner.login });
}

/** The refusal of a person who may not adopt another person's job; null for one who may. */
export function refuseUnlessAdopter({
  permission,
  policy,
  actor,
}: Pick<PlaceContext, 'permission' | 'policy' | 'actor'>): AnswerDecision | null {
  const { adopt } = policy.permissions;
  if (adopt === null) return checkApprover({ permission, policy, actor });
  return permits(permission, adopt) ? null : answer('not-permitted', { needs: adopt });
}

/** The run if its job is running and watched. */
export function requireWatchedJob(context: CommandContext): RunWithJob | AnswerDecision {
  const run = requireRunningJob(context);
  if ('kind' in run || run.watch.ended === null) return run;
  return answer('not-now', { status: 'the watch has ended before' });
}

/** Why the run has no job now, or null. */
export function explainNoJob({ submission, attempts, order }: RunState): string | null {
  if (submission !== null) return null;
  if (attempts.length === 0) return 'not launched';
  return order?.status === 'open' || order?.status === 'claimed'
    ? 'another attempt is being launched'
    : 'the next attempt was not launched';
}

/** The run if its job is running. */
export function requireRunningJob({ state }: CommandContext): RunWithJob | AnswerDecision {
  const { submission, end } = state;
  if (submission === null) return answer('not-now', { status: explainNoJob(state) ?? '' });
  return end === null ? { ...state, submission } : answer('not-now', { status: end.status });
}

export const watch = {
  name: 'watch',
  keys: {
    job: { required: false, value: jobWord },
    cluster: { required: false, value: clusterWord },
    experiment: { required: false, value: treePath },
  },
  permission: (policy) => policy.permissions.watch,
  summary:
    'In an issue without a run: adopts a job that a person launched by hand, after the cluster described it and `/accept` confirmed it. In a run with an ended watch: starts the watch again, for its owner and approvers.',
  example: '/watch job=ray-run-ada-sweep-20261121-051716 cluster=us-central1 experiment=experiments/sweep.py',
  decide: decideWatch,
  decideWithoutRun,
} as const satisfies CommandDefinition;

function decideWatch(context: CommandContext): CommandDecision {
  // Another job needs its own run and issue.
  if (Object.keys(context.args).length > 0) return answer('adopt-place');
  const run = requireRunningJob(context);
  if ('kind' in run) return run;
  const refused = refuseUnlessDirector(context);
  if (refused !== null) return refused;
  if (run.watch.ended === null) {
    const owner = findOwner(run);
    return answer('not-now', { status: `it is watched${owner === null ? '' : ` by ${owner.login}`} already` });
  }
  const { attempt } = run.submission;
  return answer('watch-resumed', {}, [
    { type: 'watch-resumed', role: 'control', actor: context.actor, data: { attempt } },
  ]);
}

/** Reports all missing arguments together. */
function decideWithoutRun(context: PlaceContext): Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> {
  const refused = refuseUnlessAdopter(context);
  if (refused !== null) return refused;
  const { args } = context;
  const adoptable = context.adoptable();
  const { job, cluster, experiment } = args;
  const clusters = adoptable.slice(0, limits.shownRowsMax).join(' ');
  const missing = ['job', 'cluster', 'experiment'].filter((name) => args[name] === undefined);
  if (cluster !== undefined && !adoptable.includes(cluster)) return answer('adopt-cluster', { cluster, clusters });
  // rule ML-01
  return missing.length > 0
    ? answer('adopt-what', { missing, job, cluster, experiment, clusters })
    : { kind: 'hand-over' };
}

export const accept = {
  name: 'accept',
  keys: {},
  permission: (policy) => policy.permissions.watch,
  summary:
    'Accepts the watch that `/handoff` offered to you, the ownership of a run whose contract names you, or the job that `/watch` described.',
  example: '/accept',
  decide: decideAccept,
} as const satisfies CommandDefinition;

function decideAccept(context: CommandContext): CommandDecision {
  const { actor, comment } = context;
  if (awaitsAdoption(context.state)) return adoptJob(context);
  const dri = context.state.attempts.length === 0 ? contractDri(context.state.contract) : null;
  if (context.state.submission === null && dri !== null) return acceptCharge(context, dri);
  const watched = requireWatchedJob(context);
  if ('kind' in watched) return watched;
  const { offer } = watched.watch;
  if (offer === null || offer.state === 'accepted')
    return answer('not-now', { status: 'the watch of this run is offered to nobody' });
  const { to, until, by } = offer;
  if (to.id !== actor.id) return answer('accept-not-yours', { login: to.login });
  // Uses the comment's time, not the time of processing.
  if (openOffer(watched, comment.createdAt) === null) return answer('accept-too-late', { until });
  return answer('accepted', by === null ? {} : { from: by.login }, [
    { type: 'handoff', role: 'control', actor, data: { state: 'accepted', to, until } },
  ]);
}

/** The comment must be newer than the job's description, and the posted description must be unchanged. */
function adoptJob(context: CommandContext): CommandDecision {
  const { state, actor, comment } = context;
  const refused = refuseUnlessAdopter(context);
  if (refused !== null) return refused;
  const { description } = state;
  const toldAt = description?.found === 'described' ? fromRfc3339(description.at) : null;
  if (description === null || toldAt === null || comment.createdAt < toldAt - SECOND_MS) return answer('job-not-told');
  if (!context.isJobShown) return answer('job-told-otherwise');
  return answer('job-adopted', {}, [{ type: 'adopted', role: 'control', actor, data: { described: description.seq } }]);
}

/** GitHub's times are whole seconds. */
const SECOND_MS = 1_000;

/** Before the launch, the contract acts as the offer. */
function acceptCharge({ state, actor, comment }: CommandContext, dri: string): CommandDecision {
  if (!isSameLogin(dri, actor.login)) return answer('accept-not-yours', { login: dri });
  if (state.watch.owner?.id === actor.id) return answer('not-now', { status: 'you are in charge of this run already' });
  const until = toRfc3339(comment.createdAt);
  return answer('accepted', {}, [
    { type: 'handoff', role: 'control', actor, data: { state: 'accepted', to: actor, until } },
  ]);
}

export const handoff = {
  name: 'handoff',
  positional: { name: 'who', required: true, value: mention },
  keys: {},
  permission: (policy) => policy.permissions.watch,
  summary: 'Offers the watch of a running job to a person, who takes it with `/accept`. For its owner and approvers.',
  example: '/handoff @ada',
  confusedWith: ['assign', 'handover'],
  decide: decideHandoff,
} as const satisfies CommandDefinition;

function decideHandoff(context: CommandContext): CommandDecision {
  const { people, policy, args, actor, now } = context;
  const watched = requireWatchDirector(context);
  if ('kind' in watched) return watched;
  if (isNotAsked(people)) return request('people');
  if (people.kind === 'unknown') return answer('permission-unknown', { why: people.why });
  const login = (args['who'] ?? '').slice(1);
  const person = people.value.find((one) => one.actor.login.toLowerCase() === login.toLowerCase());
  const { watch: needs } = policy.permissions;
  if (person === undefined || !permits(person.permission, needs)) return answer('handoff-not-theirs', { login, needs });
  const to = person.actor;
  if (watched.watch.owner?.id === to.id) return answer('not-now', { status: `the watch is ${to.login}'s already` });
  const until = toRfc3339(addMs(now, policy.onCall.handoffMinutes * 60_000));
  return answer('handoff-offered', { to: to.id, login: to.login, until }, [
    { type: 'handoff', role: 'control', actor, data: { state: 'offered', to, until } },
  ]);
}

export const until = {
  name: 'until',
  keys: { step: { required: false, value: stepNumber }, time: { required: false, value: timeWord } },
  permission: (policy) => policy.permissions.watch,
  summary:
    'Names where the watch of a job ends: at a step, at a time (UTC), or at whichever comes first. By its owner, or who may approve.',
  example: '/until step=3000',
  decide: decideUntil,
} as const satisfies CommandDefinition;

function decideUntil(context: CommandContext): CommandDecision {
  const { args, now, actor } = context;
  const watched = requireWatchDirector(context);
  if ('kind' in watched) return watched;
  const step = args['step'] === undefined ? null : Number(args['step']);
  const time = args['time'] === undefined ? null : parseUntil(args['time'], now);
  if (step === null && time === null) return answer('until-what');
  if (time !== null && time <= now) return answer('point-past', { what: args['time'] ?? '' });
  const { observation } = watched;
  if (step !== null && observation?.stepIsExact === true && (observation.step ?? 0) >= step)
    return answer('point-past', { what: `step ${step}` });
  const data = { step, time: time === null ? null : toRfc3339(time) };
  const told = {
    ...(data.step === null ? {} : { step: data.step }),
    ...(data.time === null ? {} : { time: data.time }),
    ...(watched.watch.plannedEnd === null ? {} : { before: watched.watch.plannedEnd.seq }),
  };
  return answer('until-set', told, [{ type: 'watch-bounded', role: 'control', actor, data }]);
}

export const stopWatching = {
  name: 'stop-watching',
  keys: { reason: { required: false, value: reasonText } },
  permission: (policy) => policy.permissions.watch,
  summary: 'Ends the watch of a job. The job continues without alarms and restarts. For its owner and approvers.',
  example: '/stop-watching reason="I look at it by hand"',
  confusedWith: ['unwatch'],
  decide: decideStopWatching,
} as const satisfies CommandDefinition;

function decideStopWatching(context: CommandContext): CommandDecision {
  const watched = requireWatchDirector(context);
  if ('kind' in watched) return watched;
  const { attempt } = watched.submission;
  const reason = context.args['reason'] ?? null;
  return answer('watch-stopped', {}, [
    { type: 'watch-ended', role: 'control', actor: context.actor, data: { attempt, cause: 'person', reason } },
  ]);
}
