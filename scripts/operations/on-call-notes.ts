/** What docs/operations.md adds to each incident comment: whether a job may be running, whether it can wait, where to look. */

import { GIVE_UP_PATIENCE_MS } from '../../src/commands/sealing.ts';
import type { IncidentCode } from '../../src/domain/incidents.ts';
import type { LogbookFault } from '../../src/domain/logbook/logbook-fault.ts';

/** `job`: whether a job of this run may be running; `wait`: whether the incident can wait until the morning. Markdown. */
export type OnCallNote = { readonly job: string; readonly wait: string; readonly next: string };

/** One note for each incident; the compiler reports a missing one. */
export const ON_CALL_NOTES: Readonly<Record<IncidentCode, OnCallNote>> = {
  'runner-refused': {
    job: 'no',
    wait: 'yes',
    next: '*Evidence* explains the reason. *Contradicts itself*, *another workflow* and *another branch than the default one* do not happen by accident: comment `/hold scope=repository` and find out who did it ([threat model](threat-model.md)).',
  },
  'submit-rejected': {
    job: 'no',
    wait: 'yes',
    next: 'The evidence quotes the engine. Usual causes: a changed cluster name or token, a shipped folder that is too large, an engine that this runner does not have.',
  },
  'submit-conflict': {
    job: "**yes, and it is not ours**: another job uses this run's id",
    wait: '**no**',
    next: "A person submitted a job by hand under our id, or changed the engine's records. Ask the team before you stop it; ferrybot never stops it.",
  },
  'submit-unknown': {
    job: '**perhaps**',
    wait: '**no**',
    next: `Find the id with \`ferrybot logbook show\` (*submit as …*). If the cluster has the job, do nothing: the next launch workflow adopts it. You can also run *ferrybot launch* again; that is safe. If there is certainly no job, give the run up with \`/ack lost="…"\`, ${minutesOf(GIVE_UP_PATIENCE_MS)} min after the claim or later.`,
  },
  'dispatch-failed': {
    job: 'no',
    wait: 'yes',
    next: 'The evidence quotes GitHub. `ferrybot doctor` names the missing workflow, permission or environment.',
  },
  'launch-failed': {
    job: 'no',
    wait: 'yes',
    next: 'Open the linked workflow run. Usual causes: a commit after `uses:` that does not exist, a missing key in the environment, a dead machine. `ferrybot doctor` checks the workflow files and the environments.',
  },
  'launch-waiting': {
    job: 'no',
    wait: 'yes',
    next: 'Check Settings → Actions → Runners: a runner with the label `ferrybot-launch` must be online and idle. ferrybot starts no second launch while one is queued.',
  },
  'order-expired': {
    job: 'no',
    wait: 'yes',
    next: 'Check Settings → Actions → Runners: a runner with the label `ferrybot-launch` must be online and idle. ferrybot issues an expired order again while its approvals are valid.',
  },
  'launch-unreadable': {
    job: 'no',
    wait: 'yes',
    next: "Check GitHub's status page first, then the log of *ferrybot launch*, which names what could not be read. *Re-run jobs* is safe while the order is valid: an order is claimed once.",
  },
  'engine-state-lost': {
    job: '**perhaps**: a restarted engine forgets jobs, and their processes may still run',
    wait: '**no**',
    next: 'Check whether the head was restarted. Look for the processes on the workers and for new checkpoints. If certainly nothing runs, comment `/ack lost="…"`. If the engine finds the job again and it failed, comment `/ack`.',
  },
  'engine-unreadable': {
    job: '**probably**, and unwatched',
    wait: 'only as long as a job may run unwatched',
    next: "The evidence shows whether the job or only its log is unreadable. On the watch's runner, check the tunnel, the token (`RAY_AUTH_TOKEN`) and the dashboard's `/api/version`. ferrybot keeps a `/stop` and sends it when the cluster answers; to stop immediately, use the tools of the cluster.",
  },
  'log-withheld': {
    job: '**yes**; its status is watched',
    wait: 'yes',
    next: '`ferrybot doctor` lists each missing secret of an environment or a workflow file (`environment-secrets`, `workflow-secrets`). The next shift of the watch uses the corrected file.',
  },
  'stop-unconfirmed': {
    job: '**yes**',
    wait: '**no**: the job still costs money',
    next: 'Ray does not stop a job that is still PENDING: a person with access to the cluster must remove it. ferrybot records any end at the next poll.',
  },
  'failure-signature': {
    job: 'yes, unless the card says *Ended*',
    wait: 'depends on the class',
    next: '[The class](#what-a-signature-asks-for) explains the response. The line itself ends nothing: if the step on the card still advances, the line may be noise.',
  },
  'run-degraded': {
    job: 'yes, at the same step',
    wait: 'only as long as the machines may idle',
    next: 'A long eval or checkpoint also makes no steps, so read the card and the log first. Then check the cluster: its autoscaler or a person replaces lost nodes, never ferrybot. If the run cannot recover: `/stop`, and a new approval.',
  },
  'run-alarm': {
    job: 'yes, unless the comment reports the end',
    wait: 'only as long as the machines may idle, or the model may get worse',
    next: 'The comment names the detector, the value and the limit ([traces.md](traces.md) explains each detector). Exploding metrics are not a machine fault: use `/stop` and ask a person who knows the model; do not relaunch.',
  },
  'monitor-stale': {
    job: '**unknown**: the job may be fine',
    wait: '**no**: a failure would go unnoticed, and a `/stop` takes longer',
    next: `Check that a runner with the label \`ferrybot-watch\` is online. Then dispatch *ferrybot watch* with the cluster; two watches are safe. Each sweep does the same if the last watch ended or hangs.`,
  },
  'cluster-missing': {
    job: '**yes**, and unwatched',
    wait: '**no**: `/stop` cannot reach the job',
    next: 'Find out who removed the cluster from the config, and why; the config check warns about a job that runs there. Add the cluster again with the same name and addresses. Remove it after the job has ended.',
  },
  'cluster-back': {
    job: 'yes, and watched again',
    wait: 'yes',
    next: 'Check that the card shows a new observation within a few minutes. If it does not, *The engine does not know the job any more* or *The engine gives no usable answer* explains why.',
  },
  'logbook-broken': {
    job: '**perhaps**, and unwatched',
    wait: '**no**',
    next: 'See [the logbook cannot be trusted](#the-logbook-cannot-be-trusted) for this comment. `/stop` still stops the job, by the id in the last good entry. ferrybot destroys a rented machine before it exceeds a limit; its idle time counts from that entry.',
  },
  'card-edited': {
    job: 'no, nothing was launched on it',
    wait: 'yes',
    next: 'A person with write permission, or a workflow of the repository, edited, hid or deleted the status card before the launch. ferrybot restores the card. Its edit history shows who edited it, and the thread shows who deleted it; GitHub does not show who hid it. If the card showed another change than the pull request, treat it as an attempt to get an approval for that change.',
  },
  'seal-failed': {
    job: 'no, it has ended',
    wait: 'yes',
    next: 'Either a person created a tag of that name at another commit, or a ruleset without ferrybot on its bypass list rejects the tag. `ferrybot doctor` checks the ruleset.',
  },
  'artefacts-missing': {
    job: 'no, it has ended',
    wait: 'yes',
    next: 'Check the output root and the tracker for what the incident names. `ferrybot checkpoints ROOT --run RUN` lists the checkpoints and why one does not count.',
  },
  'bad-node-unclear': {
    job: 'no, it has ended',
    wait: 'until the next launch, which would fail on the same node',
    next: '`/hold lane=daily` blocks the lane `daily` until a person has found the bad node.',
  },
  'approval-unused': {
    job: 'as before',
    wait: 'yes',
    next: 'A consent is used once and expires like an approval. Check that a runner with the label `ferrybot-care` is online.',
  },
  'handoff-unanswered': {
    job: 'yes',
    wait: 'yes',
    next: 'Ask the person who was named, or take the watch: `/handoff` to yourself, then `/accept`. Until then, incidents go to the previous owner.',
  },
  'start-refused': {
    job: 'no',
    wait: 'yes',
    next: 'Name another checkpoint in the contract of the issue. `ferrybot checkpoints ROOT` lists the complete ones.',
  },
  'relaunch-refused': {
    job: 'no',
    wait: 'yes',
    next: 'The failed run stays open until `/ack` or a fix. ferrybot proposes no new ferry meanwhile.',
  },
  'rung-taken': {
    job: 'A new job is ordered, as the approved manifest allows.',
    wait: 'Yes.',
    next: 'Nothing to do. ferrybot reports when the job gets further than the previous attempt, or what comes next if it does not.',
  },
  'attempt-goes-on': { job: 'Yes, and it makes steps.', wait: 'Yes.', next: 'Nothing to do.' },
  'source-kept': { job: 'yes', wait: 'yes', next: 'Nothing to do.' },
  'source-not-kept': {
    job: 'yes',
    wait: 'yes, as long as its branch does not change',
    next: 'ferrybot tries the tag again at the seal. Change the ruleset for `ferry/**/*` so that ferrybot may create tags.',
  },
  'fix-made': {
    job: 'no, the attempt failed',
    wait: 'yes, the run waits for a person',
    next: 'An approver who did not push the fix reads the diff and comments the approval line of the card, or `/ack`.',
  },
  'fix-not-made': {
    job: 'no, the attempt failed',
    wait: 'yes, the run waits for a person',
    next: 'The failure comment has file, line and error. Push a fix to the branch, or comment `/ack`.',
  },
  'machine-idle': {
    job: 'yes, but it makes no steps',
    wait: 'yes: ferrybot destroys the machine at the time in the comment',
    next: 'To keep the machine, comment `/keep until=18:30 reason="why"`.',
  },
  'machine-destroyed': {
    job: 'no: its machine is gone',
    wait: 'yes',
    next: 'Nothing to do. *Reason* explains why. If the job had not ended, the run failed.',
  },
  'machine-still-there': {
    job: '**perhaps, and the machine costs money**',
    wait: '**no**',
    next: 'Destroy the machine by hand in the console. The next poll confirms that it is gone.',
  },
  'machine-lost': {
    job: 'no: its machine is gone',
    wait: 'yes',
    next: 'The machine costs no more money. Exclude a host that takes machines back often.',
  },
  'account-unreadable': {
    job: '**perhaps**',
    wait: '**no**',
    next: 'Check in the console that the key is valid and that Vast.ai is up. Machines destroy themselves at their maximum lifetime, and some time after their job.',
  },
  'budget-nearly-used': {
    job: 'yes',
    wait: 'yes',
    next: 'Decide whether to raise the cap with another run: at the cap ferrybot destroys the machines, and unsaved data is lost.',
  },
  'balance-short': {
    job: 'yes',
    wait: '**no**: without credit all machines of the account are stopped',
    next: 'Add credit, or destroy machines that are not needed: `/teardown` in their threads.',
  },
};

