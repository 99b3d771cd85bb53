/** What each incident is, what ferrybot did about it and what a person should do. */

import { INCIDENTS, type Incident, type IncidentFacts } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { explainStart } from './contract-words.ts';
import { describeAlarm, describeClass, explainNoFix, explainRelaunchRefusal } from './failure-words.ts';
import { explainRefusal } from './gate-words.ts';
import type { AllIncidentWords, IncidentText, IncidentWords } from './input.ts';
import { RENTAL_INCIDENT_WORDS } from './rental-words.ts';
import { code, count, fenced, format, link, nextRunWords, type ThreadKind } from './words.ts';

/** The incident in a few words, for lists. */
export function incidentTitle({ code: known }: Pick<Incident, 'code'>): string {
  return known === null ? UNKNOWN_INCIDENT_TEXT.title : INCIDENT_WORDS[known].title;
}

/** Identifies the incident if several share its title; otherwise empty. */
export function incidentSymbol(incident: Incident): string {
  if (incident.code === 'run-alarm') return `: ${code(incident.detail.detector)}`;
  return incident.code === 'failure-signature' || incident.code === 'bad-node-unclear'
    ? ` ${code(incident.detail.signature)}`
    : '';
}

/** The words for a recorded incident. */
export function describeIncident(incident: Incident, place: ThreadKind): IncidentText {
  if (incident.code === null) return { ...UNKNOWN_INCIDENT_TEXT, evidence: code(incident.recorded.code) };
  // The table has one entry per code, and each entry gets the facts of its own code.
  const words = INCIDENT_WORDS[incident.code] as IncidentWords<'runner-refused'>;
  const facts = format(INCIDENTS[incident.code], incident.detail as object) as IncidentFacts<'runner-refused'>;
  return {
    title: words.title,
    evidence: words.evidence(facts, place),
    did: words.didFor?.(facts) ?? words.did,
    todo: words.todoFor?.(facts, place) ?? words.todo,
  };
}

const UNKNOWN_INCIDENT_TEXT = {
  title: 'This incident was recorded by another version of ferrybot',
  did: 'The card shows how the run continues.',
  todo: 'Run the version of ferrybot that recorded it.',
};

const whyText = (d: { readonly why: string }): string => d.why;
const messageText = (d: { readonly message: string }): string => d.message;
const workflowRunLink = (url: string): string => link('workflow run', url);

/** Shared by several incidents. */
const NOT_SUBMITTED = {
  did: 'Nothing was submitted. The order has ended, and the approvals with it.',
  todo: "Clear the cause, then approve again with the card's `/approve-launch` line.",
};
const WATCHING = 'ferrybot keeps watching. It changes neither the job nor the cluster.';
const RUNNER_ONLINE = 'Check that a runner for the launch workflow is online.';

const ASKED_BY: Readonly<Record<string, (place: ThreadKind) => string>> = {
  rollback: () =>
    '`/rollback` names the step of a complete checkpoint of a lineage that was not rejected; `step=0` starts from nothing.',
  'resume-as': (place) =>
    `Close this ${place}, which gives this run up, and open it again. Then continue the earlier run by another \`/resume-as\`, with a complete checkpoint of a lineage that was not rejected as its \`from=\`.`,
};

