/** docs/operations.md as text: what each incident comment means for the person on call, and what to do. */

import { SWEEP_PERIOD_MS } from '../../src/app/server/serve-options.ts';
import { SIGNATURES } from '../../src/diagnosis/rows.ts';
import { FIRST_RESPONSE, type FirstResponse } from '../../src/domain/failure-class.ts';
import { INCIDENT_CODES, type IncidentCode } from '../../src/domain/incidents.ts';
import { REFUSALS } from '../../src/domain/launch/verdict.ts';
import { limits } from '../../src/domain/limits.ts';
import { refusalWords } from '../../src/render/approval-words.ts';
import { classWords } from '../../src/render/failure-words.ts';
import { INCIDENT_WORDS } from '../../src/render/incident-words.ts';
import { FAULT_NOTES, ON_CALL_NOTES } from './on-call-notes.ts';

/** The page, from the words of the comments themselves and the notes beside this file. */
export function operationsPage(): string {
  const parts = [
    INTRODUCTION,
    SILENT,
    '## Incidents\n\nThe heading is the first line of the comment, the code is what `ferrybot logbook show` has.',
    overview(),
    ...INCIDENT_CODES.map(incidentSection),
    SIGNATURE_INTRODUCTION,
    signatureTable(),
    '## Why a runner refuses an order\n\nNothing was submitted in any of these cases. A launch gate that does not pass on the runner refuses under its own name; the card says why it does not pass.',
    table(
      ['code', 'in words'],
      REFUSALS.map((code) => [`\`${code}\``, refusalWords(code)]),
    ),
    FAULT_INTRODUCTION,
    table(
      ['the comment begins', 'what to do'],
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

Every incident is a comment in the run's thread: its first line is a heading below, and its last one says what to do. This page says what the comment cannot: whether a job may be running, whether it can wait, and where to look next.

Where the config names people (\`inCharge\` of the lane, \`onCall\`), an incident that needs a person mentions and assigns those who are in charge and those who are on call at that moment, in the thread where the approvers spoke; in quiet hours only what cannot wait does. \`/ack\` there says that you took it; without it they are told once more. \`onCall.channels\` names channels besides (Discord, Slack); the process that records the incident sends it, so the variable with the channel's address has to be a secret in the environment of *ferrybot watch* and of the server or *ferrybot chat*; what came of each stands in the record, and in the thread where it did not arrive.

## First

1. **\`/status\`** in the thread: where the run stands, on what evidence, and when that was seen. **\`/why\`** says what keeps it from launching.
2. **Is something burning?** \`/stop\` ends the job. It reaches the cluster within a minute and is said again until the engine confirms the end; if it does not, ferrybot tells *The stop is not confirmed*. Are the threads of the run gone, \`/stop run=name-of-the-run\` in any other thread does the same.
3. **Shall nothing more start?** \`/hold\` for this run, \`/hold lane=daily\` for the lane \`daily\`, \`/hold scope=repository\` for everything. \`/unhold\` with the same arguments lifts it. A hold stops no job that runs.
4. **Going to bed?** \`/handoff @who\` offers the watch with what there is to know, and \`/accept\` makes it theirs: from then on incidents mention them. \`/until step=3000\` or \`/until time=18:30\` ends the watch at a point, \`/stop-watching\` now: the job goes on, no alarm is raised about it and nothing is started again, and its lane stays taken until its end is known. \`/watch\` has it watched again.
5. **Nothing here breaks by being repeated.** Every workflow of ferrybot may be run again by hand: an order is claimed once, a job has one id, a watch works only under its lease, a consent is used once.
6. *Unknown* is never *failed*: ferrybot concludes nothing from what it cannot read. A job that stands still while its engine says RUNNING is no incident by itself: the card says which step was seen, and when.`;

const SILENT = `## ferrybot says nothing at all

| what is silent | how long is normal | what to do |
|---|---|---|
| commands, with a server | seconds; without webhooks up to ${minutes(SWEEP_PERIOD_MS)} min, at worst twice that ([0116](decisions/0116-react-to-any-trigger-the-same-way.md)) | the App's page → *Advanced* → deliveries; the output of \`ferrybot serve\`. It may be started again at any time: what is owed is in the record. Quickest way around it: set the repository variable \`FERRYBOT_SERVER\` to anything but \`on\` and dispatch *ferrybot chat* |
| commands, with workflows alone | comments a minute or two; reviews and events of pull requests, and what no event brought, 10 min | the runs of *ferrybot chat*; dispatch it by hand |
| a launch that was ordered | minutes | the runs of *ferrybot launch*: waiting for a runner, or for the environment's approval? An order lives ${minutes(limits.orderLifetimeMs)} min |
| a ferry on a day of the schedule | until the workflow that proposes has run, and the question what the ferry is for was answered, or its hour has come (\`objectiveBy\`) | the pull request of the lane's last ferry: it is said there once a day which run is not over, what it waits for and by which command, or that nothing is due; nothing is said while the lane is on hold. While it is asked what the ferry is for, that is an open issue with the label of the lane. Otherwise the runs of *ferrybot daily* |
| somebody's own pull request under a lane's label | with a server seconds, without webhooks up to an hour; with workflows alone 10 min. One that waits for its lane is taken up at once by a server that saw it, else within as long of the lane being free, and by the workflow that proposes before anything else | what is said in it: a run that blocks, a hold, a fork, a draft, no change of the experiment. A label that was there before its last run ended asks for nothing: take it off and put it on again |
| the card of a running job | its numbers may be half an hour old ([0115](decisions/0115-derive-every-post-from-the-record.md)) | \`/status\` is always current; the runs of *ferrybot watch*; dispatch it with the cluster |
| everything | - | GitHub's status page; \`npx ferrybot doctor\`; a job that runs goes on by itself, and can be stopped with the cluster's own means: ferrybot records any end that it sees |`;

function overview(): string {
  const rows = INCIDENT_CODES.map((code) => {
    const { job, wait } = ON_CALL_NOTES[code];
    return [`[${INCIDENT_WORDS[code].title}](#${anchor(INCIDENT_WORDS[code].title)})`, job, wait];
  });
  return table(['incident', 'may a job be running?', 'can it wait?'], rows);
}

function incidentSection(code: IncidentCode): string {
  const { title, did, todo } = INCIDENT_WORDS[code];
  return `### ${title}

\`${code}\` · ${did}

- In the comment: ${todo}
- Then: ${ON_CALL_NOTES[code].next}`;
}

const SIGNATURE_INTRODUCTION = `## What a signature asks for

A line of the job's log that matched a row of the diagnosis. The class is the one that the card shows when the job has failed of it. It is evidence: the engine's own status ends a run, and nothing else. \`ferrybot replay --log job.log\` finds the same in a log that you have.`;

const RESPONSE_WORDS: Readonly<Record<FirstResponse, string>> = {
  escalate:
    'Call whoever owns the run: this is not repeated and not mended without a person. Where memory ran out and the manifest has approved a reduction that was not taken yet, the incident says so.',
  'retry-bounded':
    'Infrastructure. The same again may work; several times without a step between is no accident.',
  'propose-node':
    'A bad machine. For `no-accelerator`, `driver-cleanup` and `device-busy` on a TPU, the thread gets a proposal to delete the node once the job has failed, which `/approve` approves.',
  'small-fix-once':
    'A slip in the code, in one file and not where data is loaded (elsewhere it is told as *escalate*): [a fix on the branch of the ferry](#a-fix-after-a-failed-attempt), approved anew; the same failure again after it is for people.',
  wait: 'No failure: the cluster has no room yet. A quota that is used up needs a person.',
  none: 'Nothing has to be done.',
};

function signatureTable(): string {
  const rows = [...Map.groupBy(SIGNATURES, (row) => row.class)].map(([kind, signatures]) => [
    `\`${kind}\`: ${classWords(kind).what}`,
    signatures.map(({ signature }) => `\`${signature}\``).join(', '),
    RESPONSE_WORDS[FIRST_RESPONSE[kind]],
  ]);
  return table(['class', 'signatures', 'what to do'], rows);
}

const FAULT_INTRODUCTION = `## The logbook cannot be trusted

\`npx ferrybot logbook repair\` in any clone repairs the first four: it needs no key, fetches by itself, and pushes one new commit (\`--dry-run\` pushes nothing). Until then ferrybot launches, approves and seals nothing on what these name (the last one apart, which holds up nothing). A job that runs there goes on unwatched. \`/stop\` stops it all the same where a good version is known, which the marks see to: by the job's id, without an entry. After the repair ferrybot goes on by itself; nothing has to be said to it again.`;

const FULL_DISK = `## A job says that a disk is full

Where its cluster has disk care (\`clusters.NAME.disk\`), control starts the workflow \`workflows.diskScan\` for that cluster at once, not only in the morning; the run's thread then hears what the scan found, with a link to the issue of the cluster's disks, where what can be approved stands with its digest. A scan that ends without a word in the logbook is started three times at most, and after that the schedule looks: the runs of the workflow say why. Without disk care nothing is scanned.`;

const FIX = `## A fix after a failed attempt

1. Wait for the end: only an attempt that the engine says has FAILED is followed by a fix. What was pushed while the job ran counts then too; after a \`/stop\`, a good end, a seal or \`/ack\` nothing does.
2. Push the fix to the branch of the ferry. It may change what a ferry may change (\`scope\`), and what the lane names for fixes besides (\`fixScope\`); the gate \`scope\` says which files these are. In the experiment file a fix changes values alone, as any proposal does: code of that file is fixed on the target branch and merged into the ferry's. What the job does not get makes nothing new to approve.
3. Say in the ferry issue what was wrong: the gate \`issue-updated\` wants it newer than the change.
4. The gates are evaluated anew, and the card shows what differs from what the failed attempt launched: files, knobs, and every other part of the manifest. Whoever may approve, and wrote nothing of it, copies the line that the card shows. The approval of the failed attempt counts for nothing any more.
5. The launch is the run's next attempt: its order names the attempt that it goes on from, and the runner checks everything again. It writes to the same output root. ferrybot hands over no checkpoint: whether the job goes on from one that it finds there is its own doing.
6. Fails it with a signature that an earlier attempt with other files had, there is no further try of the run: find the cause, \`/ack\`, and propose the next one. A failure without a known signature is told apart by people alone.

Where the attempt died of a slip that the interpreter names (a misspelt name, a missing import, comma or colon), in one file that \`fixScope\` covers, ferrybot takes steps 2 and 3 itself, once a run: it commits the correction on the branch and shows the difference in the issue and on the card. It works it out from the files that ran; what the log proposes counts only where they say the same. It changes nothing while the run or its lane is on hold, where somebody has pushed already, and in the experiment file. Step 4 is a person's as ever. \`ferrybot fix --log job.log --tree DIR\` says the same of a log and a checkout at hand.

A bad node needs no fix: once it is replaced, the same is started again under the approval that it has, as often as \`restartsMax\` says. A fix that is ordered first takes its place.`;

const AFTERWARDS = `## In the morning

- \`git clone --single-branch --branch ferrybot/logbook …\`, then \`npx ferrybot logbook show PATH\`: the whole night, entry by entry; \`logbook verify PATH\` checks it. What people write outside of the marked blocks of \`logbook.md\` stays.
- A failed run is closed by \`/ack\`, or [goes on with a fix](#a-fix-after-a-failed-attempt); one that ended well is closed by \`/seal\`. Until then its lane is taken. ferrybot reminds of it as \`reminders\` of the lane says, first whoever approved the launch or asked for the run, then everybody who may decide; where \`closeAfterHours\` is set, the run closes itself as not sealed.
- **A new release:** everything that reads the logbook goes to it together. Stop the server, merge the change of the pins in \`.github/workflows\`, let looks that are under way end, and start the server on the new release. A process of an older one does nothing on a record with an entry of a kind that it does not know, and says in its thread that a newer release wrote it, or somebody who has the key, where a key of the lab signed it as it should be; everything else is told as tampering. It is not believed for that: a \`/stop\` and what the watch sees are added after the last entry that it knows, which puts the record back to there, as on any record that does not verify. So an older process is not left running beside a newer one.
- **A signing key got out:** make a new pair, add its public half to \`keys\` with \`from\`, set \`until\` of the old one to now (a reviewed pull request; entries that were signed before stay good), and replace the secret. \`/hold scope=repository\` first.
- **A key lies among the secrets of the repository or the organisation** (\`no-key-outside\` of \`ferrybot doctor\`; releases before the environment \`ferrybot-control\` asked for it there): every branch could read it, so moving it is not enough. Make the environment \`ferrybot-control\` for the default branch alone, copy the workflows of the release, make a new pair and put its private half there, end the old one in \`keys\` as above, and delete the old secret.
- **A token of the cluster got out:** replace it in the environments; no approval depends on it.`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** The anchor that GitHub gives a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
