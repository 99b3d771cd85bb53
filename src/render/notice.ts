/** Notices and incidents: what waits for people, which run it is about, and whom a comment mentions. */

import { permits } from '../domain/actor.ts';
import { assertNever } from '../domain/assert.ts';
import type { ChannelMessage } from '../domain/channel.ts';
import type { Summons } from '../domain/effect.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import { limits } from '../domain/limits.ts';
import type { Notice, RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { renderDescription, renderUnconfirmed } from './adoption-words.ts';
import { comment } from './comment.ts';
import { incidentMark, incidentWords } from './incident-words.ts';
import type { RenderInput } from './input.ts';
import { progressText } from './job-table.ts';
import { PROPOSE_WORDS } from './propose-words.ts';
import { stateLine } from './state-line.ts';
import { wantedLine } from './wanted.ts';
import { renderWatchEnd, renderWatchReminder } from './watch-words.ts';
import { code, inlineText, listed, paragraphs, placeWord, text, utc } from './words.ts';

/** The incident whose sequence number is `key`. */
export function renderIncident(key: string, state: RunState): string {
  const incident = state.incidents.find(({ seq }) => String(seq) === key);
  if (incident === undefined) throw new Error(`no incident ${key} in ${state.run}`);
  const job = state.submission === null ? '' : `\n- Job: ${code(state.submission.jobId)}`;
  const { title, evidence, did, todo } = incidentWords(incident, placeWord(state));
  return `**${title}** (${code(state.run)})

- Time: ${utc(incident.at)}${job}
- Evidence: ${evidence}
- What ferrybot did: ${did}
- What to do: ${todo}`;
}

/** People whom one comment mentions: more would teach everybody to look away. */
const MENTIONS_MAX = 20;

/** What is added to a comment: a line that pages them. `people` are those who work on the repository, as GitHub names them now. */
export function renderMentions(summons: Summons, people: Observed<readonly PersonFacts[]>): string {
  if (people.kind === 'unknown')
    return `\nMeant for ${unnamed(summons)}; nobody is mentioned: ${inlineText(people.why, limits.shownTextCharsMax)}.\n`;
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
      : ` Not among those who work on this repository: ${listed(gone.map((id) => `account ${id}`))}.`;
  return shown.length === 0 && gone.length === 0 ? '' : `\n${shown.join(' ')}${more}${missing}\n`;
}

/** A login is letters, digits and dashes (GitHub, account names); anything else is no mention of ours. */
function mentionable(login: string | undefined): readonly string[] {
  return login !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(login) ? [login] : [];
}

function unnamed({ people, permission }: Summons): string {
  const accounts = people.map((id) => `account ${id}`);
  return listed([...accounts, ...(permission === null ? [] : [`everybody with ${permission} permission`])]);
}

/** The notice whose sequence number is `key`. */
export function renderNotice(key: string, input: RenderInput): string {
  const failed = input.state.deliveries.find(({ seq }) => String(seq) === key);
  if (failed !== undefined)
    return `**The channel ${code(failed.channel)} was not reached**, or nobody knows whether it was: ${text(failed.why)}. It is not sent there again; whoever was mentioned above was mentioned.`;
  const { ended } = input.state.watch;
  if (String(ended?.seq) === key && ended !== null) return renderWatchEnd(input, ended);
  const { description } = input.state;
  if (String(description?.seq) === key && description !== null) return renderDescription(input, description);
  const notice = input.state.notices.find(({ seq }) => String(seq) === key);
  if (notice === undefined) throw new Error(`no notice ${key} in ${input.state.run}`);
  switch (notice.reason) {
    case 'lane-blocked':
      return laneBlocked(notice, input);
    case 'undecided':
      return undecided(notice, input);
    case 'incident':
      return page(notice, input);
    case 'watch-ended':
      return renderWatchReminder(input);
    case 'dri-asked':
      return chargeAsked(notice, input);
    case 'job-unconfirmed':
      return renderUnconfirmed(input);
    case 'update':
      return renderUpdate(notice, input.state);
    default:
      return assertNever(notice.reason);
  }
}

function chargeAsked({ about, people = [] }: Notice, { state, config }: RenderInput): string {
  const who =
    people.length === 0
      ? `Nobody of that name works here with ${config.permissions.watch} permission: the issue names another DRI, or somebody gives them access.`
      : '`/accept` in this thread says yes: the watch of the run is theirs then, and its incidents mention them.';
  return paragraphs(
    `**${code(about)} is in charge of ${code(state.run)} by its contract**, which somebody else wrote.`,
    `${who} Nothing is launched before.`,
  );
}

/** Hours since the end, and when it closes itself; a run that went on meanwhile says what it waits for now. */
function undecided({ at }: Notice, input: RenderInput): string {
  const { state, config } = input;
  const { run, proposal, end } = state;
  const { closeAfterHours } = config.lane.reminders;
  const endedAt = end === null ? null : fromRfc3339(end.at);
  const hours = endedAt === null ? 0 : Math.floor(((fromRfc3339(at) ?? endedAt) - endedAt) / HOUR_MS);
  const closing =
    endedAt === null || closeAfterHours === null
      ? ''
      : ` Without a decision it closes itself as not sealed at ${utc(toRfc3339(after(endedAt, closeAfterHours * HOUR_MS)))}.`;
  return paragraphs(
    `**${code(run)} waits for a decision**${end === null ? '' : `: it ended ${end.status} ${hours} h ago`}.`,
    `**Wanted: ${wantedLine(input)}**`,
    `Until then the lane ${code(proposal.lane)} gets no other ferry.${closing}`,
  );
}

/** How a run that goes on stands, told in its issue where nothing else has happened for a while. As the record stands while it is said. */
function renderUpdate({ at }: Notice, state: RunState): string {
  const { submission } = state;
  const { symbol, title, evidence } = stateLine(state);
  const launchedAt = submission === null ? null : fromRfc3339(submission.at);
  const hours =
    launchedAt === null ? 0 : Math.floor(((fromRfc3339(at) ?? launchedAt) - launchedAt) / HOUR_MS);
  const attempt = submission === null ? '' : `, ${hours} h into attempt ${submission.attempt}`;
  return paragraphs(
    `**Update on ${code(state.run)}**${attempt}. No other news of the run was told here for a while.`,
    `${symbol} **${title}.** ${evidence}`,
    trainingLines(state),
  );
}

/** What it was at when it was last seen; whether that was lately, the sentence above says. */
function trainingLines({ observation }: RunState): string | null {
  if (observation === null) return null;
  const { step, totalSteps, loss, checkpointStep, evals } = observation;
  const shown = Object.entries(evals).map(([key, value]) => `${code(key)} ${text(value)}`);
  return [
    `- Training: ${progressText(step, totalSteps)}, ${loss === null ? 'no loss seen yet' : `loss ${text(loss)}`}`,
    `- Newest checkpoint: ${checkpointStep === null ? 'none was seen yet' : `step ${checkpointStep}`}`,
    ...(shown.length === 0 ? [] : [`- Evals so far: ${shown.join(', ')}`]),
  ].join('\n');
}

const HOUR_MS = 3_600_000;

/** What happened and what to do; the evidence stands in the incident's own comment. */
function page({ about }: Notice, { state, config }: RenderInput): string {
  const incident = incidentAbout(about, state);
  const { title, todo } = incidentWords(incident, placeWord(state));
  const again = about.endsWith('-1') ? '' : ' Nobody has said yet that they took it.';
  const ack =
    state.end === null
      ? `\`/ack\` by a person with ${config.permissions.ack} permission says who took it.`
      : 'The run has ended meanwhile; its card says how it is decided.';
  return paragraphs(
    `**${title}${incidentMark(incident)}** (${code(state.run)}): this needs a person.${again}`,
    `- Since: ${utc(incident.at)}; evidence: ${isIssueFirst(state.proposal) ? 'above, where it was told first' : `#${state.proposal.issue}`}\n- What to do: ${todo}\n- ${ack}`,
  );
}

function laneBlocked({ about }: Notice, input: RenderInput): string {
  const { run, proposal } = input.state;
  return paragraphs(
    `**No ferry in the lane ${code(proposal.lane)} on ${text(about)}**: ${code(run)} is not over, and a lane has one run at a time.`,
    `**Wanted: ${wantedLine(input)}**`,
    'When it is over, the next start of the workflow that proposes brings the next ferry; `/propose` does at once.',
  );
}

/** Why a lane has nothing to propose on a day, in the thread of its last run. */
export function renderNothingDue(day: NothingDue): string {
  const { lane, date, code: reason, why } = day;
  return comment(
    nothingDueMarker(day),
    `**No ferry in the lane ${code(lane)} on ${text(date)}**: ${PROPOSE_WORDS['propose-nothing']({ reason, why }, { input: null })}`,
  );
}

type NothingDue = {
  readonly lane: string;
  readonly date: string;
  readonly code: string;
  readonly why: string;
};

/** By which the comment of this day is found again. */
export function nothingDueMarker({ lane, date }: Pick<NothingDue, 'lane' | 'date'>) {
  return { run: 'journal', kind: 'notice', key: `nothing-${lane}-${date}`, fields: {} } as const;
}

/** What a channel beside GitHub is told of an incident: words of ours alone. */
export function channelMessage({ about }: Notice, state: RunState): Omit<ChannelMessage, 'url'> {
  const incident = incidentAbout(about, state);
  const { title } = incidentWords(incident, placeWord(state));
  const again = about.endsWith('-1') ? '' : ' Nobody has said yet that they took it.';
  return {
    title,
    text: `${state.run} needs a person.${again} What to do, and /ack for who took it, stands in the thread:`,
  };
}

function incidentAbout(about: string, state: RunState): RunState['incidents'][number] {
  const [seq = ''] = about.split('-');
  const incident = state.incidents.find((one) => String(one.seq) === seq);
  if (incident === undefined) throw new Error(`no incident ${seq} in ${state.run}`);
  return incident;
}
