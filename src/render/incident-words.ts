/** What each incident is, what ferrybot did about it and what a person should do. */

import type { Incident } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { startWords } from './checkpoints.ts';
import { alarmWhy, classWords, noFixWords, relaunchWords } from './failure-words.ts';
import type { AllIncidentWords, IncidentTold } from './input.ts';
import { refusalWords } from './refusal-words.ts';
import { RENTAL_INCIDENT_WORDS } from './rental-words.ts';
import { code, count, fenced, link, otherVersion, type PlaceWord, text, utc } from './words.ts';

/** The incident in a few words, for lists. */
export function incidentTitle({ code: known }: Pick<Incident, 'code'>): string {
  return known === null ? OF_ANOTHER_VERSION.title : INCIDENT_WORDS[known].title;
}

/** Which of several it is, where one title has many; empty for any other. */
export function incidentMark(incident: Incident): string {
  if (incident.code === 'run-alarm') return `: ${code(incident.detail.detector)}`;
  return incident.code === 'failure-signature' || incident.code === 'bad-node-unclear'
    ? ` ${code(incident.detail.signature)}`
    : '';
}

/** The words for a recorded incident; one of another version of ferrybot is shown as it stands. */
export function incidentWords(incident: Incident, place: PlaceWord): IncidentTold {
  if (incident.code === null) return { ...OF_ANOTHER_VERSION, evidence: otherVersion(incident.recorded) };
  // The table has one entry a code, and each is handed the facts of its own code only.
  const words = INCIDENT_WORDS[incident.code] as Omit<IncidentTold, 'evidence'> & {
    readonly evidence: (facts: object, place: PlaceWord) => string;
    readonly didFor?: (facts: object) => string | null;
    readonly todoFor?: (facts: object, place: PlaceWord) => string | null;
  };
  const { title, todo } = words;
  const { detail } = incident;
  const did = words.didFor?.(detail) ?? words.did;
  const wanted = words.todoFor?.(detail, place) ?? todo;
  return { title, did, todo: wanted, evidence: words.evidence(detail, place) };
}

const OF_ANOTHER_VERSION = {
  title: 'Something that this version of ferrybot has no words for',
  did: 'What follows for the run stands on its card.',
  todo: 'Run the version of ferrybot that recorded it.',
};

const why = (d: { readonly why: string }): string => text(d.why);
const message = (d: { readonly message: string }): string => text(d.message);
const NEW_APPROVAL = "Clear the cause, then approve again with the card's `/approve-launch` line.";

const ASKED_BY: Readonly<Record<string, (place: PlaceWord) => string>> = {
  rollback: () =>
    '`/rollback` names the step of a complete checkpoint of a line that nobody rejected; `step=0` begins from nothing.',
  'resume-as': (place) =>
    `Close this ${place}, which gives this run up, and open it again: the run before it is gone on from by another \`/resume-as\`, with a complete checkpoint of a line that nobody rejected as its \`from=\`.`,
};

const CHECKPOINT_INCIDENT_WORDS = {
  'start-refused': {
    title: 'The checkpoint to begin from may not be used',
    evidence: (d) => `${code(d.path)}: ${startWords(d.why)}.`,
    did: 'Nothing is launched from it, and no other checkpoint is taken in its place.',
    todo: 'The DRI names in the contract what the run begins from: a complete checkpoint of a line that nobody rejected, with the run that made it, or *none*.',
    todoFor: ({ asked }, place) => (asked === undefined ? null : (ASKED_BY[asked]?.(place) ?? null)),
  },
  'artefacts-missing': {
    title: 'The job says that it succeeded, and what it should have left is not there',
    evidence: (d) => `Missing: ${text(d.message)}.`,
    did: 'Nothing was sealed.',
    todo: 'Look at the output root and at the tracker. `/seal` looks again; `/ack reject="…"` closes the run without a seal.',
  },
  'source-kept': {
    title: 'What the job runs is on no target branch, and has a tag',
    evidence: (d) =>
      `Attempt ${d.attempt} runs commit ${code(d.commit)} of the branch ${code(d.branch)}. The tag ${code(d.tag)} keeps it, whatever becomes of that branch.`,
    did: 'The tag was pushed. At the seal the same commit gets the tag of the seal.',
    todo: 'Nothing.',
  },
  'source-not-kept': {
    title: 'What the job runs is on no target branch, and has no tag',
    evidence: (d) =>
      `Attempt ${d.attempt} runs commit ${code(d.commit)} of the branch ${code(d.branch)}, and its tag was refused: ${text(d.message)}`,
    did: 'The job goes on. Nothing keeps its commit but that branch.',
    todo: 'Leave the branch where it is until the run is sealed, or push a tag on that commit.',
  },
} satisfies Partial<AllIncidentWords>;

