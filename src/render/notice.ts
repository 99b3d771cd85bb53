/** Notices and incidents: what waits for people, in which run, and the people that a comment mentions. */

import { isIssueFirst, permits } from '../domain/actor.ts';
import type { ChannelMessage, Mentions } from '../domain/effect.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { faultKey, type LogbookFault } from '../domain/logbook/logbook-fault.ts';
import type { Notice, Observation, RunState } from '../domain/logbook/run-state.ts';
import { markerIdentity } from '../domain/marker.ts';
import { addMs, assertNever, formatDuration, fromRfc3339, type Observed, toRfc3339 } from '../domain/values.ts';
import { describeIncident, incidentSymbol } from './incident-words.ts';
import type { IncidentText, RenderInput } from './input.ts';
import { progressText } from './job-table.ts';
import { renderNextStep, renderWatchEnd, renderWatchReminder } from './next-step.ts';
import { PROPOSE_WORDS, renderDescription, renderUnconfirmed } from './propose-words.ts';
import { renderStateLine } from './state-line.ts';
import { code, comment, joinAnd, measured, nonEmpty, paragraphs, shortCommit, text, threadKind, utc } from './words.ts';

/** The incident with the sequence number `key`. */
export function renderIncident(key: string, state: RunState): string {
  const { submission, run } = state;
  const incident = findIncident(key, state);
  const words = describeIncident(incident, threadKind(state));
  const lines = nonEmpty(`Time: ${utc(incident.at)}`, submission !== null && `Job: ${code(submission.jobId)}`);
  return renderIncidentText(`**${words.title}** (${code(run)})`, lines, words);
}

function findIncident(key: string, { incidents, run }: RunState): RunState['incidents'][number] {
  const incident = incidents.find(({ seq }) => String(seq) === key);
  if (incident === undefined) throw new Error(`no incident ${key} in ${run}`);
  return incident;
}

/** Limit of people that one comment mentions: with more, everyone would ignore it. */
const MENTIONS_MAX = 20;

/** The line of mentions at the end of a comment. `people` are the current collaborators. */
export function renderMentions(summons: Mentions, people: Observed<readonly PersonFacts[]>): string {
  if (people.kind === 'unknown') return `\nFor ${mentionFallback(summons)}, without a mention: ${text(people.why)}.\n`;
  const { permission } = summons;
  const byId = new Map(people.value.map((one) => [one.actor.id, one.actor.login]));
  const permitted =
    permission === null
      ? []
      : people.value.filter((one) => permits(one.permission, permission)).map(({ actor }) => actor.login);
  const named = summons.people.flatMap((id) => mentionIfLogin(byId.get(id)));
  const logins = [...new Set([...named, ...permitted.flatMap(mentionIfLogin)])];
  const shown = logins.slice(0, MENTIONS_MAX).map((login) => `@${login}`);
  const more = logins.length > shown.length ? ` and ${logins.length - shown.length} more` : '';
  const gone = summons.people.filter((id) => mentionIfLogin(byId.get(id)).length === 0);
  const missing =
    gone.length === 0 ? '' : ` Not a collaborator of this repository: ${joinAnd(gone.map((id) => `account ${id}`))}.`;
  return shown.length === 0 && gone.length === 0 ? '' : `\n${shown.join(' ')}${more}${missing}\n`;
}

/** A login is letters, digits and dashes (GitHub, account names); anything else gets no mention. */
function mentionIfLogin(login: string | undefined): readonly string[] {
  return login !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(login) ? [login] : [];
}

function mentionFallback({ people, permission }: Mentions): string {
  const accounts = people.map((id) => `account ${id}`);
  return joinAnd([...accounts, ...(permission === null ? [] : [`everyone with ${permission} permission`])]);
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
  return NOTICE_RENDERERS[notice.reason](notice, input);
}

const NOTICE_RENDERERS: Readonly<Record<Notice['reason'], (notice: Notice, input: RenderInput) => string>> = {
  'lane-blocked': renderLaneBlocked,
  undecided: renderUndecided,
  incident: renderPage,
  'watch-ended': (_, input) => renderWatchReminder(input),
  'dri-asked': renderChargeRequest,
  'job-unconfirmed': (_, input) => renderUnconfirmed(input),
  update: renderUpdate,
};

function renderChargeRequest({ about, people = [] }: Notice, { state, config }: RenderInput): string {
  const who =
    people.length === 0
      ? `No collaborator of that name has ${config.permissions.watch} permission: name another DRI in the issue, or give them access.`
      : 'Accept with `/accept` in this thread: the watch of the run is then theirs, and its incidents mention them.';
  return paragraphs(
    `**${code(about)} is the DRI of ${code(state.run)} by its contract**, which another person wrote.`,
    `${who} Nothing launches before.`,
  );
}

