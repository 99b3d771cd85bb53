/** What docs/operations.md adds to each incident comment: whether a job may be running, whether it can wait, where to look. */

import { GIVE_UP_PATIENCE_MS } from '../../src/commands/sealing.ts';
import type { IncidentCode } from '../../src/domain/incidents.ts';
import type { LogbookFault } from '../../src/domain/logbook/logbook-fault.ts';

/** `job`: whether the cluster may be busy with this run; `wait`: whether it can wait until the morning. Markdown each. */
export type OnCallNote = { readonly job: string; readonly wait: string; readonly next: string };

/** One note for each incident: a new one without a note is an error of types. */
export const ON_CALL_NOTES: Readonly<Record<IncidentCode, OnCallNote>> = {
  'runner-refused': {
    job: 'no',
    wait: 'yes',
    next: 'The sentence behind *Evidence* is the reason; [the list](#why-a-runner-refuses-an-order) has all of them. *Contradicts itself*, *another workflow* and *another branch than the default one* do not happen by accident: `/hold scope=repository`, and find out who did it ([threat model](threat-model.md)).',
  },
  'submit-rejected': {
    job: 'no',
    wait: 'yes',
    next: "The evidence has the engine's own words. Usual causes: a cluster name or token that has changed, a shipped folder that is too large, an engine that this runner does not have.",
  },
  'submit-conflict': {
    job: "**yes, and it is not ours**: a job stands under this run's id",
    wait: '**no**',
    next: "Somebody submitted by hand under our id, or wrote into the engine's records. Ask around before anybody stops it; ferrybot never touches it.",
  },
  'submit-unknown': {
    job: '**perhaps**',
    wait: '**no**',
    next: `The id is in \`ferrybot logbook show\` (*submit as …*). If the cluster has the job, nothing is to be done: the next launch workflow adopts it, and *ferrybot launch* can be run again by hand without harm. If it is certain that there is none, \`/ack lost="…"\` gives the run up (${minutesOf(GIVE_UP_PATIENCE_MS)} min after the claim at the earliest).`,
  },
  'dispatch-failed': {
    job: 'no',
    wait: 'yes',
    next: "The message is GitHub's. `ferrybot doctor` names the workflow, permission or environment that is missing.",
  },
  'launch-failed': {
    job: 'no',
    wait: 'yes',
    next: 'Open the workflow run that the comment links. Usual causes: a commit behind `uses:` that does not exist, a key that is missing in the environment, a machine that died. `ferrybot doctor` checks the workflow files and the environments.',
  },
  'launch-waiting': {
    job: 'no',
    wait: 'yes',
    next: 'Settings → Actions → Runners: is one with the label `ferrybot-launch` online and idle? ferrybot starts no second launch while one waits.',
  },
  'order-expired': {
    job: 'no',
    wait: 'yes',
    next: 'Settings → Actions → Runners: is one with the label `ferrybot-launch` online and idle? An order that lapsed is given anew by itself while its approvals stand.',
  },
  'launch-unreadable': {
    job: 'no',
    wait: 'yes',
    next: "GitHub's status page first; then the log of *ferrybot launch*, which names what could not be read. *Re-run jobs* does no harm while the order lives: it is claimed once.",
  },
  'engine-state-lost': {
    job: '**perhaps**: an engine that was restarted forgets jobs, and their processes may live on',
    wait: '**no**',
    next: 'Was the head restarted? Look for the processes on the workers and for new checkpoints. When it is certain that nothing runs: `/ack lost="…"`, or `/ack` where the engine knows the job again and it has failed.',
  },
  'engine-unreadable': {
    job: '**probably**, and nobody sees it',
    wait: 'as long as a job may run unseen',
    next: "The evidence says whether it is the job or only its log. Look from the runner of the watch: tunnel, token (`RAY_AUTH_TOKEN`), the dashboard's `/api/version`. `/stop` is kept and goes out once the cluster answers; to stop at once, use the cluster's own means.",
  },
  'log-withheld': {
    job: '**yes**, and its status is watched',
    wait: 'yes',
    next: '`ferrybot doctor` lists each secret that an environment or a workflow file lacks (`environment-secrets`, `workflow-secrets`). The next shift of the watch has what the workflow file names by then.',
  },
  'stop-unconfirmed': {
    job: '**yes**',
    wait: '**no**: it costs what it cost before',
    next: 'A Ray job that is still PENDING heeds no stop: it needs somebody with rights on the cluster. Any end, however it came about, is recorded at the next look.',
  },
  'failure-signature': {
    job: 'yes, unless the card says *Ended*',
    wait: 'depends on the class',
    next: '[The class](#what-a-signature-asks-for) says what the policy wants. The line alone ends nothing: if the step on the card still moves, it may be noise.',
  },
  'run-degraded': {
    job: 'yes, at the same step',
    wait: 'as long as it may hold its machines for nothing',
    next: 'A long eval or checkpoint makes no step either, so look at the card and at the log first. Then at the cluster: nodes that are gone come back by its autoscaler or by a person, never by ferrybot. Beyond help: `/stop`, and a new approval.',
  },
  'run-alarm': {
    job: 'yes, unless the sentence says that it is over',
    wait: 'as long as it may hold its machines for nothing, or spoil what it has learned',
    next: 'The sentence names the detector, what it saw and the bound ([traces.md](traces.md) has the law of each). Metrics that blow up are no fault of a machine: `/stop` and a person who knows the model, not a relaunch.',
  },
  'monitor-stale': {
    job: '**unknown**: the job may be fine',
    wait: '**no**: nobody would see it fail, and a `/stop` takes the long way',
    next: `Is a runner with the label \`ferrybot-watch\` online? Then dispatch *ferrybot watch* with the cluster; two at once do no harm. Each sweep does the same while the last one that it started has ended or hangs.`,
  },
  'cluster-missing': {
    job: '**yes**, and unwatched',
    wait: '**no**: `/stop` does not reach it',
    next: 'Who took the cluster out, and why? A pull request that takes one out while a job runs there says so in its config check. Put it back under the same name and with the same addresses; take it out again when the job has ended.',
  },
  'cluster-back': {
    job: 'yes, and watched again',
    wait: 'yes',
    next: 'see whether the card shows a new look within a few minutes; if not, *The engine does not know the job any more* or *The engine gives no usable answer* says why',
  },
  'logbook-broken': {
    job: '**perhaps**, and unwatched',
    wait: '**no**',
    next: 'See [the logbook cannot be trusted](#the-logbook-cannot-be-trusted): the comment is one of those. `/stop` stops its job all the same, by the id that the last good entry has. A rented machine is destroyed before a limit of it is passed; its idle time counts from that entry.',
  },
  'card-edited': {
    job: 'no, nothing was launched on it',
    wait: 'yes',
    next: "Somebody with write permission, or a workflow of the repository, edited, hid or deleted the status card before the launch. The card is restored by itself; its edit history says who edited it, the thread who deleted it, and GitHub does not tell who hid it. If it showed another change than the pull request's, somebody wanted an approval for something else.",
  },
  'seal-failed': {
    job: 'no, it has ended',
    wait: 'yes',
    next: 'A tag of that name that points elsewhere was made by somebody; a ruleset without ferrybot on its bypass list refuses the tag. `ferrybot doctor` looks at the ruleset.',
  },
  'artefacts-missing': {
    job: 'no, it has ended',
    wait: 'yes',
    next: 'Look at the output root and at the tracker for what the incident names. `ferrybot checkpoints ROOT --run RUN` says what lies there and why it does not count.',
  },
  'bad-node-unclear': {
    job: 'no, it has ended',
    wait: 'until the next launch: the node would eat that one too',
    next: '`/hold lane=daily` keeps the lane `daily` from the bad node until somebody has found it.',
  },
  'approval-unused': {
    job: 'as before',
    wait: 'yes',
    next: 'A consent is used once, and grows as old as an approval may be. Is a runner with the label `ferrybot-care` online?',
  },
  'handoff-unanswered': {
    job: 'yes',
    wait: 'yes',
    next: 'Ask who was meant, or take the watch: `/handoff` to yourself, then `/accept`. Until then incidents go to whoever had it.',
  },
  'start-refused': {
    job: 'no',
    wait: 'yes',
    next: 'The contract in the issue names another checkpoint. `ferrybot checkpoints ROOT` says which are complete.',
  },
  'relaunch-refused': {
    job: 'no',
    wait: 'yes',
    next: 'The failed run stays open until `/ack` or a fix; no new ferry is proposed on top of it.',
  },
  'rung-taken': {
    job: 'A new one is ordered, as the approved manifest allows.',
    wait: 'Yes.',
    next: 'Nothing has to be done: it says so once it has got further than the attempt before, and what comes next where it has not.',
  },
  'attempt-goes-on': {
    job: 'It runs, and makes steps.',
    wait: 'Yes.',
    next: 'Nothing has to be done.',
  },
  'source-kept': { job: 'yes', wait: 'yes, for ever', next: 'Nothing.' },
  'source-not-kept': {
    job: 'yes',
    wait: 'yes, as long as its branch stays where it is',
    next: 'At the seal the tag is tried again; a ruleset for `ferry/**/*` that lets ferrybot create tags ends it.',
  },
  'fix-made': {
    job: 'There is none: the attempt has failed.',
    wait: 'Yes: the run waits for a person.',
    next: 'Whoever did not push the fix and may approve reads the difference and approves the card’s line, or says `/ack`.',
  },
  'fix-not-made': {
    job: 'There is none: the attempt has failed.',
    wait: 'Yes: the run waits for a person.',
    next: 'The end of the attempt has file, line and error; a person mends it on the branch, or says `/ack`.',
  },
  'machine-idle': {
    job: 'yes, and it makes no step',
    wait: 'yes: by the time that the comment names the machine goes by itself',
    next: 'Only who wants to look at the machine has to do anything: `/keep until=18:30 reason="why"`.',
  },
  'machine-destroyed': {
    job: 'no: its machine is gone',
    wait: 'yes',
    next: 'Nothing has to be done. *Reason* says why; where it was not the end of the job, the run has failed with it.',
  },
  'machine-still-there': {
    job: '**perhaps, and the machine costs money**',
    wait: '**no**',
    next: 'Destroy the machine by hand in the console. The next look sees that it is gone, and says so.',
  },
  'machine-lost': {
    job: 'no: its machine is gone',
    wait: 'yes',
    next: 'Nothing costs money any more. A host that takes machines back often is one to leave out.',
  },
  'account-unreadable': {
    job: '**perhaps**',
    wait: '**no**',
    next: 'Look into the console: is the key still good, and is Vast.ai up? Machines end themselves at their longest life, and a while after their job.',
  },
  'budget-nearly-used': {
    job: 'yes',
    wait: 'yes',
    next: 'Decide whether it is worth another run: at the cap the machines are destroyed, and what is not saved by then is lost.',
  },
  'balance-short': {
    job: 'yes',
    wait: '**no**: without credit all machines of the account are stopped',
    next: 'Add credit, or let go of what is not needed: `/teardown` in its thread.',
  },
};

