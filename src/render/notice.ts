/** Notices and incidents: what waits for people, of which run, and the people that a comment mentions. */

import { permits } from '../domain/actor.ts';
import type { ChannelMessage, Summons } from '../domain/effect.ts';
import type { PersonFacts } from '../domain/facts.ts';
import type { Notice, Observation, RunState } from '../domain/logbook/run-state.ts';
import { isIssueFirst } from '../domain/own-pull.ts';
import { after, fromRfc3339, type Observed, toRfc3339 } from '../domain/values.ts';
import { incidentMark, incidentText, incidentWords } from './incident-words.ts';
import type { RenderInput } from './input.ts';
import { progressText } from './job-table.ts';
import { PROPOSE_WORDS, renderDescription, renderUnconfirmed } from './propose-words.ts';
import { stateText } from './state-line.ts';
import { wantedLine } from './wanted.ts';
import { renderWatchEnd, renderWatchReminder } from './watch-words.ts';
import { code, comment, listed, nonEmpty, paragraphs, placeWord, text, utc } from './words.ts';

/** The incident with the sequence number `key`. */
export function renderIncident(key: string, state: RunState): string {
  const { submission, run } = state;
  const incident = incidentAt(key, state);
  const words = incidentWords(incident, placeWord(state));
  const lines = nonEmpty(
    `Time: ${utc(incident.at)}`,
    submission !== null && `Job: ${code(submission.jobId)}`,
  );
  return incidentText(`**${words.title}** (${code(run)})`, lines, words);
}

function incidentAt(key: string, { incidents, run }: RunState): RunState['incidents'][number] {
  const incident = incidents.find(({ seq }) => String(seq) === key);
  if (incident === undefined) throw new Error(`no incident ${key} in ${run}`);
  return incident;
}

/** People that one comment mentions: with more, everyone would ignore it. */
const MENTIONS_MAX = 20;

/** The line of mentions at the end of a comment. `people` are the current collaborators. */
export function renderMentions(summons: Summons, people: Observed<readonly PersonFacts[]>): string {
  if (people.kind === 'unknown')
    return `\nFor ${unnamed(summons)}, without a mention: ${text(people.why)}.\n`;
  const { permission } = summons;
  const byId = new Map(people.value.map((one) => [one.actor.id, one.actor.login]));
  const permitted =
    permission === null
      ? []
      : people.value.filter((one) => permits(one.permission, permission)).map(({ actor }) => actor.login);
  const named = summons.people.flatMap((id) => mentionable(byId.get(id)));
  const logins = [...new Set([...named, ...permitted.flatMap(mentionable)])];
  const shown = logins.slice(0, MENTIONS_MAX).map((login) => `@${login}`);
  const more = logins.length > shown.length ? ` and ${logins.length - shown.length} more` : '';
  const gone = summons.people.filter((id) => mentionable(byId.get(id)).length === 0);
  const missing =
    gone.length === 0
      ? ''
      : ` Not a collaborator of this repository: ${listed(gone.map((id) => `account ${id}`))}.`;
  return shown.length === 0 && gone.length === 0 ? '' : `\n${shown.join(' ')}${more}${missing}\n`;
}

/** A login is letters, digits and dashes (GitHub, account names); anything else gets no mention. */
function mentionable(login: string | undefined): readonly string[] {
  return login !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(login) ? [login] : [];
}

function unnamed({ people, permission }: Summons): string {
  const accounts = people.map((id) => `account ${id}`);
  return listed([...accounts, ...(permission === null ? [] : [`everyone with ${permission} permission`])]);
}

/** The notice with the sequence number `key`. */
export function renderNotice(key: string, input: RenderInput): string {
  const { deliveries, watch, description, notices, run } = input.state;
  const failed = deliveries.find(({ seq }) => String(seq) === key);
  if (failed !== undefined)
    return `**The channel ${code(failed.channel)} was not reached**, or the result is unknown: ${text(failed.why)}. ferrybot does not send it again; the mentions above still count.`;
  if (String(watch.ended?.seq) === key && watch.ended !== null) return renderWatchEnd(input, watch.ended);
  if (String(description?.seq) === key && description !== null) return renderDescription(input, description);
  const notice = notices.find(({ seq }) => String(seq) === key);
  if (notice === undefined) throw new Error(`no notice ${key} in ${run}`);
  return NOTICES[notice.reason](notice, input);
}

const NOTICES: Readonly<Record<Notice['reason'], (notice: Notice, input: RenderInput) => string>> = {
  'lane-blocked': laneBlocked,
  undecided,
  incident: page,
  'watch-ended': (_, input) => renderWatchReminder(input),
  'dri-asked': chargeAsked,
  'job-unconfirmed': (_, input) => renderUnconfirmed(input),
  update: renderUpdate,
};

function chargeAsked({ about, people = [] }: Notice, { state, config }: RenderInput): string {
  const who =
    people.length === 0
      ? `No collaborator of that name has ${config.permissions.watch} permission: name another DRI in the issue, or give them access.`
      : 'Accept with `/accept` in this thread: the watch of the run is then theirs, and its incidents mention them.';
  return paragraphs(
    `**${code(about)} is the DRI of ${code(state.run)} by its contract**, which another person wrote.`,
    `${who} Nothing launches before.`,
  );
}