/** The time since the end, and when it closes itself; a run that has continued in the meantime shows its current next action. */
function renderUndecided({ at }: Notice, input: RenderInput): string {
  const { state, config } = input;
  const { run, proposal, end } = state;
  const { closeAfterHours } = config.lane.reminders;
  const endedAt = end === null ? null : fromRfc3339(end.at);
  const closing =
    endedAt === null || closeAfterHours === null
      ? ''
      : ` Without a decision it closes itself as not sealed at ${utc(toRfc3339(addMs(endedAt, closeAfterHours * HOUR_MS)))}.`;
  return paragraphs(
    `**${code(run)} waits for a decision**${end === null ? '' : `: it ended ${end.status} ${timeBetween(end.at, at)} ago`}.`,
    `**Wanted: ${renderNextStep(input)}**`,
    `Until then the lane ${code(proposal.lane)} gets no other run.${closing}`,
  );
}

function timeBetween(from: string, to: string): string {
  return formatDuration(Date.parse(to) - Date.parse(from));
}

const HOUR_MS = 3_600_000;

/** The state of a long run, posted in its issue if nothing else has happened for some time. */
function renderUpdate({ at }: Notice, { state }: RenderInput): string {
  const { submission, observation, run } = state;
  const attempt = submission === null ? '' : `, ${timeBetween(submission.at, at)} into attempt ${submission.attempt}`;
  return paragraphs(
    `**Update on ${code(run)}**${attempt}. There was no other news of the run for some time.`,
    renderStateLine(state),
    observation === null ? null : renderTraining(observation),
  );
}

function renderTraining({ step, totalSteps, loss, checkpointStep, evals }: Observation): string {
  const shown = Object.entries(evals).map(([key, value]) => `${code(key)} ${measured(value)}`);
  return nonEmpty(
    `- Training: ${progressText(step, totalSteps)}, ${loss === null ? 'no loss seen yet' : `loss ${measured(loss)}`}`,
    `- Newest checkpoint: ${checkpointStep === null ? 'none was seen yet' : `step ${checkpointStep}`}`,
    shown.length > 0 && `- Evals so far: ${shown.join(', ')}`,
  ).join('\n');
}

/** What happened and what to do; the incident's own comment has the evidence. */
function renderPage({ about }: Notice, { state, config }: RenderInput): string {
  const { incident, again } = findPagedIncident(about, state);
  const { title, todo } = describeIncident(incident, threadKind(state));
  const ack =
    state.end === null
      ? `Take it: \`/ack\` by a person with ${config.permissions.ack} permission.`
      : 'The run has ended in the meantime; its card shows the open decision.';
  return paragraphs(
    `**${title}${incidentSymbol(incident)}** (${code(state.run)}): this needs a person.${again}`,
    `- Since: ${utc(incident.at)}; evidence: ${isIssueFirst(state.proposal) ? 'in the first comment above' : `#${state.proposal.issue}`}\n- What to do: ${todo}\n- ${ack}`,
  );
}

/** The incident of an alert, and whether it is a repeated alert. */
function findPagedIncident(about: string, state: RunState) {
  const [seq = '', times] = about.split('-');
  return { incident: findIncident(seq, state), again: times === '1' ? '' : ' It was not acknowledged yet.' };
}

function renderLaneBlocked({ about }: Notice, input: RenderInput): string {
  const { run, proposal } = input.state;
  return paragraphs(
    `**No ferry in the lane ${code(proposal.lane)} on ${text(about)}**: ${code(run)} is not over, and a lane has one run at a time.`,
    `**Wanted: ${renderNextStep(input)}**`,
    'After its end, the next run of the workflow that proposes creates the next ferry; `/propose` does it immediately.',
  );
}

/** Why a lane proposes nothing on a day, in the thread of its last run. */
export function renderNothingDue(day: NothingDue): string {
  const { lane, date, code: reason, why } = day;
  return comment(
    buildNothingDueMarker(day),
    `**No ferry in the lane ${code(lane)} on ${text(date)}**: ${PROPOSE_WORDS['propose-nothing']({ reason, why })}`,
  );
}

type NothingDue = { readonly lane: string; readonly date: string; readonly code: string; readonly why: string };

/** The marker of the comment of this day. */
export function buildNothingDueMarker({ lane, date }: Pick<NothingDue, 'lane' | 'date'>) {
  return { run: 'journal', kind: 'notice', key: `nothing-${lane}-${date}`, fields: {} } as const;
}

