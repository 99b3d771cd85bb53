/** The sentence for each outcome of a command: what happened, and the next action if nothing happened. */

import { ANSWERS, type AnswerCode, type UnboundReason } from '../commands/decision.ts';
import type { ErrorCode, IgnoreReason } from '../commands/grammar/reading.ts';
import { findCommand } from '../commands/registry.ts';
import { type Detail, readPayload } from '../domain/incidents.ts';
import { lastEnded } from '../domain/launch/next-attempt.ts';
import { assertNever, formatDuration } from '../domain/values.ts';
import { renderWhy } from './card-gates.ts';
import { explainStart } from './contract-words.ts';
import { explainRelaunchRefusal } from './failure-words.ts';
import { gateWords } from './gate-words.ts';
import type { AnswerFacts, AnswerView, Sentences } from './input.ts';
import { allowedPaths, approversText, describeContinuation, rollbackText, WATCH_WORDS } from './next-step.ts';
import { ADOPTION_WORDS, PROPOSE_WORDS, RESUME_WORDS } from './propose-words.ts';
import {
  approveLine,
  code,
  commentLink,
  count,
  joinAnd,
  nextRunWords,
  reasonText,
  scopeText,
  type ThreadKind,
  text,
  threadKind,
  unholdText,
  utc,
} from './words.ts';

/** The words for a recorded answer. */
export function answerWords(answer: { readonly code: string; readonly detail: Detail }, view: AnswerView): string {
  const read = readPayload(ANSWERS, answer);
  if (read === null) return `answered ${code(answer.code)}.`;
  // The table has one sentence per code, and each sentence gets the facts of its own code.
  return (WORDS[read.code] as (facts: object, view: AnswerView) => string)(read.detail, view);
}

/** How to get the next attempt, or end the run instead. */
function fixHint(input: AnswerView['input']): string {
  const where = input === null ? 'to its branch' : `to ${code(input.state.proposal.headBranch)}`;
  const may = input === null ? '' : allowedPaths(input);
  return `push a fix ${where}${may}: the card then shows the line that approves it. \`/ack\` closes the run instead.`;
}

/** Why a comment does not approve what the card shows now. */
const UNBOUND_WORDS: Readonly<Record<UnboundReason, (about: string) => string>> = {
  'no-digest': () => 'an approval has to name what it is for, with at least 32 digits of its digest',
  'other-digest': (given) => `${code(given)} is not what is shown now`,
  'other-kind': () => 'another command approves what has this digest',
  'before-shown': () => 'this manifest was not on show, or not long enough, when you wrote',
  'other-commit': (commit) =>
    `a review counts for the commit that it was written on (${commit === '' ? 'not known' : code(commit)}), and the manifest is of another one`,
  'too-old': (hours) => `your comment is more than ${hours} hours old by now`,
  'restarts-used': (restarts) => `the restarts that were approved (${restarts}) are used`,
};

const AGAIN = '`/cleanup-checkpoints`';

function commandBlock(commands: string): string {
  return commands
    .split('\n')
    .map((command) => code(`/${command}`))
    .join(', ');
}

const WHY_NOTHING = 'nothing blocks a launch: it is ordered, in progress or over. The card shows what to do next.';