/** What to do about each fault of the logbook, the most urgent first. */
export const FAULT_NOTES: Readonly<Record<LogbookFault['kind'], { readonly title: string; readonly next: string }>> = {
  'branch-missing': {
    title: "The logbook's branch … is gone",
    next: 'ferrybot does nothing, and a running job is unwatched. Run `npx ferrybot logbook repair` in a clone: it restores the branch at the newest commit that a mark or the clone knows. Never create a new branch by hand.',
  },
  'branch-rewound': {
    title: "The logbook's branch … was put back",
    next: 'A force push moved the branch back; the audit log of the repository shows who did it. Run `npx ferrybot logbook repair` in the most recent clone. A server that saw newer entries than every clone and mark repeats this report until it is restarted.',
  },
  'entry-missing': {
    title: 'The logbook of … does not verify (an entry was there, and is not any more)',
    next: '`npx ferrybot logbook repair` in a clone restores the longest version that verifies.',
  },
  'bad-entry': {
    title: 'The logbook of … does not verify (a line is bad)',
    next: '`npx ferrybot logbook repair --dry-run` in a clone names the bad line and the last good entry; without `--dry-run` it restores the file up to there. If a key was removed from the config, good entries fail too: restore the key instead.',
  },
  'push-refused': {
    title: 'The logbook of … cannot be written',
    next: 'The existing entries are valid and nothing is lost, but ferrybot does nothing until it can write. Usual causes: a full disk, a new rule on the branch, or a lost permission of the App.',
  },
  'seal-tag': {
    title: 'The seal of … has lost its tag',
    next: 'Can wait. The comment has the command that restores the tag.',
  },
  'tag-without-seal': {
    title: 'A tag seals …, and the record does not',
    next: 'Can wait. The comment has the command that removes the tag.',
  },
  'read-failed': {
    title: 'The logbook of … could not be read',
    next: 'A bug in ferrybot that affects one file. `npx ferrybot logbook verify` in a clone checks its entries; the log of the process has the stack trace. A job of that run is unwatched: to stop it, use the tools of the cluster. ferrybot launches nothing until it can read the file.',
  },
  'look-failed': {
    title: '… could not be processed',
    next: 'A bug in ferrybot that affects one run, thread or file; all others continue, and the process exits with an error. Its log has the stack trace (*a look failed*). The latest comment, push or edit there is the likely trigger: undo it. `/stop` in that thread may stay unanswered: to stop the job, use the tools of the cluster.',
  },
};

function minutesOf(durationMs: number): number {
  return Math.round(durationMs / 60_000);
}