/** The message about an incident on a channel other than GitHub: only ferrybot's own words. */
export function channelMessage({ about }: Notice, state: RunState): Omit<ChannelMessage, 'url'> {
  const { incident, again } = findPagedIncident(about, state);
  const { title } = describeIncident(incident, threadKind(state));
  return { title, text: `${state.run} needs a person.${again} The thread describes what to do and how to /ack:` };
}

export type FaultNotice = {
  /** The run of the broken logbook, `journal`, or the run that reports a fault of the branch in its thread. */
  readonly run: string;
  readonly fault: LogbookFault;
  readonly branch: string;
  /** Whether the run rents machines. */
  readonly isRental?: boolean;
};

/** The marker that ferrybot searches in a thread before it reports the fault again. */
export function buildLogbookFaultMarker({ run, fault }: FaultNotice): string {
  return markerIdentity({ run, kind: 'incident', key: faultKey(fault) });
}

/** What happened, the evidence, what ferrybot did, and what a person should do. */
export function renderLogbookFault(notice: FaultNotice): string {
  const { run, fault } = notice;
  const words = describeFault(notice);
  const body = renderIncidentText(`**${words.title}**`, [], { ...words, evidence: describeEvidence(fault) });
  return comment({ run, kind: 'incident', key: faultKey(fault), fields: {} }, body);
}

const REPAIR = 'run `ferrybot logbook repair` in a clone of the repository';
const PROTECT_TAGS = 'protect the tags `ferry/**` by a ruleset.';

function describeFault(notice: FaultNotice): Omit<IncidentText, 'evidence'> {
  const { run, fault, branch } = notice;
  const logbook = run === 'journal' ? 'The journal' : `The logbook of ${code(run)}`;
  switch (fault.kind) {
    case 'bad-entry':
      return fault.isOfUnknownType === true
        ? {
            title: `This release cannot read all of ${logbook.replace('The', 'the')}`,
            did: describeBlocked(notice),
            todo: `bring everything that reads ${code(branch)} to the newest release that the lab uses, including the process that reports this: the entry is valid there. If no newer release is in use, a stranger has the key: replace the key, then run \`ferrybot logbook repair\`, which removes the entry. Do not run it before: a release that does not know the type removes valid entries of a newer one.`,
          }
        : {
            title: `${logbook} does not verify`,
            did: describeBlocked(notice),
            todo: `find out who pushed to ${code(branch)}, and ${REPAIR} (\`--dry-run\` first shows the changes): a new commit removes unsigned entries. If a key was removed from the config, good entries become bad: restore the key instead. ferrybot then continues.`,
          };
    case 'entry-missing':
    case 'branch-missing':
    case 'branch-rewound':
      return {
        title:
          fault.kind === 'entry-missing'
            ? `${logbook} does not verify`
            : `The logbook's branch ${code(branch)} ${fault.kind === 'branch-missing' ? 'is gone' : 'was put back'}`,
        did: describeBlocked(notice),
        todo: `find out who moved ${code(branch)}, and ${REPAIR}, preferably in the clone with the newest fetch: a new commit restores what marks, history and the clone contain. ferrybot then continues. Protect the branch so that only ferrybot may push to it.`,
      };
    case 'push-refused':
      return {
        title: `${logbook} cannot be written`,
        did: 'ferrybot does nothing that it cannot record: no approval, no launch, no seal, and no answers until a push succeeds. Nothing is lost: ferrybot then answers every command in this thread, so do not repeat any. A running job continues.',
        todo: `if the message reports no space, free some on the machine that reported it (the git server's disk, or the machine of ferrybot); otherwise check the rules of ${code(branch)} and whether ferrybot may push to it. ferrybot retries automatically.`,
      };
    case 'seal-tag':
      return {
        title: `The seal of ${code(run)} has lost its tag`,
        did: 'ferrybot trusts the valid record and continues. It never moves or restores a tag: a person removed it.',
        todo: `find out who did it, put it back with ${code(restoreTagCommand(fault))}, and ${PROTECT_TAGS}`,
      };
    case 'tag-without-seal':
      return {
        title: `A tag seals ${code(run)}, and the record does not`,
        did: 'ferrybot trusts the record: the run counts as not sealed, and no later verdict is compared with it. It never removes a tag: a person may have made it on purpose.',
        todo: `find out who made it: an interrupted seal, or a person. Remove it with ${code(`git push --delete origin refs/tags/${fault.tag}`)}, unless the run is still open and will be sealed: \`/seal\` adopts a tag on the launch commit. Then ${PROTECT_TAGS}`,
      };
    case 'look-failed':
      return {
        title: failedObservationTitle(run, fault.subject),
        did:
          fault.subject?.kind === 'comment'
            ? 'ferrybot skipped that comment and processed all others. Nothing in that comment took effect.'
            : 'ferrybot skipped it, processed everything else, and will retry. Until then, new commands and pushes there may get no answer and nothing new starts there. A running job continues; if the watch met the error, the job is unwatched.',
        todo:
          fault.subject?.kind === 'comment'
            ? 'write the command again in a new comment, with nothing else in it. The log of the process (*a look failed*) has the place of the error in the program.'
            : "read the log of the process (*a look failed*): it has the place of the error in the program. If a recent comment, push or edit caused it, take that back. Stop a running job with the cluster's own tools.",
      };
    case 'read-failed':
      return {
        title: `${logbook} could not be read`,
        did: 'ferrybot skipped this file and processed the others. Everything that depends on it waits: no approval, no seal, no answers, and a job of its run is unwatched. Nothing launches meanwhile, because the file may forbid it.',
        todo: "run `ferrybot logbook verify` in a clone of the repository to check the entries. Then read the log of the process (*could not be read*), which has the place in the program. Stop a running job with the cluster's own tools.",
      };
    default:
      return assertNever(fault);
  }
}

