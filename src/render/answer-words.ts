/** The sentence for each outcome of a command: what happened, and what to do where it did not. */

import type { approve } from '../commands/approve.ts';
import type { cleanupCheckpoints } from '../commands/cleanup-checkpoints.ts';
import type { APPROVAL_FAULTS } from '../commands/decision.ts';
import { ANSWERS, type AnswerCode } from '../commands/registry.ts';
import type { sealMilestone } from '../commands/seal-milestone.ts';
import { pastAttempt } from '../domain/launch/next-attempt.ts';
import { type Detail, readPayload } from '../domain/payload.ts';
import { ADOPTION_WORDS } from './adoption-words.ts';
import { whyWords } from './card-gates.ts';
import { startWords } from './checkpoints.ts';
import { relaunchWords } from './failure-words.ts';
import { gateWords } from './gate-words.ts';
import type { AnswerFacts, AnswerView, Sentences } from './input.ts';
import { hintWords, mistakeWords } from './mistake-words.ts';
import { PROPOSE_WORDS, RENT_WORDS, RESUME_WORDS } from './propose-words.ts';
import { RENTAL_WORDS } from './rental-words.ts';
import { mayTouch, wayBack, wayOn, whoApproves } from './wanted.ts';
import { WATCH_WORDS } from './watch-words.ts';
import {
  actionLine,
  blockedWords,
  code,
  commentLink,
  count,
  liftWords,
  listed,
  ofRun,
  otherVersion,
  type PlaceWord,
  placeWord,
  reasonWords,
  text,
} from './words.ts';

/** The words for a recorded answer; one of another version of ferrybot is shown as it stands. */
export function answerWords(
  answer: { readonly code: string; readonly detail: Detail },
  view: AnswerView,
): string {
  const read = readPayload(ANSWERS, answer);
  if (read === null) return `answered ${otherVersion(answer)}.`;
  // The table has one sentence a code, and each is handed the facts of its own code only.
  return (WORDS[read.code] as (facts: object, view: AnswerView) => string)(read.detail, view);
}

/** What somebody does who wants the next attempt, and who would rather not. */
function fixWords(input: AnswerView['input']): string {
  const where = input === null ? 'to its branch' : `to ${code(input.state.proposal.headBranch)}`;
  const may = input === null ? '' : mayTouch(input);
  return `push a fix ${where}${may}: the card shows it with the line that approves it. \`/ack\` closes the run instead.`;
}

/** Why a comment does not approve what is shown now. */
const UNBOUND: Readonly<Record<(typeof APPROVAL_FAULTS)[number], (about: string) => string>> = {
  'no-digest': () => 'an approval has to name what it is for, with at least 32 digits of its digest',
  'other-digest': (given) => `${code(given)} is not what is shown now`,
  'other-kind': () => 'another command approves what has this digest',
  'before-shown': () => 'this manifest was not on show, or not long enough, when you wrote',
  'other-commit': (commit) =>
    `a review counts for the commit that it was written on (${commit === '' ? 'not known' : code(commit)}), and the manifest is of another one`,
  'too-old': (hours) => `your comment is more than ${hours} hours old by now`,
  'restarts-used': (restarts) => `the restarts that were approved (${restarts}) are used`,
};

/** Why the same manifest is not started again: the failure, the damage, or the step of a rejection. */
const AGAIN = '`/cleanup-checkpoints`';

const CLEANUP_WORDS: Sentences<keyof typeof cleanupCheckpoints.answers> = {
  'cleanup-listed': (d) =>
    `${count(d.count, 'checkpoint')} could go, ${d.kept} ${d.kept === 1 ? 'stays' : 'stay'}: the list stands in a comment of its own here, with what protects the others and the line that consents to it. Nothing was deleted.${
      d.more > 0
        ? ` One list has no room for ${d.more} more: once this one is done, ${AGAIN} lists them.`
        : ''
    }`,
  'cleanup-listed-already': (d) =>
    `exactly these are listed already, and wait for the approval of somebody else. Nothing was deleted. The line that approves it: \`${actionLine(d.digest)}\``,
  'cleanup-nothing': (d) =>
    `nothing could go: all that was found is protected (${count(d.kept, 'checkpoint')}). Nothing was deleted.`,
  'cleanup-no-depth': () =>
    `nothing was listed: neither the run's approval nor you say how many of the newest checkpoints stay. Say it: ${code('/cleanup-checkpoints keep=10')}`,
  'cleanup-unreadable': (d) =>
    `nothing was listed, because not all of it could be read: ${text(d.why)}. Where the stores lie is \`checkpointRoots\` of the lane, and what opens them stands in the environment of this process. Say ${AGAIN} again when it can be read.`,
};