const WORDS: Sentences<AnswerCode> = {
  'approval-line-needed': (d) =>
    `not approved: ${UNBOUND_WORDS[d.why](d.about ?? '')}. Read what is shown now. If you mean it, copy this line into a new comment: ${commandBlock(d.lines)}`,
  'approval-by-author': (_, { input }) =>
    `not approved: this change is yours (you proposed it, asked for it, or changed its branch, its text or its issue). It needs ${input === null ? 'another person' : approversText(input)}.`,
  'already-approved': (d) =>
    `${d.by ? `${text(d.by)} has` : 'you have'} approved ${code(d.digest)} before, and that approval still counts.`,
  'no-fix': (d, { input }) =>
    `attempt ${d.attempt} has failed, and nothing that differs from what it launched is on the branch. ${
      d.relaunch === 2
        ? 'It is about to be started again under the approval that it has. For anything else '
        : d.relaunch === 1
          ? 'Its bad node is proposed or being replaced; once it is replaced, the same is started again under the approval that it has. For anything else '
          : 'To go on, '
    }${fixHint(input)}`,
  'not-now': (d) => `nothing was done: ${text(d.status)}.`,
  'too-late': (d) =>
    `too late: ${d.jobId ? `job ${code(d.jobId)} was launched already` : 'the launch is under way, or the run is over'}. \`/stop\` ends a job.`,
  'point-past': (d) => `nothing was done: ${text(d.what)} is past already.`,
  'nothing-rented': () => `nothing was done: this run has no rented machine.`,
  failed: (d) =>
    `the command failed: ${text(d.why)}. ferrybot left the partial work in place; repair the cause, then comment the command again.`,
  approved: (d) =>
    `approved manifest ${code(d.digest)} (${d.count} of ${d.quorum}). ferrybot orders the launch after another check of the gates.`,
  'approved-waiting-for-more': (d) =>
    `approved manifest ${code(d.digest)}: ${d.count} of ${d.quorum} approvals. The launch needs more.`,
  'approval-gates-blocked': (d, { input }) =>
    `not approved, because a launch gate does not pass (open gates: ${d.count}). First: ${describeBlockingGates(d, input)} The card shows all of them; approve when they pass, with the line that it shows then.`,
  'approval-not-shown': (d) =>
    `not approved: the card does not show the manifest ${code(d.digest)} yet, or another person changed it. ferrybot writes it, within an hour if people edit it repeatedly. Read it then, and approve with its line.`,
  'approval-same-failure': (d) =>
    `not approved: attempt ${d.attempt} failed with ${code(d.signature)}, as attempt ${d.earlier} did before the fix. ferrybot does not try it a third time in this run: find the cause, and close the run with \`/ack\` before the next one.`,
  revoked: (d) =>
    d.attempt
      ? `revoked (approvals: ${d.count}): they start nothing after attempt ${d.attempt}. A running job continues: \`/stop\` ends it.`
      : `revoked: manifest ${code(d.digest)} is not approved any more (approvals revoked: ${d.count}), and nothing launches.`,
  'revoke-nothing': () => `nothing to revoke: you have no valid approval here.`,
  held: (d) => {
    if (d.scope !== 'run')
      return `${scopeText(d)} is on hold${reasonText(d.reason)}. Nothing is proposed or launched there until ${unholdText(d)}, and launches need a new approval. A running job continues; \`/stop\` ends it.`;
    const held = `on hold${reasonText(d.reason)}.`;
    return d.jobId
      ? `${held} Job ${code(d.jobId)} continues (\`/stop\` ends it), and is not started again after a failure until \`/unhold\`.`
      : `${held} Nothing of this run launches until \`/unhold\`; approvals dropped: ${d.dropped}.`;
  },
  unheld: (d) =>
    `the hold on ${scopeText(d)} is lifted. The gates are evaluated again; a dropped approval has to be given again.`,
  'unhold-nothing': (d) =>
    `nothing to lift: there is no such hold.${d.others.length === 0 ? '' : ` Other holds are lifted by ${joinAnd(d.others.map(code))}.`}`,
  'lane-past': (d) => `these are the last runs of the lane ${code(d.lane)}, newest first.`,
  'lane-shown': describeLane,
  'lane-unclear': (d) =>
    `nothing was done: ${d.kind === 'no-such' ? `this lab has no lane ${code(d.named)}` : 'this lab has several lanes'}. Add one of these to the command: ${d.lanes
      .split(' ')
      .map((lane) => code(`lane=${lane}`))
      .join(', ')}.`,
  'why-told': (d, { input }) => (input === null ? WHY_NOTHING : renderWhy(d, input)),
  'why-nothing': () => WHY_NOTHING,
  'why-stopped': (d, { input }) => `${text(d.by)} stopped it, which is final: ${nextRunWords(threadKindOf(input))}.`,
  'status-shown': () => 'this is the state of the run.',
  'checkpoint-rejected': (d) =>
    `rejected: the checkpoints from step ${d.step} on that the attempts have written are no longer part of the lineage of this run (${text(d.reason)}). ferrybot does not start the same manifest again in that output root, where the job would load the newest of them.`,
  'rolled-back': (d) =>
    `the next attempt of this run starts ${
      d.path === undefined ? 'from nothing' : `from step ${d.step} (${code(d.path)})`
    }; later checkpoints are no longer part of its lineage (${text(d.reason)}). Nothing was started: the card shows the new manifest and the line that approves it.`,
  'rollback-not-now': (d, { input }) =>
    `no rollback: ${text(d.status)}. ${nameOfRunHere(input)}\`/rollback\` follows a failed attempt that ferrybot is not about to start again.`,
  'rollback-unseen': () =>
    "only the job's own machine can see its checkpoints, so ferrybot cannot check them. For rollbacks the contract names its output root as `gs://…`, `s3://…` or an absolute path.",
  'rollback-refused': (d) =>
    `a run cannot start from step ${d.step}: ${explainStart(d.why)}. Nothing was changed; the DRI decides.`,
  'reject-already': (d) => `nothing to reject: ${text(d.by)} has rejected everything from step ${d.step} on already.`,
  'cleanup-listed': (d) =>
    `${count(d.count, 'checkpoint')} can be deleted, ${d.kept} ${d.kept === 1 ? 'stays' : 'stay'}. A separate comment lists them, with the reason for each one that stays and the line that approves the deletion. Nothing was deleted.${
      d.more > 0 ? ` The list has no room for ${d.more} more: ${AGAIN} lists them after this deletion.` : ''
    }`,
  'cleanup-listed-already': (d) =>
    `exactly these are listed already and wait for the approval of another person. Nothing was deleted. The line that approves it: \`${approveLine(d.digest)}\``,
  'cleanup-nothing': (d) =>
    `nothing can be deleted: every checkpoint is protected (${count(d.kept, 'checkpoint')}). Nothing was deleted.`,
  'cleanup-no-depth': () =>
    `nothing was listed: neither the approval nor the command has the number of newest checkpoints to keep. Add it: ${code('/cleanup-checkpoints keep=10')}`,
  'cleanup-unreadable': (d) =>
    `nothing was listed, because a store could not be read: ${text(d.why)}. The lane's \`checkpointRoots\` name the stores, and the environment of this process has their credentials. Comment ${AGAIN} again when it is fixed.`,
  'reject-not-reached': (d) =>
    `nothing was rejected: no attempt has reached step ${d.step}; the last known step is ${d.reached}.`,
  'stop-requested': (d) =>
    d.missingCluster
      ? `stop requested by ${text(d.by)}, and **nothing is stopped yet**: the job runs on the cluster ${code(d.missingCluster)}, which is not in the config any more. Put the cluster back into \`.github/ferrybot.yml\` on the default branch, and ferrybot carries out the stop. Until then, stop the job with the cluster's own tools.`
      : `stop requested by ${text(d.by)}; the watch forwards it to the engine within a minute, and ferrybot reports the end when the engine confirms it.`,
  'stop-before-launch': (d) =>
    `stopped by ${text(d.by)}: no job of this run is running, the order and the approvals are revoked, and no other attempt follows.`,
  'relaunch-asked': (d) =>
    d.missing
      ? `noted: attempt ${d.attempt} starts after the same command by ${d.missing === 1 ? 'one more approver' : `${d.missing} more approvers`}.`
      : `attempt ${d.attempt} starts as it was approved${d.left > 0 ? ` (${count(d.left, 'restart')} left of those that were approved, including this one)` : ', on this approval'}, if every launch gate passes.`,
  'relaunch-fix': (d) =>
    `not started again: the branch differs from what attempt ${d.attempt} ran. The card shows it, with the line that approves it.`,
  'relaunch-never': (d, { input }) =>
    `not started again. ${explainRelaunchRefusal(d, threadKindOf(input))} ${describeNextStep(input)}`,
  acknowledged: (d) => `noted: you have seen that the run ended ${text(d.status)}.`,
  'incident-taken': (d) =>
    `noted: you took ${d.count === 1 ? 'the incident' : `all ${d.count} incidents`} of this run; ferrybot alerts no one else${d.watched === 0 ? '' : ', and watches at the usual interval again'}.`,
  'ack-before-end': (d) =>
    `nothing was closed: you wrote before the job had ended (${text(d.status)}). To acknowledge that end, comment it again.`,
  'closes-in-its-thread': () =>
    `nothing was acknowledged: this would close the run, so comment it in the run's thread.`,
  closed: (d) => `closed without a tag.${describeLogPull(d)}`,
  sealed: (d) => `sealed with the tag ${code(d.tag)}.${notMerged(d)}${describeLogPull(d)}`,
  'lost-not-lost': (d, { input }) =>
    d.minutes === 0
      ? `not given up: ferrybot sees the job, or nothing was started. \`/stop\` ends a job; a closed ${threadKindOf(input)} withdraws a proposal.`
      : `not given up yet: its first report may still come. Try again in ${formatDuration(d.minutes * 60_000)}.`,
  'seal-failed': () =>
    'not sealed, and not closed: the job FAILED, and a run of checkpoints may continue from one of them, as the card describes. `/ack` closes the run without a tag.',
  'seal-needs-accept': (d) =>
    `not sealed: the run ended ${text(d.status)} and its verdict is *${text(d.verdict)}*. If the result counts anyway, give the reason: \`/seal accept="…"\`; if it does not, \`/ack reject="…"\` closes the run.`,
  'seal-refused': (d) => `not sealed: ${code(d.code)}: ${text(d.message)}`,
  'seal-incomplete': (d) =>
    `not sealed: the job succeeded, but this is missing or unreadable: ${text(d.missing)}. \`/seal\` checks again; \`/ack reject="…"\` closes the run without a seal.`,
  'milestone-sealed': (d) =>
    `the milestone ${code(d.name)} is sealed with the tag ${code(d.tag)}: checkpoint ${code(d.path)} of step ${d.step}, which stays. Not checked: ${text(d.unseen)}. The run continues.`,
  'milestone-taken': (d) => `nothing was sealed: there is a milestone ${code(d.name)} of step ${d.step} already.`,
  'milestone-missing': (d) =>
    `nothing was sealed: this is missing or unreadable: ${text(d.missing)}. Comment it again when it is there.`,
  'help-shown': () => 'these are the commands.',
  'not-permitted': (d) =>
    `not done: it needs ${text(d.needs)} permission${d.held ? `, and you have ${text(d.held)}` : ''}.`,
  'permission-unknown': (d) =>
    `not done: GitHub did not return your permission (${text(d.why)}). Nothing happened; please try again later.`,
  'second-card': (d) => {
    const [todo, what] = /^review-\d/.test(d.name)
      ? ['Remove the launch line from', 'review']
      : ['Delete or hide', 'comment'];
    return `not approved: a ${what} by ${code(d.by)} shows the launch line like a card, and ferrybot did not write it. ${todo} the ${what} at ${commentLink(d.name, d.thread)}, then approve again with the line of the card.`;
  },
  'no-run-here': () =>
    'nothing happened: this thread has no run. Write commands in the pull request or the issue of a run.',
  'named-run-unknown': (d) =>
    `nothing happened: the record has no run ${code(d.run)}. ${
      d.live.length === 0 ? 'No run is live' : `Live: ${d.live.map(code).join(', ')}`
    }.`,
  'run-over': (d) => `nothing happened: ${d.run ? `the run ${code(d.run)}` : 'the run of this thread'} is over.`,
  'comment-edited': (d) =>
    `not done: the comment was edited, and ferrybot ignores commands in edited comments. ${suggestInstead(d.name.replace(/[^a-z-]/g, ''))}`,
  'comment-gone': () => 'not done: the comment was deleted.',
  'not-understood': explainMistake,
  hint: explainHint,
  recorded: (d) => `recorded: ${text(d.what)}.`,
  'logbook-broken': () =>
    'not recorded: the logbook of this run does not verify. Until it is repaired, ferrybot only stops the job by its id, on `/stop`.',
  'close-under-way': () =>
    'not done: ferrybot is carrying out an approved action of this run. Repeat the command when its result is posted here.',
  ...PROPOSE_WORDS,
  'rent-not-here': ({ why, lanes }) => {
    switch (why) {
      case 'no-lane':
        return 'nothing is rented: this lab has no lane for it.';
      case 'no-issue':
        return `nothing is rented: comment \`/rent\` in an open issue of this lab${lanes.includes(' ') ? ` and name the lane (${joinAnd(lanes.split(' ').map(code))})` : ''}; that issue becomes the run.`;
      case 'run-here':
        return 'nothing more is rented: this thread has a run already, and its lane has one run at a time. When this run is over, comment in another issue.';
      default:
        return assertNever(why);
    }
  },
  'action-approved': (d) =>
    `you approved ${code(d.kind)} of ${code(d.target)} as proposed (${code(d.digest)}). The runner verifies everything again and does it once; the result is posted here.`,
  'action-nothing-proposed': () =>
    'nothing was done: no action with this digest was proposed when you wrote. ferrybot changes a cluster only after a proposal.',
  'action-other-thread': (d) =>
    `nothing was done: the proposal with its evidence is in #${d.thread}. Comment the line there.`,
  'action-done': (d) =>
    `nothing was done: this proposal is over (${text(d.outcome)}: ${code(d.code)}). It is used once; a new need gets a new proposal.`,
  'action-not-shown': (d) =>
    `not done: when you wrote, the proposal here was edited or could not be read. ferrybot restores it if another person changed it; the edit history names the editor. Read it again, then copy its line: ${commandBlock(d.lines)}`,
  'action-held': (d) =>
    `nothing was done: ${scopeText(d)} is on hold${reasonText(d.reason)}. ${unholdText(d)} lifts it; then comment this again.`,
  ...WATCH_WORDS,
  kept: (d) =>
    `kept until ${text(utc(d.until))} (${text(d.reason)}): the rented machine stays after the end of its job or without a step. It costs money, and the approved limits still end it earlier. \`/teardown\` destroys it now.`,
  'keep-too-long': (d) =>
    `not kept until ${text(utc(d.until))}: the approval permits ${text(utc(d.latest))} at the latest. Comment it again with that or an earlier time.`,
  'teardown-asked': (d) =>
    `${text(d.by)} requested the tear-down: the watch destroys the rented machines of this run within a minute${d.runs === 1 ? ' and stops their job' : ''}. ferrybot confirms it in the run's thread.`,
  ...RESUME_WORDS,
  ...ADOPTION_WORDS,
  'relaunch-adopted': () =>
    'not done: the job was launched by hand. If it failed and the card shows a manifest, approve that with its line; otherwise launch it again by hand.',
  'seal-adopted': () =>
    'not sealed: the job was launched by hand, so ferrybot does not know what it ran. `/ack` acknowledges its end and closes the run.',
};