const CHECKPOINT_INCIDENT_WORDS = {
  'start-refused': {
    title: 'The first checkpoint may not be used',
    evidence: (d) => `${d.path}: ${explainStart(d.why)}.`,
    did: 'Nothing is launched from it, and ferrybot chooses no other checkpoint.',
    todo: 'The DRI names the first checkpoint in the contract: a complete one of a lineage that was not rejected, with the run that made it, or *none*.',
    todoFor: ({ asked }, place) => (asked === undefined ? null : (ASKED_BY[asked]?.(place) ?? null)),
  },
  'artefacts-missing': {
    title: 'The job succeeded, but its output is incomplete',
    evidence: (d) => `Missing: ${d.message}.`,
    did: 'Nothing was sealed.',
    todo: 'Check the output root and the tracker. `/seal` checks again; `/ack reject="…"` closes the run without a seal.',
  },
  'source-kept': {
    title: 'The launched commit is not on a target branch, and was tagged',
    evidence: (d) =>
      `Attempt ${d.attempt} runs commit ${d.commit} of the branch ${d.branch}. The tag ${d.tag} keeps this commit if the branch is deleted.`,
    did: 'ferrybot pushed the tag. The seal adds its own tag to the same commit.',
    todo: 'Nothing.',
  },
  'source-not-kept': {
    title: 'The launched commit is not on a target branch, and has no tag',
    evidence: (d) =>
      `Attempt ${d.attempt} runs commit ${d.commit} of the branch ${d.branch}, and its tag was refused: ${d.message}`,
    did: 'The job continues. Only that branch keeps its commit.',
    todo: 'Keep the branch until the run is sealed, or push a tag on that commit.',
  },
} satisfies Partial<AllIncidentWords>;