const MILESTONE_WORDS: Sentences<keyof typeof sealMilestone.answers> = {
  'milestone-sealed': (d) =>
    `the milestone ${code(d.name)} is sealed with the tag ${code(d.tag)}: checkpoint ${code(d.path)} of step ${d.step}, which is deleted no more. What nobody here could see: ${text(d.unseen)}. The run goes on.`,
  'milestone-taken': (d) =>
    `nothing was sealed: there is a milestone ${code(d.name)} of step ${d.step} already.`,
  'milestone-missing': (d) =>
    `nothing was sealed: this is missing or could not be seen: ${text(d.missing)}. Say it again when it is there.`,
};

/** Several commands, each as code. */
function lines(commands: string): string {
  return commands
    .split('\n')
    .map((command) => code(`/${command}`))
    .join(', ');
}

const CONSENT_WORDS: Sentences<keyof typeof approve.answers> = {
  'action-approved': (d) =>
    `you consent to ${code(d.kind)} of ${code(d.target)} as proposed (${code(d.digest)}). The runner looks at all of it once more and does it once; what came of it is told here.`,
  'action-nothing-proposed': () =>
    'nothing was done: no action with this digest was proposed when you wrote. ferrybot changes nothing on a cluster that it has not proposed first.',
  'action-other-thread': (d) =>
    `nothing was done: it was proposed in #${d.thread}, with its evidence, and has to be said there.`,
  'action-done': (d) =>
    `nothing was done: this proposal is over (${text(d.outcome)}: ${code(d.code)}). It is used once; whatever is needed now is proposed anew.`,
  'action-not-shown': (d) =>
    `not done: when you wrote, the proposal here was not as ferrybot wrote it, or could not be read. ferrybot restores it if another person changed it; the edit history names the editor. Read it again, then copy its line: ${lines(d.lines)}`,
  'action-held': (d) =>
    `nothing was done: ${blockedWords(d)} is on hold${reasonWords(d.reason)}. ${liftWords(d)} lifts it; then comment this again.`,
};

