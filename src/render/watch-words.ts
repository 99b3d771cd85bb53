/** The watch of a run in words: whose it is, to whom it is offered, where it ends, and what holds once it has. */

import type { AnswerCode } from '../commands/answers.ts';
import type { WatchEnd } from '../domain/logbook/events/watch-events.ts';
import { ownerOf, untakenWatchEnd } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { incidentTitle } from './incident-words.ts';
import type { AnswerView, RenderInput, Sentences } from './input.ts';
import { trackerName, trackerUrl } from './job-table.ts';
import { stateLine } from './state-line.ts';
import { code, count, link, listed, nonEmpty, paragraphs, person, text, utc } from './words.ts';

export const WATCH_WORDS = {
  'handoff-offered': (d, view) =>
    withFacts(
      `the watch is offered to ${text(d.login)}, who takes it with \`/accept\` here, until ${text(utc(d.until))}. The owner does not change before; if it is not accepted, ferrybot alerts those on call.`,
      view,
    ),
  'handoff-not-theirs': (d) =>
    `not offered: ${text(d.login)} does not have the ${text(d.needs)} permission that a watch takes.`,
  'accept-not-yours': (d) =>
    `not accepted: only ${text(d.login)} can accept. \`/handoff\`, or the contract of the run, names another person.`,
  accepted: (d, view) =>
    withFacts(
      `the watch is yours${d.from ? `, from ${text(d.from)}` : ''}: incidents of this run mention you. \`/handoff @who\` offers it to another person, \`/until\` and \`/stop-watching\` end it.`,
      view,
    ),
  'accept-too-late': (d) =>
    `not accepted: the offer expired at ${text(utc(d.until))}. \`/handoff\` offers the watch again.`,
  'job-adopted': (_, view) =>
    withFacts(
      'ferrybot watches the job from now on, and you own the watch. `/handoff @who` offers it to another person; `/stop` by you, or by an approver of launches, ends the job.',
      view,
    ),
  'job-told-otherwise': () =>
    "not done: the comment with the cluster's description was edited, now or when you wrote. Delete it, and ferrybot writes it again; then comment `/accept` below it.",
  'job-not-told': () =>
    'not yet: the cluster has not described the job. ferrybot posts the description here; review it, then comment `/accept`.',
  'until-set': (d) =>
    `the watch ends ${pointWords(d.step ?? null, d.time ?? null)}${d.before === undefined ? '' : ', which replaces the earlier limit'}. The job continues after it; \`/stop\` ends a job.`,
  'until-what': () => 'not done: add where the watch ends, `/until step=3000` or `/until time=18:30` (UTC).',
  'watch-stopped': (_, { input }) =>
    input === null ? 'the watch has ended.' : paragraphs('the watch has ended.', afterEndWords(input)),
  'watch-resumed': () =>
    'ferrybot watches the job again, to its end: it raises alarms and starts approved restarts.',
  'watch-not-yours': (d) =>
    `not done: only ${d.owner ? `${text(d.owner)}, who owns the watch, or ` : ''}an approver of launches may do that.`,
  'watch-end-taken': (d) =>
    `noted: you have seen that the watch has ended${d.count === 0 ? '' : `, and took ${count(d.count, 'incident')}`}; there is no other reminder.`,
} satisfies Partial<Sentences<AnswerCode>>;

/** With the facts that the owner of the watch needs. */
function withFacts(sentence: string, { input }: AnswerView): string {
  return paragraphs(sentence, input === null ? null : jobFacts(input.state));
}

function pointWords(step: number | null, time: string | null): string {
  const points = nonEmpty(step !== null && `at step ${step}`, time !== null && `at ${utc(time)}`);
  return points.length === 2 ? `${points.join(' or ')}, whichever comes first` : points.join('');
}

