/** docs/operations.md as text: what each incident comment means for the person on call, and what to do. */

import { SWEEP_PERIOD_MS } from '../../src/app/server/serve-options.ts';
import { SIGNATURES } from '../../src/diagnosis/rows.ts';
import { FIRST_RESPONSE, type FirstResponse } from '../../src/domain/failure-class.ts';
import { INCIDENT_CODES } from '../../src/domain/incidents.ts';
import { limits } from '../../src/domain/limits.ts';
import { describeClass } from '../../src/render/failure-words.ts';
import { INCIDENT_WORDS } from '../../src/render/incident-words.ts';
import { FAULT_NOTES, ON_CALL_NOTES } from './on-call-notes.ts';

/** The page, from the words of the comments themselves and the notes beside this file. */
export function operationsPage(): string {
  const parts = [
    INTRODUCTION,
    SILENT,
    '## Incidents\n\nThe first column has the first line of the comment and the code that `ferrybot logbook show` prints.',
    incidentTable(),
    SIGNATURE_INTRODUCTION,
    signatureTable(),
    FAULT_INTRODUCTION,
    table(
      ['first words of the comment', 'what to do'],
      Object.values(FAULT_NOTES).map(({ title, next }) => [title, next]),
    ),
    FULL_DISK,
    FIX,
    AFTERWARDS,
  ];
  return `${parts.join('\n\n')}\n`;
}

const minutes = (durationMs: number): number => Math.round(durationMs / 60_000);

const INTRODUCTION = `# On call

<!-- Made by scripts/operations-docs.ts from src/render and scripts/operations; a test holds it against them. -->

Every incident is a comment in the run's thread. Its last line is the next action. The [table of incidents](#incidents) adds whether a job may be running, whether the incident can wait, and what to check.

If the config names people (\`inCharge\` of the lane, \`onCall\`), an incident that needs a person mentions and assigns the owner and the people on call, in the thread of the approvers. During quiet hours, only urgent incidents do. Comment \`/ack\` there to confirm that you respond; otherwise ferrybot mentions people once more.

\`onCall.channels\` adds channels such as Discord or Slack. The process that records the incident sends the message, so the channel's address must be a secret in the environment of *ferrybot watch* and of the server or *ferrybot chat*. The record shows each delivery, and the thread shows a failed one.

## First

1. **Check the state:** \`/status\` shows the state of the run with its evidence and the time of the observation. \`/why\` shows what blocks the launch.
2. **Stop a job:** \`/stop\` reaches the cluster within a minute and is repeated until the engine confirms the end. If the engine does not confirm, ferrybot reports *The stop is not confirmed*. If the threads of the run are deleted, comment \`/stop run=name-of-the-run\` in any other thread.
3. **Block launches:** \`/hold\` blocks this run, \`/hold lane=daily\` the lane \`daily\`, \`/hold scope=repository\` everything. \`/unhold\` with the same arguments lifts the hold. A hold does not stop a running job.
4. **Hand over:** \`/handoff @who\` offers the watch with a summary, and \`/accept\` transfers it: incidents then mention the new owner. \`/until step=3000\` or \`/until time=18:30\` ends the watch at that point, \`/stop-watching\` ends it now. The job continues without alarms and restarts, and its lane stays taken until its end is known. \`/watch\` starts the watch again.
5. **Repeat anything:** you can run every workflow of ferrybot again. An order is claimed once, a job has one id, a watch needs its lease, and a consent is used once.
6. **Unknown is not failed:** ferrybot concludes nothing from what it cannot read. A job without progress whose engine reports RUNNING is not an incident by itself; the card shows the last step and its time.`;