const WORDS: Sentences<AnswerCode> = {
  'approval-line-needed': (d) =>
    `not approved: ${UNBOUND[d.why](d.about ?? '')}. Read what is shown now. If you mean it, copy this line into a new comment: ${lines(d.lines)}`,
  'approval-by-author': (_, { input }) =>
    `not approved: this change is yours (you proposed it, asked for it, or changed its branch, its text or its issue). It takes ${input === null ? 'another person' : whoApproves(input)}.`,
  'already-approved': (d) =>
    `${d.by ? `${text(d.by)} has` : 'you have'} approved ${code(d.digest)} before, and that still counts.`,
  'no-fix': (d, { input }) =>
    `attempt ${d.attempt} has failed, and nothing that differs from what it launched is on the branch. ${
      d.relaunch === 2
        ? 'It is about to be started again under the approval that it has. For anything else '
        : d.relaunch === 1
          ? 'Its bad node is proposed or being replaced; once it is replaced, the same is started again under the approval that it has. For anything else '
          : 'To go on, '
    }${fixWords(input)}`,
  'not-now': (d) => `${ofRun(d)}nothing was done: ${text(d.status)}.`,
  'too-late': (d) =>
    `${ofRun(d)}too late: ${d.jobId ? `job ${code(d.jobId)} was launched already` : 'the launch is under way, or the run is over'}. \`/stop\` ends a job.`,
  'point-past': (d) => `nothing was done: ${text(d.what)} is past already.`,
  'nothing-rented': (d) => `${ofRun(d)}nothing was done: this run has no rented machine.`,
  failed: (d) =>
    `it could not be carried out: ${text(d.why)}. What was begun is left as it is; when the cause is mended, ask again.`,
  approved: (d) =>
    `approved manifest ${code(d.digest)} (${d.count} of ${d.quorum}). The launch is ordered as soon as the gates have passed once more.`,
  'approved-waiting-for-more': (d) =>
    `approved manifest ${code(d.digest)}: ${d.count} of ${d.quorum} approvals. It takes more before anything launches.`,
  'approval-gates-blocked': (d, { input }) =>
    `not approved, because a launch gate does not pass (open gates: ${d.count}). First: ${blockedBy(d, input)} The card shows all of them; approve when they pass, with the line that it shows then.`,
  'approval-not-shown': (d) =>
    `not approved: the card does not show the manifest ${code(d.digest)} yet, or another person changed it. ferrybot writes it, at the latest within an hour if people edit it repeatedly. Read it then, and approve with its line.`,
  'approval-same-failure': (d) =>
    `not approved: attempt ${d.attempt} failed with ${code(d.signature)}, as attempt ${d.earlier} did before the fix. The same failure again after one fix is not tried a third time in this run: find the cause, close the run with \`/ack\`, and propose the next one.`,
  revoked: (d) =>
    d.attempt
      ? `${ofRun(d)}taken back (approvals: ${d.count}): nothing is started again after attempt ${d.attempt} on them. A job that runs goes on: \`/stop\` ends it.`
      : `${ofRun(d)}taken back: manifest ${code(d.digest)} is not approved any more (approvals taken back: ${d.count}), and nothing is launched on it.`,
  'revoke-nothing': (d) => `${ofRun(d)}nothing to take back: no approval of yours stands.`,
  held: (d) => {
    if (d.scope !== 'run')
      return `${blockedWords(d)} is on hold${reasonWords(d.reason)}. Nothing of it is proposed or launched until ${liftWords(d)}, and what was approved has to be approved again. A job that runs goes on; \`/stop\` ends it.`;
    const held = `${ofRun(d)}on hold${reasonWords(d.reason)}.`;
    return d.jobId
      ? `${held} Job ${code(d.jobId)} goes on (\`/stop\` ends it), and should it fail it is not started again until \`/unhold\`.`
      : `${held} Nothing of this run is launched until \`/unhold\`; approvals that fell with it: ${d.dropped}.`;
  },
  unheld: (d) =>
    `${ofRun(d)}the hold on ${blockedWords(d)} is lifted. The gates are evaluated again; an approval that fell has to be given anew.`,
  'unhold-nothing': (d) =>
    `${ofRun(d)}nothing to lift: there is no such hold.${d.others.length === 0 ? '' : ` Holds that stand are lifted by ${listed(d.others.map(code))}.`}`,
  'lane-past': (d) => `these are the last runs of the lane ${code(d.lane)}, newest first.`,
  'lane-shown': laneWords,
  'lane-unclear': (d) =>
    `nothing was done: ${d.kind === 'no-such' ? `this lab has no lane ${code(d.named)}` : 'this lab has several lanes'}. Say which one is meant, with one of these in the command: ${d.lanes
      .split(' ')
      .map((lane) => code(`lane=${lane}`))
      .join(', ')}.`,
  'why-told': (d, { input }) => whyWords(d, placeIn(input)),
  'why-nothing': () =>
    'nothing holds a launch back: it is ordered, under way or over. The card shows what to do next.',
  'why-stopped': (d, { input }) =>
    `${text(d.by)} stopped it, and that is for good: close the ${placeIn(input)}, and propose the next ferry.`,
  'status-shown': () => 'this is where the run stands.',
  'checkpoint-rejected': (d) =>
    `rejected: the checkpoints from step ${d.step} on, as the attempts so far have written them, are out of the lineage of this run (${text(d.reason)}). The same manifest is not started again in that output root, where the job would take the newest of them by itself.`,
  'rolled-back': (d) =>
    `${
      d.path === undefined ? 'from nothing' : `from step ${d.step} (${code(d.path)})`
    }: that is where the next attempt of this run begins, and what was made after it is out of its lineage (${text(d.reason)}). Nothing was started: the card shows the new manifest, and its line approves it.`,
  'rollback-not-now': (d, { input }) =>
    `nothing to go back in: ${text(d.status)}. ${onIn(input)}It is said after an attempt that has failed, when the same is not about to be started again.`,
  'rollback-unseen': () =>
    "only the job's own machine can look for its checkpoints, so that nobody here can say which are complete: the contract of a run that can go back names its output root as `gs://…`, `s3://…` or an absolute path.",
  'rollback-refused': (d) =>
    `step ${d.step} is nothing to begin from: ${startWords(d.why)}. Nothing was changed, and the DRI is asked.`,
  'reject-already': (d) =>
    `nothing to reject: ${text(d.by)} has rejected everything from step ${d.step} on already.`,
  ...CLEANUP_WORDS,
  'reject-not-reached': (d) =>
    `nothing was rejected: no attempt was seen at step ${d.step}; the last one that was seen is ${d.reached}.`,
  'stop-requested': (d) =>
    d.missingCluster
      ? `${ofRun(d)}stop asked for by ${text(d.by)}, and **nothing is stopped yet**: the job runs on the cluster ${code(d.missingCluster)}, which is not in the config any more, so that nothing here can reach it. Put the cluster back into \`.github/ferrybot.yml\` on the default branch, and the stop is carried out without being said again; until then it ends by itself, or by the cluster's own means.`
      : `${ofRun(d)}stop asked for by ${text(d.by)}; the watch hands it to the engine within a minute, and the end is reported when the engine says so.`,
  'stop-before-launch': (d) =>
    `${ofRun(d)}stopped by ${text(d.by)}: no job of this run is running, the order and the approvals are taken back, and no other attempt is launched.`,
  'relaunch-asked': (d) =>
    d.missing
      ? `noted: attempt ${d.attempt} starts as soon as ${d.missing === 1 ? 'one more person who may approve says' : `${d.missing} more people who may approve say`} the same.`
      : `attempt ${d.attempt} is started as it was approved${d.left > 0 ? ` (${count(d.left, 'restart')} left of those that were approved, this one among them)` : ', on this approval'}, if every launch gate passes.`,
  'relaunch-fix': (d) =>
    `not started again: the branch has something else than what attempt ${d.attempt} ran. The card shows it, with the line that approves it.`,
  'relaunch-never': (d, { input }) =>
    `not started again. ${relaunchWords(d, placeIn(input))} ${backIn(input)} a change to its branch, or close the run with \`/ack\`.`,
  acknowledged: (d) => `${ofRun(d)}noted: you have seen that the run ended ${text(d.status)}.`,
  'incident-taken': (d) =>
    `${ofRun(d)}noted: you took ${d.count === 1 ? 'the incident' : `all ${d.count} incidents`} of this run; nobody else is called for it${d.watched === 0 ? '' : ', and the watch looks as often as usual again'}.`,
  'ack-before-end': (d) =>
    `nothing was closed: you wrote before the job had ended (${text(d.status)}). If you mean that end, say it again.`,
  'closes-in-its-thread': (d) =>
    `${ofRun(d)}nothing was taken: that would close the run, which is said in its own thread.`,
  closed: (d) => `closed without a tag.${logOnlyPull(d)}`,
  sealed: (d) => `sealed with the tag ${code(d.tag)}.${logOnlyPull(d)}`,
  'lost-not-lost': (d, { input }) =>
    d.minutes === 0
      ? `not given up: the job is seen, or nothing was started. \`/stop\` ends a job; a closed ${placeIn(input)} withdraws a proposal.`
      : `not given up yet: its first report may still come. Try again in ${d.minutes} min.`,
  'seal-failed': () =>
    'not sealed, and not closed: the job FAILED, and a run of checkpoints may go on from one of them. The card says how; `/ack` closes the run without a tag.',
  'seal-needs-accept': (d) =>
    `not sealed: the run ended ${text(d.status)} and its verdict is *${text(d.verdict)}*. If the result counts all the same, say why: \`/seal accept="…"\`; if it does not, \`/ack reject="…"\` closes the run.`,
  'seal-refused': (d) => `not sealed: ${code(d.code)}: ${text(d.message)}`,
  'seal-incomplete': (d) =>
    `not sealed: the job says that it succeeded, and this is missing or could not be seen: ${text(d.missing)}. \`/seal\` looks again; \`/ack reject="…"\` closes the run without a seal.`,
  ...MILESTONE_WORDS,
  'help-shown': () => 'these are the commands.',
  'not-permitted': (d) =>
    `not done: it takes ${text(d.needs)} permission${d.held ? `, and you have ${text(d.held)}` : ''}.`,
  'permission-unknown': (d) =>
    `not done: GitHub did not tell what you may do here (${text(d.why)}). Nothing happened; please try again later.`,
  'second-card': (d) => {
    const [todo, what] = /^review-\d/.test(d.name)
      ? ['Take the launch line out of', 'review']
      : ['Delete or hide', 'comment'];
    return `not approved: a ${what} by ${code(d.by)} shows the launch line like a card, and ferrybot did not write it. ${todo} the ${what} at ${commentLink(d.name, d.thread)}, then approve again with the line of the card.`;
  },
  'no-run-here': () =>
    'nothing happened: no run belongs to this thread. Commands go to the pull request or the issue of a ferry.',
  'named-run-unknown': (d) =>
    `nothing happened: the record has no run ${code(d.run)}. ${
      d.live.length === 0 ? 'No run is under way' : `Under way: ${d.live.map(code).join(', ')}`
    }.`,
  'run-over': (d) =>
    `nothing happened: ${d.run ? `the run ${code(d.run)}` : 'the run of this thread'} is over.`,
  'comment-edited': (d) =>
    `not done: the comment was edited, and an edited comment gives no commands. ${anewInstead(d.name.replace(/[^a-z-]/g, ''))}`,
  'comment-gone': () => 'not done: the comment is gone.',
  'not-understood': mistakeWords,
  hint: hintWords,
  recorded: (d) => `recorded: ${text(d.what)}.`,
  'logbook-broken': () =>
    'not recorded: the logbook of this run does not verify. Until it is repaired, ferrybot only stops the job by its id, on `/stop`.',
  'close-under-way': () =>
    'not done: ferrybot is carrying out an approved action of this run. Repeat the command when its result is posted here.',
  ...PROPOSE_WORDS,
  ...RENT_WORDS,
  ...CONSENT_WORDS,
  ...WATCH_WORDS,
  ...RENTAL_WORDS,
  ...RESUME_WORDS,
  ...ADOPTION_WORDS,
  'relaunch-adopted': () =>
    'not done: the job was launched by hand. Where it failed and the card shows what would be launched again, the line there approves that; else launch it again by hand.',
  'seal-adopted': () =>
    'not sealed: the job was launched by hand, so that nobody here can say what it ran. `/ack` takes note of its end and closes the run.',
};