function nameOfRunHere(input: AnswerView['input']): string {
  const on = input === null ? null : describeContinuation(input.state);
  return on === null ? '' : `After this end it is ${on}. `;
}

/** The next action if the same attempt may not be repeated. */
function describeNextStep(input: AnswerView['input']): string {
  const last = input === null ? null : lastEnded(input.state);
  const back = last === null ? null : rollbackText(last);
  return `${back === null ? 'Push' : `Use ${back}, or push`} a change, or close the run with \`/ack\`.`;
}

function threadKindOf(input: AnswerView['input']): ThreadKind {
  return input === null ? 'pull request' : threadKind(input.state);
}

/** The state of the lane, for a thread without a run: the live run, the newest one, and the holds. */
function describeLane(d: AnswerFacts<'lane-shown'>): string {
  const live = d.live ? `${code(d.live)} is live` : 'no run is live';
  const last = d.last ? `the newest is ${code(d.last)} (#${d.issue})` : 'there was none yet';
  const holds = d.holds.length === 0 ? 'there is no hold' : `its holds are lifted by ${joinAnd(d.holds.map(code))}`;
  const stray =
    d.stray.length === 0
      ? ''
      : ` **Holds on lanes that the config does not have block nothing:** ${joinAnd(d.stray.map(code))} ${d.stray.length === 1 ? 'lifts it' : 'lift them'}. If such a lane was renamed, hold it again under its new name.`;
  return `this thread has no run. The lane: ${live}, ${last}, ${holds}.${stray}`;
}