/** What the owner of the watch needs: job, cluster, state, the newest signal, and the links. */
export function jobFacts(state: RunState): string {
  const { submission, observation, proposal, incidents } = state;
  if (submission === null) return '- There is no job.';
  const { title, evidence } = stateLine(state);
  const newest = incidents.at(-1);
  const seen =
    observation === null
      ? 'not checked yet'
      : `${observation.loss === null ? 'no loss yet' : `loss ${text(observation.loss)}`}, ${observation.checkpointStep === null ? 'no checkpoint yet' : `checkpoint at step ${observation.checkpointStep}`}`;
  const tracker = trackerUrl(state);
  const links = nonEmpty(
    `issue #${proposal.issue}`,
    tracker !== null && link(trackerName(tracker), tracker),
    ...Object.entries(submission.urls).map(([name, url]) => link(name, url)),
  );
  return [
    `- Job ${code(submission.jobId)} on ${code(submission.cluster)}, attempt ${submission.attempt}`,
    `- ${title}: ${evidence}`,
    `- Last signal: ${newest === undefined ? 'no incident' : `${incidentTitle(newest)} (${utc(newest.at)})`}; ${seen}`,
    `- Links: ${links.join(' · ')}`,
  ].join('\n');
}

function afterEndWords({ state, config }: RenderInput): string {
  return paragraphs(
    jobFacts(state),
    `**The job continues.** ferrybot raises no alarm about it and starts no restart; \`/stop\` ends it, as before. ferrybot only waits for its end: until then, the lane ${code(state.proposal.lane)} gets no other run.`,
    `**Wanted: \`/ack\`** by a person with ${config.permissions.ack} permission, who acknowledges this. \`/watch\` starts the watch again.`,
  );
}

/** A limit of the watch that was reached, with the state of the job. */
export function renderWatchEnd(input: RenderInput, { cause }: WatchEnd): string {
  const { bound } = input.state.watch;
  const who = bound === null ? 'a person' : person(bound.actor);
  const reached = {
    step: `step ${bound?.step ?? 'unknown'}`,
    time: bound?.time == null ? 'its time' : utc(bound.time),
    person: 'the end',
  }[cause];
  return paragraphs(
    `**The watch of ${code(input.state.run)} has ended**: ${reached} is reached, as ${who} requested.`,
    afterEndWords(input),
  );
}

/** A reminder of the end of the watch, without an acknowledgement. */
export function renderWatchReminder(input: RenderInput): string {
  const { run, watch, end } = input.state;
  if (watch.ended === null || end !== null)
    return `**The watch of ${code(run)} had ended**, and the run has changed since; its card shows the state.`;
  return paragraphs(
    `**The job of ${code(run)} is unwatched since ${utc(watch.ended.at)}**, and this was not acknowledged.`,
    afterEndWords(input),
  );
}

/** The owner and the end of the watch, on the card; null before there is a job. */
export function watchPart(state: RunState): string | null {
  const { submission, end, watch } = state;
  if (submission === null || end !== null) return null;
  if (watch.ended !== null)
    return `The watch ended at ${utc(watch.ended.at)}; the job continues, and ferrybot waits for its end.`;
  const { offer, bound } = watch;
  const owner = ownerOf(state);
  const parts = nonEmpty(
    owner !== null && `${person(owner)} owns the watch`,
    offer?.state === 'offered' && `it is offered to ${person(offer.to)} until ${utc(offer.until)}`,
    bound !== null && `it ends ${pointWords(bound.step, bound.time)}`,
  );
  return parts.length === 0 ? null : `Owner: ${listed(parts)}.`;
}

/** The next action after the end of the watch and before the end of the job; null while it is watched. */
export function wantedAfterWatch({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  if (state.watch.ended === null || state.end !== null) return null;
  return untakenWatchEnd(state) === null
    ? 'nothing; the watch has ended, and ferrybot waits for the end of the job. `/stop` ends it.'
    : `\`/ack\` by a person with ${config.permissions.ack} permission, who acknowledges that the watch has ended. The job continues; \`/stop\` ends it.`;
}