const SILENT = `## ferrybot does not respond

| what is silent | normal delay | what to do |
|---|---|---|
| commands, with a server | seconds; without webhooks up to ${minutes(SWEEP_PERIOD_MS)} min, at worst twice that ([0116](decisions/0116-react-to-any-trigger-the-same-way.md)) | Check the App's page → *Advanced* → deliveries, and the output of \`ferrybot serve\`. You can restart the server at any time: pending work is in the record. To bypass it, set the repository variable \`FERRYBOT_SERVER\` to anything but \`on\` and dispatch *ferrybot chat* |
| commands, with workflows only | comments: one or two minutes; reviews, pull request events and lost events: 10 min | Check the runs of *ferrybot chat*, or dispatch it |
| an ordered launch | minutes | Check the runs of *ferrybot launch*: is one waiting for a runner, or for the approval of the environment? An order expires after ${minutes(limits.orderLifetimeMs)} min |
| a ferry on a scheduled day | until the propose workflow has run and the question about the objective was answered, or its deadline has passed (\`objectiveBy\`) | Read the pull request of the lane's last ferry. Once a day it names the run that blocks the lane with the command to use, or says that no candidate is due; on hold it says nothing. The question is an open issue with the label of the lane. Otherwise, check the runs of *ferrybot daily* |
| your own pull request with a lane's label | with a server: seconds, without webhooks up to an hour; with workflows only: 10 min. If the lane is busy, ferrybot starts the run when the lane is free | Read the comment in the pull request: another run blocks, a hold, a fork, a draft, or no change of the experiment. A label from before the end of the last run has no effect: remove it and add it again |
| the card of a running job | its values may be half an hour old ([0115](decisions/0115-derive-every-post-from-the-record.md)) | \`/status\` is always current. Check the runs of *ferrybot watch*, or dispatch it with the cluster |
| everything | - | Check GitHub's status page and \`npx ferrybot doctor\`. A running job continues. You can stop it with the tools of the cluster: ferrybot records any end that it observes |`;

function incidentTable(): string {
  const rows = INCIDENT_CODES.map((code) => {
    const { job, wait, next } = ON_CALL_NOTES[code];
    return [`**${INCIDENT_WORDS[code].title}** \`${code}\``, job, wait, next];
  });
  return table(['incident', 'may a job be running?', 'can it wait?', 'what to check'], rows);
}

const SIGNATURE_INTRODUCTION = `## What a signature asks for

A signature is a line of the job's log that matches a row of the diagnosis. The card shows its class if the job fails with it. It is evidence; only the engine's status ends a run. \`ferrybot replay --log job.log\` finds the same signatures in a log file.`;

const RESPONSE_WORDS: Readonly<Record<FirstResponse, string>> = {
  escalate:
    'Ask the owner of the run: ferrybot does not restart or fix it without a person. After an out-of-memory error, the incident names an approved reduction that is left.',
  'retry-bounded':
    'Infrastructure. A restart may work. Several failures without a step between them have another cause.',
  'propose-node':
    'A bad machine. For `no-accelerator`, `driver-cleanup` and `device-busy` on a TPU, ferrybot proposes in the thread to delete the node after the job has failed; the `/approve DIGEST` line of the proposal approves it.',
  'small-fix-once':
    'A small error in one file of the code, outside data loading: [a fix on the branch of the ferry](#a-fix-after-a-failed-attempt) with a new approval. If the same failure happens again, ferrybot asks people.',
  wait: 'No failure: the cluster has no capacity yet. An exhausted quota needs a person.',
  none: 'Nothing to do.',
};

