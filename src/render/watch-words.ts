/** The watch of a run in words: whose it is, to whom it is offered, where it ends, and what holds once it has. */

import type { AnswerCode } from '../commands/registry.ts';
import { assertNever } from '../domain/assert.ts';
import { limits } from '../domain/limits.ts';
import type { WatchEnd } from '../domain/logbook/events/watch-events.ts';
import { ownerOf, untakenWatchEnd } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { incidentTitle } from './incident-words.ts';
import type { RenderInput, Sentences } from './input.ts';
import { trackerName, trackerUrl } from './job-table.ts';
import { stateLine } from './state-line.ts';
import { code, count, link, listed, ofRun, paragraphs, person, text, utc } from './words.ts';

export const WATCH_WORDS = {
  'handoff-offered': (d, { input }) =>
    paragraphs(
      `the watch is offered to ${text(d.login)}, who takes it with \`/accept\` here, until ${text(utc(d.until))}. Whose it is now, it stays; if nobody takes it, those on call are told.`,
      input === null ? null : jobFacts(input.state),
    ),
  'handoff-not-theirs': (d) =>
    `not offered: ${text(d.login)} does not have the ${text(d.needs)} permission that a watch takes.`,
  'accept-not-yours': (d) =>
    `not accepted: only ${text(d.login)} can accept. \`/handoff\`, or the contract of the run, names another person.`,
  accepted: (d, { input }) =>
    paragraphs(
      `the watch is yours${d.from ? `, from ${text(d.from)}` : ''}: incidents of this run mention you. \`/handoff @who\` hands it on, \`/until\` and \`/stop-watching\` end it.`,
      input === null ? null : jobFacts(input.state),
    ),
  'accept-too-late': (d) =>
    `not accepted: the offer stood until ${text(utc(d.until))}. \`/handoff\` offers the watch again.`,
  'job-adopted': (_, { input }) =>
    paragraphs(
      'the job is watched from now on, and the watch is yours. `/handoff @who` hands it on; `/stop` by you, or by who may approve launches, ends the job.',
      input === null ? null : jobFacts(input.state),
    ),
  'job-told-otherwise': () =>
    'not done: what the cluster says of the job does not stand here as it was written, or did not when you said this. Who deletes a comment of it that was edited has it written anew; say `/accept` under that.',
  'job-not-told': () =>
    'not yet: the cluster has not said what the job is. It is shown here as soon as it has; look at it, then say `/accept`.',
  'until-set': (d) =>
    `the watch ends ${pointWords(d.step ?? null, d.time ?? null)}${d.before === undefined ? '' : ', which replaces what was named before'}. The job goes on after it; \`/stop\` is what ends a job.`,
  'until-what': () => 'not done: say where the watch ends, `/until step=3000` or `/until time=18:30` (UTC).',
  'watch-stopped': (_, { input }) =>
    input === null ? 'the watch has ended.' : paragraphs('the watch has ended.', afterEndWords(input)),
  'watch-resumed': () =>
    'the job is watched again, to its end: alarms are raised, and it is started again where that was approved.',
  'watch-not-yours': (d) =>
    `not done: that is for ${d.owner ? `${text(d.owner)}, whose watch it is, or for ` : ''}somebody who may approve launches.`,
  'watch-end-taken': (d) =>
    `${ofRun(d)}noted: you have seen that the watch has ended${d.count === 0 ? '' : `, and took ${count(d.count, 'incident')}`}; nobody is reminded of it again.`,
} satisfies Partial<Sentences<AnswerCode>>;

function pointWords(step: number | null, time: string | null): string {
  const points = [
    ...(step === null ? [] : [`at step ${step}`]),
    ...(time === null ? [] : [`at ${utc(time)}`]),
  ];
  return points.length === 2 ? `${points.join(' or ')}, whichever comes first` : points.join('');
}