export const INCIDENT_WORDS: AllIncidentWords = {
  'runner-refused': {
    title: 'The runner refused the order',
    evidence: (d) =>
      `${refusalWords(d.reason)} (${why(d)})${d.url === undefined ? '' : ` (${link('workflow run', d.url, limits.shownTextCharsMax)})`}`,
    did: 'Nothing was submitted. The order has ended, and the approvals with it.',
    todo: NEW_APPROVAL,
    todoFor: (d, place) =>
      d.reason === 'stop-requested'
        ? `nothing: a stop is for good. Close this ${place}, and the next ferry can be proposed.`
        : null,
  },
  'submit-rejected': {
    title: 'The cluster rejected the job',
    evidence: why,
    did: 'No job was started. The order has ended, and the approvals with it.',
    todo: NEW_APPROVAL,
  },
  'submit-conflict': {
    title: "Another job has this run's id",
    evidence: why,
    did: 'ferrybot submitted nothing and touched nothing. The order has ended.',
    todo: 'Find out whose job that is before anything is approved again.',
  },
  'submit-unknown': {
    title: 'The answer to the submission was lost',
    evidence: why,
    did: 'ferrybot looks the job up under its id and submits nothing else.',
    todo: 'Look at the cluster: only there it shows whether the job runs.',
  },
  'dispatch-failed': {
    title: 'The launch workflow could not be started',
    evidence: message,
    did: 'Nothing was submitted. The order has ended, and the approvals with it.',
    todo: 'Check that the launch workflow is on the default branch and may be dispatched, then approve again with the line that the card shows.',
  },
  'launch-failed': {
    title: 'The launch workflow failed before it took the order',
    evidence: ({ why: said, url }) =>
      `${text(said)} (${link('workflow run', url, limits.shownTextCharsMax)})`,
    did: 'Nothing was submitted. The order has ended, and the approvals with it.',
    didFor: ({ left }) =>
      left > 0
        ? `Nothing was submitted. The order stands, and ferrybot starts the workflow again within minutes, at most ${count(left, 'more time')}.`
        : null,
    todo: NEW_APPROVAL,
    todoFor: ({ left }) =>
      left > 0 ? 'Clear the cause. No other comment is needed while the order stands.' : null,
  },
  'launch-waiting': {
    title: 'The launch waits for a runner',
    evidence: ({ url }) =>
      `The ${link('workflow run', url, limits.shownTextCharsMax)} has been in the queue for at least 5 min.`,
    did: 'Nothing was submitted. ferrybot starts no second launch while this one waits.',
    todo: 'Start a runner with the label `ferrybot-launch`. The launch then goes on by itself, as long as the order is valid.',
  },
  'order-expired': {
    title: 'Nobody took the order in time',
    evidence: (d) => `Attempt ${d.attempt} was ordered and no runner claimed it.`,
    did: 'The order is void; nothing was submitted. Standing approvals order it anew.',
    todo: 'Check that a runner for the launch workflow is online.',
  },
  'launch-unreadable': {
    title: 'The runner could not check the order',
    evidence: why,
    did: 'Nothing was submitted: what cannot be read counts as refused. The order stands for as long as it is valid.',
    todo: "Nothing if GitHub was away for a moment. Otherwise look at the launch workflow's log and its permissions.",
  },
  'engine-state-lost': {
    title: 'The engine does not know the job any more',
    evidence: message,
    did: 'ferrybot keeps looking. How the job ended is unknown, and unknown is not failed.',
    todo: "Look at the job's own log and output, and at whether the engine was restarted.",
  },
  'engine-unreadable': {
    title: 'The engine gives no usable answer',
    evidence: message,
    did: 'ferrybot keeps asking and concludes nothing.',
    todo: 'Check that the cluster can be reached from where the watch runs.',
  },
  'log-withheld': {
    title: 'The watch cannot redact what the job writes',
    evidence: ({ secrets }) => `Jobs get ${text(secrets)}, and the watch was not given it.`,
    did: 'ferrybot watches status, steps and loss. It records no log line, tracker link or metric name of the job.',
    todo: 'Give the watch the secret.',
    todoFor: ({ secrets, workflows }) =>
      `Put ${text(secrets)} into the secrets of the environment \`ferrybot-watch\`, and under \`env:\` in ${text(workflows)}.`,
  },
  'stop-unconfirmed': {
    title: 'The stop is not confirmed',
    evidence: message,
    did: 'ferrybot asked for the stop and keeps looking for the end.',
    todo: 'Look at the job on the cluster; it may still run.',
  },
  'failure-signature': {
    title: 'The log shows a failure signature',
    evidence: (d) =>
      `${code(d.signature)}: ${classWords(d.class).what} (${code(d.class)}): ${code(d.line)}. ${d.response === 'reduce' ? 'The manifest has approved a reduction.' : classWords(d.class).again}${d.again ? ' An earlier attempt showed it too: what was done in between has not helped.' : ''}`,
    did: "Nothing yet: a line is evidence, and only the engine's status ends a run.",
    todo: 'Read the log around this line. `/stop` ends the job if it is beyond help.',
  },
  'run-degraded': {
    title: 'The run does not move, and its log speaks of the cluster',
    evidence: (d) =>
      `The same step (${text(d.step)}) at ${text(d.looks)} looks after that of ${text(utc(d.since))}; the log shows ${code(d.signatures)}`,
    did: 'ferrybot calls the run degraded and keeps looking. It touches neither the job nor the cluster.',
    todo: 'Look at the cluster: are nodes gone, or resources that the job waits for? `/stop` ends the job.',
  },
  'run-alarm': {
    title: 'The run shows signs of trouble',
    evidence: (d) => `${code(d.detector)}: ${text(alarmWhy(d.detector, d))}`,
    did: 'ferrybot keeps looking and says this once. It touches neither the job nor the cluster.',
    todo: 'Look at the log and the metrics. `/stop` ends the job; where all is well nothing has to be done.',
  },
  'monitor-stale': {
    title: 'The watch has fallen silent',
    evidence: why,
    did: 'ferrybot starts another watch as soon as the last one it started is over. This says nothing about the job itself.',
    todo: 'Check that a runner for the watch workflow is online.',
  },
  'cluster-missing': {
    title: 'The cluster of this job was taken out of the config',
    evidence: (d) =>
      `The job runs on the cluster ${code(d.cluster)}, and \`.github/ferrybot.yml\` on the default branch has no such cluster any more.`,
    did: 'Nothing can watch or stop the job: where a cluster is, and which token is for it, is taken from the config of the default branch alone. A `/stop` stays in the record.',
    todo: "Put the cluster back into `.github/ferrybot.yml` on the default branch: the watch then goes on, and a `/stop` is carried out without being said again. Until then the job is stopped by the cluster's own means alone.",
  },
  'cluster-back': {
    title: 'The cluster of this job is in the config again',
    evidence: (d) =>
      `\`.github/ferrybot.yml\` on the default branch has the cluster ${code(d.cluster)} once more.`,
    did: 'The job is watched again. A `/stop` that was said meanwhile is carried out now.',
    todo: 'Nothing, if the config says the same of the cluster as before. Otherwise look at whether the job is found there.',
  },
  'logbook-broken': {
    title: 'The logbook of this run does not verify',
    evidence: (d) => `What stands there is at fault (${code(d.fault)}).`,
    did: 'ferrybot does nothing more on this run.',
    todo: 'Run `ferrybot logbook verify`: it names the first bad entry. Find out who pushed to the branch.',
  },
  'card-edited': {
    title: 'Somebody else changed the status card',
    evidence: (d) =>
      `The card is not what ferrybot wrote (${code(d.how)}).${d.by ? ` It was changed by ${text(d.by)}.` : ''}`,
    did: 'Approvals that were given meanwhile do not count. ferrybot restores the card, but at most a few times an hour.',
    todo: 'Read the restored card, and approve with the line that it shows then. Everyone with write permission can edit, hide or delete a comment; the edit history names the editor. If it happens again, remove that permission.',
  },
  'seal-failed': {
    title: 'The seal could not be set',
    evidence: (d) => `${code(d.code)}: ${text(d.message)}`,
    did: 'Nothing was sealed; a tag that stands is never moved.',
    todo: 'Look at the tag of this run, then `/seal` again.',
  },
  'bad-node-unclear': {
    title: 'A bad TPU node, and it is not certain which',
    evidence: (d) => `${code(d.signature)}: ${code(d.reason)}, ${why(d)}.`,
    did: 'Nothing was proposed and nothing on the cluster was touched.',
    todo: 'Find the worker in the log and on the cluster. A machine that is bad is deleted by hand; `/ack` closes the failed run.',
  },
  'approval-unused': {
    title: 'The consent ran out before it was used',
    evidence: (d) =>
      `${code(d.kind)} of ${code(d.target)} was consented to at ${text(d.at)} and no runner has begun it in time.`,
    did: 'Nothing on the cluster was touched.',
    todo: 'Check that a runner for the care workflow is online, then give the consent again, with the line that was proposed.',
  },
  'handoff-unanswered': {
    title: 'Nobody took the watch that was offered',
    evidence: (d) =>
      `It was offered to ${text(d.login)} until ${utc(d.until)}, who has not said \`/accept\`.`,
    did: 'ferrybot goes on watching. The watch stays with whoever had it.',
    todo: '`/handoff @who` offers it again, also to yourself; `/stop-watching` ends it.',
  },
  'fix-made': {
    title: 'A slip was put right on the branch',
    evidence: (d) =>
      `attempt ${d.attempt} died of it${d.by === undefined ? ` in ${code(d.place)}. The correction follows from the files that ran, not from what the log proposes` : `. The fixer of the lane proposes this at ${code(d.place)}, and nothing but its reader knows whether it is right: no log and no file bears it out`}. Commit ${code(d.commit)}, on ${code(d.base)}:\n\n${fenced(d.diff, limits.shownBlockCharsMax)}\n`,
    did: 'It was committed and nothing was started. Only one such try is made in a run.',
    todo: 'Read the difference. The card shows the new manifest, which is approved as the first one was, and launched as the next attempt; `/ack` closes the failed run.',
    todoFor: (d) =>
      d.beforehand === undefined
        ? null
        : `Nothing has to be done: the manifest ${code(d.beforehand)} that was approved names this file, so that the next attempt is launched without another approval once the launch gates pass, where nothing but this difference is new. \`/hold\` keeps it back, \`/stop\` for good. If it is not launched so, it takes an approval of what the card shows.`,
  },
  'fix-not-made': {
    title: 'No program puts this right',
    evidence: (d) => `${noFixWords(d.reason)} (attempt ${d.attempt}).`,
    did: 'Nothing was changed.',
    todo: 'A fix that somebody pushes to the branch can be approved as the next attempt, with the line that the card then shows; `/ack` closes the failed run.',
  },
  'relaunch-refused': {
    title: 'The job is not started again',
    evidence: relaunchWords,
    did: 'Nothing was started, and nothing is until a person decides.',
    todo: '`/relaunch` starts the same again, unless it would end the same; its answer says what that takes. A fix that is pushed to its branch can be approved as the next attempt, with the line that the card then shows; where its checkpoints can be listed, `/rollback` begins at an earlier one; `/ack` closes the failed run.',
  },
  ...CHECKPOINT_INCIDENT_WORDS,
  ...RENTAL_INCIDENT_WORDS,
};