function signatureTable(): string {
  const byClass = [...Map.groupBy(SIGNATURES, (row) => row.class)];
  const byResponse = Map.groupBy(byClass, ([kind]) => FIRST_RESPONSE[kind]);
  return [...byResponse]
    .map(([response, classes]) => {
      const lines = classes.map(
        ([kind, signatures]) =>
          `- \`${kind}\`, ${describeClass(kind).meaning}: ${signatures.map(({ signature }) => `\`${signature}\``).join(', ')}`,
      );
      return `${RESPONSE_WORDS[response]}\n\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

const FAULT_INTRODUCTION = `## The logbook cannot be trusted

\`npx ferrybot logbook repair\` in any clone repairs the first four faults. It needs no key, fetches by itself and pushes one new commit (\`--dry-run\` pushes nothing). Until then, ferrybot launches, approves and seals nothing that the fault concerns; the last fault blocks nothing. A running job stays unwatched. \`/stop\` still stops it by the job's id if the marks know a good version. After the repair ferrybot continues by itself.`;

const FULL_DISK = `## A job says that a disk is full

If the cluster has disk care (\`clusters.NAME.disk\`), control starts the workflow \`workflows.diskScan\` for it immediately. The thread of the run then gets the result with a link to the issue of the cluster's disks, which shows the digest to approve. A scan that records no result is started at most three times; after that, the schedule scans. The runs of the workflow show the reason. Without disk care, ferrybot scans nothing.`;

const FIX = `## A fix after a failed attempt

1. Wait for the end. A fix follows only an attempt with the engine status FAILED; a push while the job ran counts then. After a \`/stop\`, a success, a seal or \`/ack\`, no fix follows.
2. Push the fix to the branch of the ferry. It may change the files in \`scope\` and, for fixes, in \`fixScope\`; the gate \`scope\` lists them. In the experiment file it may change values only. Fix the code of that file on the target branch and merge it into the ferry's branch. Files that the job does not get need no new approval.
3. Describe the error in the ferry issue: the gate \`issue-updated\` requires a comment after the change.
4. The card shows the difference from the failed attempt: files, knobs and every other part of the manifest. An approver who did not write the fix comments the line on the card. The approval of the failed attempt no longer counts.
5. The launch is the next attempt of the run. The runner checks everything again. The attempt writes to the same output root; ferrybot passes no checkpoint, so the job itself decides whether to resume.
6. If it fails with the signature of an earlier attempt with other files, there is no further attempt: find the cause, comment \`/ack\`, and propose the next ferry. People must compare failures without a known signature.

ferrybot does steps 2 and 3 itself, once per run, if the interpreter names the small error (a misspelt name, a missing import, comma or colon) in one file of \`fixScope\`. It commits the fix on the branch and shows the diff in the issue and on the card. It derives the fix from the files that ran, and uses the suggestion in the log only if both agree. It changes nothing during a hold, after another push, or in the experiment file. Step 4 always needs a person. \`ferrybot fix --log job.log --tree DIR\` does the same for a log and a checkout.

A bad node needs no fix: after its replacement the same manifest restarts under its existing approval, at most \`restartsMax\` times. A fix that is ordered first takes its place.`;

const AFTERWARDS = `## In the morning

- **Read the night:** \`git clone --single-branch --branch ferrybot/logbook …\`, then \`npx ferrybot logbook show PATH\` prints every entry, and \`logbook verify PATH\` checks them. ferrybot overwrites \`logbook.md\`: write notes in the issue.
- **Close runs:** close a failed run with \`/ack\`, or [fix it](#a-fix-after-a-failed-attempt); close a successful run with \`/seal\`. Until then its lane is taken. ferrybot reminds people as \`reminders\` of the lane says: first the approvers and the requester, then everybody who may decide. With \`closeAfterHours\`, the run closes itself as not sealed.
- **Install a new release:** update every process that reads the logbook together. Stop the server, merge the new pins in \`.github/workflows\`, wait for running workflows, and start the server on the new release. An older process does nothing with an entry type that it does not know, and reports in the thread that a newer release wrote it. A \`/stop\` or an observation by the older process is added after the last entry that it knows, which removes the newer entries. So do not run an older process beside a newer one.
- **A signing key leaked:** comment \`/hold scope=repository\`. Create a new pair, add its public half to \`keys\` with \`from\`, set \`until\` of the old key to now in a reviewed pull request (earlier signatures stay valid), and replace the secret.
- **A key is a secret of the repository or the organisation** (\`no-key-outside\` of \`ferrybot doctor\`): every branch can read it, so moving it is not enough. Create the environment \`ferrybot-control\` for the default branch only, copy the workflows of the release, create a new pair and store its private half there, end the old key in \`keys\`, and delete the old secret.
- **A token of the cluster leaked:** replace it in the environments. No approval depends on it.`;

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