/** What whoever takes the watch has to know: job, cluster, where it stands, the newest signal, and the links. */
export function jobFacts(state: RunState): string {
  const { submission, observation, proposal, incidents } = state;
  if (submission === null) return '- There is no job.';
  const { title, evidence } = stateLine(state);
  const newest = incidents.at(-1);
  const seen =
    observation === null
      ? 'nobody has looked yet'
      : `${observation.loss === null ? 'no loss yet' : `loss ${text(observation.loss)}`}, ${observation.checkpointStep === null ? 'no checkpoint yet' : `checkpoint at step ${observation.checkpointStep}`}`;
  const tracker = trackerUrl(state);
  const links = [
    `issue #${proposal.issue}`,
    ...(tracker === null ? [] : [link(trackerName(tracker), tracker, limits.shownTextCharsMax)]),
    ...Object.entries(submission.urls).map(([name, url]) => link(name, url, limits.shownTextCharsMax)),
  ];
  return [
    `- Job ${code(submission.jobId)} on ${code(submission.cluster)}, attempt ${submission.attempt}`,
    `- ${title}: ${evidence}`,
    `- Last signal: ${newest === undefined ? 'no incident' : `${incidentTitle(newest)} (${utc(newest.at)})`}; ${seen}`,
    `- Links: ${links.join(' · ')}`,
  ].join('\n');
}

function afterEndWords(input: RenderInput): string {
  const { state, config } = input;
  return paragraphs(
    jobFacts(state),
    `**The job goes on.** No alarm is raised about it any more, and it is not started again by itself; \`/stop\` ends it, as before. ferrybot looks on for its end alone: until that is known, the lane ${code(state.proposal.lane)} gets no other run.`,
    `**Wanted: \`/ack\`** by a person with ${config.permissions.ack} permission, who has taken note of this. \`/watch\` has it watched again.`,
  );
}

/** A stopping point that was reached, with where the job stands. */
export function renderWatchEnd(input: RenderInput, ended: WatchEnd): string {
  const { bound } = input.state.watch;
  const who = bound === null ? 'somebody' : person(bound.actor);
  return paragraphs(
    `**The watch of ${code(input.state.run)} has ended**: ${reachedWords(ended, bound)} is reached, as ${who} wanted it.`,
    afterEndWords(input),
  );
}

function reachedWords({ cause }: WatchEnd, bound: RunState['watch']['bound']): string {
  switch (cause) {
    case 'step':
      return `step ${bound?.step ?? 'unknown'}`;
    case 'time':
      return bound?.time == null ? 'its time' : utc(bound.time);
    case 'person':
      return 'the end';
    default:
      return assertNever(cause);
  }
}

/** A reminder that nobody has taken note of the end of the watch. */
export function renderWatchReminder(input: RenderInput): string {
  const { state } = input;
  if (state.watch.ended === null || state.end !== null)
    return `**${code(state.run)}: its watch had ended**, and the run has moved on since; its card says where it stands.`;
  const since = utc(state.watch.ended.at);
  return paragraphs(
    `**Nobody watches the job of ${code(state.run)} since ${since}**, and nobody has taken note.`,
    afterEndWords(input),
  );
}

/** Whose the watch is and where it ends, on the card; null before there is a job. */
export function watchPart(state: RunState): string | null {
  const { submission, end, watch } = state;
  if (submission === null || end !== null) return null;
  if (watch.ended !== null)
    return `The watch ended at ${utc(watch.ended.at)}; the job goes on, and its end is looked for.`;
  const { offer, bound } = watch;
  const owner = ownerOf(state);
  const parts = [
    ...(owner === null ? [] : [`the watch is ${person(owner)}'s`]),
    ...(offer?.state === 'offered' ? [`it is offered to ${person(offer.to)} until ${utc(offer.until)}`] : []),
    ...(bound === null ? [] : [`it ends ${pointWords(bound.step, bound.time)}`]),
  ];
  return parts.length === 0 ? null : `Owner: ${listed(parts)}.`;
}

/** What is wanted once the watch has ended and the job has not; null while it is watched. */
export function wantedAfterWatch({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  if (state.watch.ended === null || state.end !== null) return null;
  return untakenWatchEnd(state) === null
    ? 'nothing; the watch has ended, and ferrybot waits for the end of the job. `/stop` ends it.'
    : `\`/ack\` by a person with ${config.permissions.ack} permission, who has taken note that the watch has ended. The job goes on; \`/stop\` ends it.`;
}