/** What to do about each fault of the logbook, in the order of haste. */
export const FAULT_NOTES: Readonly<
  Record<LogbookFault['kind'], { readonly title: string; readonly next: string }>
> = {
  'branch-missing': {
    title: "The logbook's branch … is gone",
    next: 'Everything stands still, and a running job is unwatched. `npx ferrybot logbook repair` in a clone begins the branch again on the newest commit that a mark or the clone knows. Never begin a new branch by hand.',
  },
  'branch-rewound': {
    title: "The logbook's branch … was put back",
    next: 'Somebody forced a push; the audit log of the repository says who it was. `npx ferrybot logbook repair`, in the clone that saw most, brings it forward again. A server that saw more than any clone and any mark says so until it is started again.',
  },
  'entry-missing': {
    title: 'The logbook of … does not verify (an entry was there, and is not any more)',
    next: '`npx ferrybot logbook repair` in a clone puts the longest version back that verifies.',
  },
  'bad-entry': {
    title: 'The logbook of … does not verify (a line is bad)',
    next: '`npx ferrybot logbook repair --dry-run` in a clone names the line and the entry up to which the file is good; without `--dry-run` it is put back there. A key that was taken out of the config makes good entries bad: put that back instead.',
  },
  'push-refused': {
    title: 'The logbook of … cannot be written',
    next: 'What is there is in order; nothing is lost and nothing is done until it can be written. A full disk, a new rule on the branch, or a permission that the App lost.',
  },
  'seal-tag': {
    title: 'The seal of … has lost its tag',
    next: 'Can wait. The comment has the command that puts it back.',
  },
  'tag-without-seal': {
    title: 'A tag seals …, and the record does not',
    next: 'Can wait. The comment has the command that takes the tag away.',
  },
  'read-failed': {
    title: 'The logbook of … could not be read',
    next: 'An error of ferrybot itself, in one file alone. `npx ferrybot logbook verify` in a clone says whether its entries are in order; the log of the process has the place in the program. A job of that run is unwatched: stop one that must not go on by the means of the cluster. Nothing is launched until the file can be read.',
  },
  'look-failed': {
    title: '… could not be processed',
    next: 'An error of ferrybot itself, in one run, thread or file alone; all others go on, and the process that met it ends as failed. Its log has the place (*a look failed*). What was just said, pushed or edited there is the likely trigger: taken back, the next look goes through. `/stop` in that thread may not be answered meanwhile: stop a job that must not go on by the means of the cluster.',
  },
};

function minutesOf(durationMs: number): number {
  return Math.round(durationMs / 60_000);
}