function onIn(input: AnswerView['input']): string {
  const on = input === null ? null : wayOn(input.state);
  return on === null ? '' : `After this end it is ${on}. `;
}

/** What may follow where the same does not: the way back, where there is one, and a change. */
function backIn(input: AnswerView['input']): string {
  const last = input === null ? null : pastAttempt(input.state);
  const back = last === null ? null : wayBack(last);
  return back === null ? 'Push' : `After ${back.said}, ${back.comes}. Or push`;
}

function placeIn(input: AnswerView['input']): PlaceWord {
  return input === null ? 'pull request' : placeWord(input.state);
}

/** The lane, for a thread that has no run: what runs, what was last, what keeps it back. */
function laneWords(d: AnswerFacts<'lane-shown'>): string {
  const live = d.live ? `${code(d.live)} is under way` : 'no run is under way';
  const last = d.last ? `the newest is ${code(d.last)} (#${d.issue})` : 'there was none yet';
  const holds =
    d.holds.length === 0
      ? 'nothing keeps it back'
      : `holds that stand are lifted by ${listed(d.holds.map(code))}`;
  return `this thread has no run. The lane: ${live}, ${last}, ${holds}.${strayWords(d.stray)}`;
}

/** Holds on lanes that the config does not have, each as the command that lifts it. */
function strayWords(stray: readonly string[]): string {
  return stray.length === 0
    ? ''
    : ` **Holds on lanes that the config does not have block nothing:** ${listed(stray.map(code))} ${stray.length === 1 ? 'lifts it' : 'lift them'}. If such a lane has another name now, hold it again under that name.`;
}

/** The first gate that blocks, as the record tells it; the answer itself carries only its name and code. */
function blockedBy(d: AnswerFacts<'approval-gates-blocked'>, input: AnswerView['input']): string {
  if (d.first === '') return 'no gate was evaluated yet.';
  const verdict = input?.state.gate?.verdicts.find((v) => v.gate === d.first && v.code === d.code);
  return verdict === undefined
    ? `${code(d.first)} (${code(d.code)}).`
    : `${code(d.first)}: ${gateWords(verdict, placeIn(input)).found}.`;
}

/** A bare approval or consent would be refused: the line to copy has the digest. */
function anewInstead(name: string): string {
  return name.startsWith('approve')
    ? `If you mean it, copy the line that is shown now, with its digest, into a new one.`
    : `Write \`/${name}\` in a new one.`;
}

function logOnlyPull({ closurePull }: { readonly closurePull?: number | undefined }): string {
  return closurePull === undefined ? '' : ` The log-only pull request is #${closurePull}.`;
}