function failedObservationTitle(
  run: string,
  subject: Extract<LogbookFault, { kind: 'look-failed' }>['subject'],
): string {
  if (subject !== null) return `The ${subject.kind} ${code(subject.name)} could not be processed`;
  return run === 'journal' ? 'A check of what belongs to no run failed' : `${code(run)} could not be processed`;
}

/** The evidence for a fault, as one sentence. */
export function describeEvidence(fault: LogbookFault): string {
  switch (fault.kind) {
    case 'bad-entry':
      return `line ${fault.line} (entry ${fault.seq}) is bad: ${code(fault.reason)}, ${text(fault.message)}. Every entry before it is valid.`;
    case 'entry-missing':
      return `entry ${fault.seq} with the hash ${code(fault.hash)} was there, and is missing now.`;
    case 'branch-missing':
      return 'ferrybot has written to it before, and it does not exist any more. ferrybot starts no new logbook in its place.';
    case 'branch-rewound':
      return `it was read at ${shortCommit(fault.was)}, and ${shortCommit(fault.now)} does not continue from there.`;
    case 'push-refused':
      return `the push after entry ${fault.after} was refused: ${code(fault.message)}. The existing entries are valid.`;
    case 'seal-tag':
      return `the record seals ${shortCommit(fault.commit)} as ${code(fault.tag)}, and ${fault.found === null ? 'there is no such tag' : `that tag points to ${shortCommit(fault.found)}`}.`;
    case 'tag-without-seal':
      return `there is a tag ${code(fault.tag)} on ${shortCommit(fault.found)}, and the run is not sealed in the record, which is valid.`;
    case 'look-failed':
      return `ferrybot had an internal error: ${code(fault.message)}. The record is valid.`;
    case 'read-failed':
      return `ferrybot had an internal error while it read the file: ${code(fault.message)}. Whether the record is valid is unknown.`;
    default:
      return assertNever(fault);
  }
}

/** What ferrybot stops doing while a record does not verify. */
function describeBlocked({ run, fault, isRental }: FaultNotice): string {
  const isBranch = fault.kind === 'branch-missing' || fault.kind === 'branch-rewound';
  if (run === 'journal' && !isBranch)
    return 'It launches nothing. It keeps watching running jobs; `/stop` works in the threads of its run, and in any thread with `run=NAME`. Commands that need the journal wait until it is repaired.';
  const rented = isRental
    ? ' A machine that it rents is destroyed before a limit of the approval is exceeded: cost and idle time count from the last good entry.'
    : '';
  const did = isBranch
    ? 'It does nothing more in this repository: no approval, no launch, no seal, and no answers. A running job continues unwatched; `/stop` stops it by its id.'
    : 'It does nothing more on this run: no approval, no launch, no seal. A running job continues unwatched; `/stop` stops it by the id in the last good entry.';
  return `${did}${rented}`;
}

function restoreTagCommand({ tag, commit, found }: Extract<LogbookFault, { kind: 'seal-tag' }>): string {
  return `git push ${found === null ? '' : '--force '}origin ${commit}:refs/tags/${tag}`;
}

/** The comment about an incident or a broken logbook; `lines` come first. */
function renderIncidentText(title: string, lines: readonly string[], words: Omit<IncidentText, 'title'>): string {
  const { evidence, did, todo } = words;
  const all = [...lines, `Evidence: ${evidence}`, `What ferrybot did: ${did}`, `What to do: ${todo}`];
  return `${title}\n\n${all.map((line) => `- ${line}`).join('\n')}`;
}