export const INCIDENT_WORDS: AllIncidentWords = {
  'runner-refused': {
    title: 'The runner refused the order',
    evidence: (d) =>
      `${explainRefusal(d.reason)} (${d.why})${d.url === undefined ? '' : ` (${workflowRunLink(d.url)})`}`,
    ...NOT_SUBMITTED,
    todoFor: (d, place) =>
      d.reason === 'stop-requested' ? `nothing: a stop is final. To continue, ${nextRunWords(place)}.` : null,
  },
  'submit-rejected': { title: 'The cluster rejected the job', evidence: whyText, ...NOT_SUBMITTED },
  'submit-conflict': {
    title: "Another job has this run's id",
    evidence: whyText,
    did: 'ferrybot submitted nothing and changed nothing. The order has ended.',
    todo: 'Find the owner of that job before anything is approved again.',
  },
  'submit-unknown': {
    title: 'The answer to the submission was lost',
    evidence: whyText,
    did: 'ferrybot searches for the job under its id and submits nothing else.',
    todo: 'Check on the cluster whether the job runs.',
  },
  'dispatch-failed': {
    title: 'The launch workflow could not be started',
    evidence: messageText,
    did: NOT_SUBMITTED.did,
    todo: "Check that the launch workflow is on the default branch and may be dispatched, then approve again with the card's line.",
  },
  'launch-failed': {
    title: 'The launch workflow failed before it took the order',
    evidence: (d) => `${d.why} (${workflowRunLink(d.url)})`,
    ...NOT_SUBMITTED,
    didFor: ({ left }) =>
      left > 0
        ? `Nothing was submitted. The order is still valid, and ferrybot starts the workflow again within minutes, at most ${count(left, 'more time')}.`
        : null,
    todoFor: ({ left }) => (left > 0 ? 'Clear the cause. No other comment is needed while the order is valid.' : null),
  },
  'launch-waiting': {
    title: 'The launch waits for a runner',
    evidence: ({ url }) => `The ${workflowRunLink(url)} has been in the queue for at least 5 min.`,
    did: 'Nothing was submitted. ferrybot starts no second launch while this one waits.',
    todo: 'Start a runner with the label `ferrybot-launch`. The launch then continues automatically while the order is valid.',
  },
  'order-expired': {
    title: 'No runner took the order in time',
    evidence: (d) => `Attempt ${d.attempt} was ordered and no runner claimed it.`,
    did: 'The order is void; nothing was submitted. Valid approvals create a new order.',
    todo: RUNNER_ONLINE,
  },
  'launch-unreadable': {
    title: 'The runner could not check the order',
    evidence: whyText,
    did: 'Nothing was submitted: the runner refuses what it cannot read. The order stays valid until it expires.',
    todo: "Nothing if GitHub was unavailable for a moment. Otherwise read the launch workflow's log and check its permissions.",
  },
  'engine-state-lost': {
    title: 'The engine does not know the job any more',
    evidence: messageText,
    did: 'ferrybot keeps asking. The result of the job is unknown, which does not mean failed.',
    todo: "Read the job's own log and output, and check whether the engine was restarted.",
  },
  'engine-unreadable': {
    title: 'The engine gives no usable answer',
    evidence: messageText,
    did: 'ferrybot keeps asking and concludes nothing.',
    todo: 'Check that the machine of the watch can reach the cluster.',
  },
  'log-withheld': {
    title: 'The watch cannot redact what the job writes',
    evidence: ({ secrets }) => `Jobs get ${secrets}, and the watch does not have it.`,
    did: 'ferrybot watches status, steps and loss. It records no log line, tracker link or metric name of the job.',
    todo: 'Give the watch the secret.',
    todoFor: ({ secrets, workflows }) =>
      `Put ${secrets} into the secrets of the environment \`ferrybot-watch\`, and under \`env:\` in ${workflows}.`,
  },
  'stop-unconfirmed': {
    title: 'The stop is not confirmed',
    evidence: messageText,
    did: 'ferrybot requested the stop and keeps asking for the status.',
    todo: 'Check the job on the cluster; it may still run.',
  },
  'failure-signature': {
    title: 'The log shows a failure signature',
    evidence: (d) =>
      `${d.signature}: ${describeClass(d.class).meaning} (${code(d.class)}): ${d.line}. ${d.response === 'reduce' ? 'The manifest permits a smaller setting.' : describeClass(d.class).ifRepeated}${d.again ? ' An earlier attempt showed it too: the change since then has not helped.' : ''}`,
    did: "Nothing yet: a log line is evidence, and only the engine's status ends a run.",
    todo: 'Read the log around this line. If the job cannot recover, end it with `/stop`.',
  },
  'run-degraded': {
    title: 'The run makes no progress, and its log mentions the cluster',
    evidence: (d) =>
      `The same step (${d.step}) in ${d.observations} checks after ${d.since}; the log shows ${d.signatures}`,
    did: `ferrybot marks the run as degraded. ${WATCHING}`,
    todo: 'Check the cluster: are nodes gone, or resources that the job waits for? `/stop` ends the job.',
  },
  'run-alarm': {
    title: 'The run shows signs of trouble',
    evidence: (d) => `${code(d.detector)}: ${describeAlarm(d.detector, d)}`,
    did: `${WATCHING} It reports this alarm once.`,
    didFor: ({ detector }) => (detector === 'green-no-op' ? 'Nothing: the job has ended.' : null),
    todo: 'Check the log and the metrics. `/stop` ends the job. If the run is healthy, do nothing.',
    todoFor: ({ detector }) =>
      detector === 'green-no-op' ? 'Check what the job has written before the run is sealed.' : null,
  },
  'monitor-stale': {
    title: 'The watch has fallen silent',
    evidence: whyText,
    did: 'ferrybot starts another watch when the last one has ended. The job itself may be healthy.',
    todo: 'Check that a runner for the watch workflow is online.',
  },
  'cluster-missing': {
    title: 'The cluster of this job was removed from the config',
    evidence: (d) =>
      `The job runs on the cluster ${d.cluster}, which is no longer in \`.github/ferrybot.yml\` on the default branch.`,
    did: 'ferrybot can neither watch nor stop the job: only the config has the address and the token of the cluster. A `/stop` stays recorded.',
    todo: "Put the cluster back into `.github/ferrybot.yml` on the default branch. The watch then continues and carries out a recorded `/stop`. Until then, stop the job only with the cluster's own tools.",
  },
  'cluster-back': {
    title: 'The cluster of this job is in the config again',
    evidence: (d) => `\`.github/ferrybot.yml\` on the default branch has the cluster ${d.cluster} again.`,
    did: 'ferrybot watches the job again and carries out a `/stop` from the meantime.',
    todo: 'Nothing if the config of the cluster is the same as before. Otherwise check whether ferrybot finds the job there.',
  },
  'logbook-broken': {
    title: 'The logbook of this run does not verify',
    evidence: (d) => `The record has a fault (${d.fault}).`,
    did: 'ferrybot does nothing more on this run.',
    todo: 'Run `ferrybot logbook verify`: it names the first bad entry. Find out who pushed to the branch.',
  },
  'card-edited': {
    title: 'The status card was edited by another person',
    evidence: (d) => `The card is not what ferrybot wrote (${d.how}).${d.by ? ` ${d.by} changed it.` : ''}`,
    did: 'Approvals from the meantime do not count. ferrybot restores the card, but at most a few times an hour.',
    todo: 'Read the restored card, and approve with its line. Everyone with write permission can edit, hide or delete a comment; the edit history names the editor. If it happens again, remove that permission.',
  },
  'seal-failed': {
    title: 'The seal could not be set',
    evidence: (d) => `${d.code}: ${d.message}`,
    did: 'Nothing was sealed. ferrybot never moves an existing tag.',
    todo: 'Check the tag of this run, then `/seal` again.',
  },
  'bad-node-unclear': {
    title: 'A bad TPU node that cannot be identified',
    evidence: (d) => `${d.signature}: ${code(d.reason)}, ${d.why}.`,
    did: 'ferrybot proposed nothing and changed nothing on the cluster.',
    todo: 'Find the worker in the log and on the cluster. Delete a bad machine by hand; `/ack` closes the failed run.',
  },
  'approval-unused': {
    title: 'The approval expired before it was used',
    evidence: (d) => `${d.kind} of ${d.target} was approved at ${d.at}, and no runner has started it in time.`,
    did: 'Nothing on the cluster was changed.',
    todo: 'Check that a runner for the care workflow is online, then approve again with the proposed line.',
  },
  'handoff-unanswered': {
    title: 'The offer of the watch was not accepted',
    evidence: (d) => `${d.login} had the offer until ${d.until} and did not comment \`/accept\`.`,
    did: 'ferrybot keeps watching. The owner of the watch does not change.',
    todo: '`/handoff @who` offers it again, also to yourself; `/stop-watching` ends it.',
  },
  'fix-made': {
    title: 'ferrybot committed a fix to the branch',
    evidence: (d) =>
      `attempt ${d.attempt} failed for this reason${d.by === undefined ? ` in ${d.place}. The fix follows from the launched files; the log only locates the error` : `. The fixer of the lane proposes this at ${d.place}. Neither the log nor a file confirms it: a person has to review it`}. Commit ${d.commit}, on ${d.base}:\n\n${fenced(d.diff, limits.shownBlockCharsMax)}\n`,
    did: 'ferrybot committed it and started nothing. It fixes a run only once.',
    todo: 'Review the diff. The card shows the new manifest; approve it to launch the next attempt. `/ack` closes the failed run instead.',
    todoFor: (d) =>
      d.beforehand === undefined
        ? null
        : `Nothing has to be done. The approved manifest ${d.beforehand} permits a fix of this file, so the next attempt launches without another approval if the launch gates pass and nothing else has changed. \`/hold\` delays it, \`/stop\` prevents it. Otherwise the card asks for an approval.`,
  },
  'fix-not-made': {
    title: 'ferrybot has no fix for this failure',
    evidence: (d) => `${explainNoFix(d.reason)} (attempt ${d.attempt}).`,
    did: 'Nothing was changed.',
    todo: 'Push a fix to the branch and approve it as the next attempt with the line of the card; `/ack` closes the failed run.',
  },
  'relaunch-refused': {
    title: 'The job is not started again',
    evidence: explainRelaunchRefusal,
    did: 'Nothing was started. ferrybot waits for a decision.',
    todo: '`/relaunch` starts the same attempt again, unless it would fail again; its answer names the requirements. Or push a fix to the branch and approve it with the line of the card. If ferrybot can list the checkpoints, `/rollback` starts from an earlier one. `/ack` closes the failed run.',
  },
  ...CHECKPOINT_INCIDENT_WORDS,
  ...RENTAL_INCIDENT_WORDS,
};