/** Hours since the end, and when it closes itself; a run that has continued in the meantime shows its current next action. */
function undecided({ at }: Notice, input: RenderInput): string {
  const { state, config } = input;
  const { run, proposal, end } = state;
  const { closeAfterHours } = config.lane.reminders;
  const endedAt = end === null ? null : fromRfc3339(end.at);
  const closing =
    endedAt === null || closeAfterHours === null
      ? ''
      : ` Without a decision it closes itself as not sealed at ${utc(toRfc3339(after(endedAt, closeAfterHours * HOUR_MS)))}.`;
  return paragraphs(
    `**${code(run)} waits for a decision**${end === null ? '' : `: it ended ${end.status} ${hoursSince(end.at, at)} h ago`}.`,
    `**Wanted: ${wantedLine(input)}**`,
    `Until then the lane ${code(proposal.lane)} gets no other ferry.${closing}`,
  );
}

function hoursSince(from: string, at: string): number {
  const start = fromRfc3339(from);
  return start === null ? 0 : Math.floor(((fromRfc3339(at) ?? start) - start) / HOUR_MS);
}

const HOUR_MS = 3_600_000;

/** The state of a long run, posted in its issue if nothing else has happened for some time. */
function renderUpdate({ at }: Notice, { state }: RenderInput): string {
  const { submission, observation, run } = state;
  const attempt =
    submission === null ? '' : `, ${hoursSince(submission.at, at)} h into attempt ${submission.attempt}`;
  return paragraphs(
    `**Update on ${code(run)}**${attempt}. There was no other news of the run for some time.`,
    stateText(state),
    observation === null ? null : trainingLines(observation),
  );
}

function trainingLines({ step, totalSteps, loss, checkpointStep, evals }: Observation): string {
  const shown = Object.entries(evals).map(([key, value]) => `${code(key)} ${text(value)}`);
  return nonEmpty(
    `- Training: ${progressText(step, totalSteps)}, ${loss === null ? 'no loss seen yet' : `loss ${text(loss)}`}`,
    `- Newest checkpoint: ${checkpointStep === null ? 'none was seen yet' : `step ${checkpointStep}`}`,
    shown.length > 0 && `- Evals so far: ${shown.join(', ')}`,
  ).join('\n');
}

/** What happened and what to do; the incident's own comment has the evidence. */
function page({ about }: Notice, { state, config }: RenderInput): string {
  const { incident, again } = paged(about, state);
  const { title, todo } = incidentWords(incident, placeWord(state));
  const ack =
    state.end === null
      ? `Take it: \`/ack\` by a person with ${config.permissions.ack} permission.`
      : 'The run has ended in the meantime; its card shows the open decision.';
  return paragraphs(
    `**${title}${incidentMark(incident)}** (${code(state.run)}): this needs a person.${again}`,
    `- Since: ${utc(incident.at)}; evidence: ${isIssueFirst(state.proposal) ? 'in the first comment above' : `#${state.proposal.issue}`}\n- What to do: ${todo}\n- ${ack}`,
  );
}

/** The incident of an alert, and whether it is a repeated alert. */
function paged(about: string, state: RunState) {
  const [seq = '', times] = about.split('-');
  return { incident: incidentAt(seq, state), again: times === '1' ? '' : ' It was not acknowledged yet.' };
}

function laneBlocked({ about }: Notice, input: RenderInput): string {
  const { run, proposal } = input.state;
  return paragraphs(
    `**No ferry in the lane ${code(proposal.lane)} on ${text(about)}**: ${code(run)} is not over, and a lane has one run at a time.`,
    `**Wanted: ${wantedLine(input)}**`,
    'After its end, the next run of the workflow that proposes creates the next ferry; `/propose` does it immediately.',
  );
}

/** Why a lane proposes nothing on a day, in the thread of its last run. */
export function renderNothingDue(day: NothingDue): string {
  const { lane, date, code: reason, why } = day;
  return comment(
    nothingDueMarker(day),
    `**No ferry in the lane ${code(lane)} on ${text(date)}**: ${PROPOSE_WORDS['propose-nothing']({ reason, why })}`,
  );
}

type NothingDue = {
  readonly lane: string;
  readonly date: string;
  readonly code: string;
  readonly why: string;
};

/** The marker of the comment of this day. */
export function nothingDueMarker({ lane, date }: Pick<NothingDue, 'lane' | 'date'>) {
  return { run: 'journal', kind: 'notice', key: `nothing-${lane}-${date}`, fields: {} } as const;
}

/** The message about an incident on a channel other than GitHub: only ferrybot's own words. */
export function channelMessage({ about }: Notice, state: RunState): Omit<ChannelMessage, 'url'> {
  const { incident, again } = paged(about, state);
  const { title } = incidentWords(incident, placeWord(state));
  return {
    title,
    text: `${state.run} needs a person.${again} The thread describes what to do and how to /ack:`,
  };
}