/** The first gate that blocks, from the record; the answer itself has only the gate's name and code. */
function describeBlockingGates(d: AnswerFacts<'approval-gates-blocked'>, input: AnswerView['input']): string {
  if (d.first === '') return 'no gate was evaluated yet.';
  const verdict = input?.state.gate?.verdicts.find((v) => v.gate === d.first && v.code === d.code);
  return verdict === undefined
    ? `${code(d.first)} (${code(d.code)}).`
    : `${code(d.first)}: ${gateWords(verdict, threadKindOf(input)).found}.`;
}

/** An approval needs its digest, so the person must copy the current line. */
function suggestInstead(name: string): string {
  return name.startsWith('approve')
    ? 'To approve, copy the current line, with its digest, into a new comment.'
    : `Write \`/${name}\` in a new comment.`;
}

function notMerged({ notMerged: why }: { readonly notMerged?: string | undefined }): string {
  return why === undefined ? '' : ` GitHub refused to merge the pull request: ${text(why)} Merge or close it by hand.`;
}

function describeLogPull({ closurePull }: { readonly closurePull?: number | undefined }): string {
  return closurePull === undefined ? '' : ` The log-only pull request is #${closurePull}.`;
}

/** The answer to a line that addresses ferrybot and cannot be run. */
function explainMistake(d: AnswerFacts<'not-understood'>): string {
  const meant = d.suggest ? ` Did you mean ${code(d.suggest)}?` : '';
  const expected = d.expected ? ` (${text(d.expected)})` : '';
  const definition = findCommand(d.word.replace(/^\//, ''));
  const example = definition === null ? '' : ` Example: ${code(definition.example)}.`;
  return `${code(d.word)} (line ${d.line}) was not understood and nothing was done: ${ERRORS[d.code as ErrorCode] ?? code(d.code)}${expected}.${meant}${example} \`/help\` lists the commands.`;
}

/** The hint for a command in a place where it does not count. */
function explainHint(d: AnswerFacts<'hint'>): string {
  if (d.reason === 'review')
    return `a review does not approve the launch. To approve it, comment the card's ${code(d.word)} line.`;
  return `${code(d.word)} (line ${d.line}) does not count: ${PLACES[d.reason as IgnoreReason] ?? code(d.reason)}. To run it, write it in a new comment, at the start of a line of its own.`;
}

/** What is wrong with a line, as a clause. */
export const ERRORS: Readonly<Record<ErrorCode, string>> = {
  'unknown-command': 'there is no such command',
  'unknown-key': 'it does not take this key',
  'duplicate-key': 'a key is given twice',
  'missing-argument': 'an argument is missing',
  'unclosed-quote': 'a quotation mark is not closed',
  'bad-quote': 'a quotation mark is in the wrong place',
  'bad-value': 'it does not take this value',
  'extra-words': 'it does not take the words after it',
  glued: 'a space is missing after the command',
  'two-on-a-line': 'a second command is on the same line',
};

/** Why a slash word does not count, as a clause. */
export const PLACES: Readonly<Record<IgnoreReason, string>> = {
  markup: 'it is in or below formatting, HTML or a list, which includes the line below',
  quote: 'it is in a quote, which includes the line below',
  code: 'it is in code',
  link: 'it is in a link',
  'not-line-start': 'it is not at the start of a line',
  invisible: 'the line has invisible characters',
  lookalike: 'it has characters that only resemble the letters of a command',
  'other-bot': 'it belongs to another bot',
  unrelated: 'it is not a command of ferrybot',
  limit: 'the comment is too long or has too many commands',
};
