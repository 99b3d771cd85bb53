/** The sentence for each outcome of a command: what happened, and what to do where it did not. */

import type { AnswerCode } from '../domain/command.ts';
import { GATES, type GateId } from '../domain/launch/verdict.ts';
import type { AnswerView } from './answer-view.ts';
import { CONSENT_WORDS } from './consent-words.ts';
import { gateWords } from './gate-words.ts';
import { hintWords, mistakeWords } from './mistake-words.ts';
import { type PlaceWord, placeWord } from './place-word.ts';
import { PROPOSE_WORDS } from './propose-words.ts';
import { whoApproves } from './wanted.ts';
import { whyWords } from './why-words.ts';
import { approvalLine, code, text } from './words.ts';

/** The words for a code; exhaustive by type. */
export function answerWords(answer: AnswerCode): (view: AnswerView) => string {
  return WORDS[answer];
}

const WORDS: Readonly<Record<AnswerCode, (view: AnswerView) => string>> = {
  approved: ({ detail }) =>
    `approved manifest ${detail.code('digest')} (${detail.text('count')} of ${detail.text('quorum')}). The launch is ordered as soon as the gates have passed once more.`,
  'approved-waiting-for-more': ({ detail }) =>
    `approved manifest ${detail.code('digest')}: ${detail.text('count')} of ${detail.text('quorum')} approvals. It takes more before anything launches.`,
  'already-approved': ({ detail }) =>
    `you have approved manifest ${detail.code('digest')} before, and that still stands.`,
  'approval-gates-blocked': (view) =>
    `not approved, because a launch gate does not pass (open gates: ${view.detail.text('count')}). First: ${blockedBy(view)} The card shows all of them; approve when they pass, with the line that it shows then.`,
  'approval-digest-unknown': ({ detail }) =>
    `not approved: no manifest of this run begins with ${detail.code('given')}. The card shows the one to approve.`,
  'approval-digest-changed': ({ detail }) =>
    `not approved: ${detail.code('given')} is not what is shown now. Look at what changed, then copy this line: \`${approvalLine(detail.raw('digest'))}\``,
  'approval-digest-needed': ({ detail }) =>
    `not approved: an approval has to name the manifest that it is for. If you mean the one that the card shows, copy this line: \`${approvalLine(detail.raw('digest'))}\``,
  'approval-before-shown': ({ detail }) =>
    `not approved: this manifest was not on show, or not long enough, when you wrote. Look at it, then copy this line into a new comment: \`${approvalLine(detail.raw('digest'))}\``,
  'approval-other-commit': ({ detail }) =>
    `not approved: a review counts for the commit that it was written on, which is ${detail.has('commit') ? detail.code('commit') : 'not known'}, and the manifest is of ${detail.code('head')}. Review what is there now, with this line: \`${approvalLine(detail.raw('digest'))}\``,
  'approval-too-old': ({ detail }) =>
    `not approved: your comment is more than ${detail.text('hours')} hours old by now. If you still mean it, copy this line into a new one: \`${approvalLine(detail.raw('digest'))}\``,
  'approval-not-shown': ({ detail }) =>
    detail.has('until')
      ? `not approved: somebody changes the card again and again, so that nobody can say what people see there. It is left as it is, and written anew at ${detail.time('until')}; the incident says who did it. Look at it then, and approve with the line that it shows.`
      : `not approved: the card does not show the manifest ${detail.code('digest')} yet, or somebody else changed it. It is being written by ferrybot, which needs nobody for that; look at it, and approve with the line that it shows then.`,
  'approval-not-now': ({ detail }) =>
    detail.has('jobId')
      ? `nothing to approve: job ${detail.code('jobId')} was launched already.`
      : 'nothing to approve now: a launch is under way or the run is over. An approval has to be a comment or a review of its own.',
  'approval-by-author': ({ input }) =>
    `not approved: this change is yours (you proposed it, asked for it, or changed its branch, its text or its issue). It takes ${input === null ? 'somebody else' : whoApproves(input)}.`,
  revoked: ({ detail }) =>
    `taken back: manifest ${detail.code('digest')} is not approved any more (approvals taken back: ${detail.text('count')}), and nothing is launched on it.`,
  'revoke-nothing': () => 'nothing to take back: no approval of yours stands.',
  'revoke-too-late': ({ detail }) =>
    `not taken back: ${detail.has('jobId') ? `job ${detail.code('jobId')} was launched already` : 'the runner is launching it now'}. \`/stop\` ends the job.`,
  held: ({ detail }) =>
    `on hold: ${detail.text('reason')}. Nothing of this run is launched until \`/unhold\`; approvals that fell with it: ${detail.text('dropped')}.`,
  'hold-too-late': ({ detail }) =>
    `too late for a hold: ${detail.has('jobId') ? `job ${detail.code('jobId')} was launched already` : 'the runner is launching it now, or the run has ended'}. \`/stop\` ends a job.`,
  unheld: ({ detail }) =>
    `lifted (holds: ${detail.text('count')}). The gates are evaluated again; an approval that fell has to be given anew.`,
  'unhold-nothing': ({ detail }) =>
    `nothing to lift: there is no hold here and today is not skipped.${missedWords(detail)}`,
  skipped: ({ detail }) =>
    `${detail.text('date')} is skipped${detail.has('lane') ? ` in the lane ${detail.code('lane')}` : ''}: ${detail.text('reason')}. No ferry is proposed or launched for that day; \`/unhold\` lifts it.`,
  'skip-too-late': ({ detail }) =>
    `too late to skip: ${detail.code('run')} was launched already. ${detail.raw('live') === '1' ? '`/stop` on its thread ends the job.' : 'Its job has ended.'}`,
  frozen: ({ detail }) =>
    `the ${detail.text('scope')}${detail.has('lane') ? ` ${detail.code('lane')}` : ''} is frozen: ${detail.text('reason')}. Nothing is proposed or launched until \`/thaw\`; a job that runs goes on.`,
  thawed: ({ detail }) =>
    `thawed (${detail.text('scopes')}). The gates are evaluated again; an approval that fell has to be given anew.`,
  'thaw-nothing': ({ detail }) => `nothing to thaw: nothing is frozen.${missedWords(detail)}`,
  'lane-shown': (view) => laneWords(view),
  'lane-unclear': ({ detail }) =>
    `nothing was done: ${detail.raw('kind') === 'no-such' ? `this lab has no lane ${detail.code('named')}` : 'this lab has several lanes'}. Say which one is meant, with one of these in the command: ${detail
      .raw('lanes')
      .split(' ')
      .map((lane) => code(`lane=${lane}`))
      .join(', ')}.`,
  'why-told': ({ detail, input }) => whyWords(detail, placeIn(input)),
  'why-nothing': () => 'nothing holds it back: the launch is about to be ordered.',
  'why-launched': () => 'nothing holds it back any more: it was launched, or its launch is under way.',
  'why-stopped': ({ detail, input }) =>
    `${detail.text('by')} stopped it, and that is for good: close the ${placeIn(input)}, and propose the next ferry.`,
  'why-unreadable': ({ input }) =>
    `the ${placeIn(input)} cannot be read now; ferrybot looks again by itself.`,
  'status-shown': () => 'this is where the run stands.',
  'stop-requested': ({ detail }) =>
    detail.has('missingCluster')
      ? `stop asked for by ${detail.text('by')}, and **nothing is stopped yet**: the job runs on the cluster ${detail.code('missingCluster')}, which is not in the config any more, so that nothing here can reach it. Put the cluster back into \`.github/ferrybot.yml\` on the default branch, and the stop is carried out without being said again; until then it ends by itself, or by the cluster's own means.`
      : `stop asked for by ${detail.text('by')}; the watch hands it to the engine within a minute, and the end is reported when the engine says so.`,
  'stop-before-launch': ({ detail }) =>
    `stopped by ${detail.text('by')} before the launch: the order and the approvals are taken back, and this run will not launch.`,
  'stop-before-restart': ({ detail }) =>
    `stopped by ${detail.text('by')} before it was started again: the job itself has ended, and no other attempt follows.`,
  'stop-not-running': ({ detail }) => `nothing to stop (${detail.text('status')}).`,
  acknowledged: ({ detail }) => `noted: you have seen that the run ended ${detail.text('status')}.`,
  'acknowledged-already': ({ detail }) => `noted before: the run ended ${detail.text('status')}.`,
  'acknowledged-nothing': () => 'nothing to acknowledge yet: the run has not ended.',
  'closed-failed': ({ detail }) =>
    `the failed run is closed without a tag. The log-only pull request is #${detail.raw('closurePull')}.`,
  sealed: ({ detail }) =>
    `sealed with the tag ${detail.code('tag')}. The log-only pull request is #${detail.raw('closurePull')}.`,
  'closed-lost': ({ detail }) =>
    `given up: nobody can say what became of the job, and the lane is free again. The log-only pull request is #${detail.raw('closurePull')}.`,
  'closed-rejected': ({ detail }) =>
    `closed without a tag, because its result does not count. The log-only pull request is #${detail.raw('closurePull')}.`,
  'lost-not-lost': ({ detail, input }) =>
    detail.raw('minutes') === '0'
      ? `not given up: the job is seen, or nothing was started. \`/stop\` ends a job; a closed ${placeIn(input)} withdraws a proposal.`
      : `not given up yet: its first report may still come. Try again in ${detail.text('minutes')} min.`,
  'seal-not-ended': () => 'not sealed: the run has not ended.',
  'seal-needs-accept': ({ detail }) =>
    `not sealed: the run ended ${detail.text('status')} and its verdict is *${detail.text('verdict')}*. If the result counts all the same, say why: \`/seal accept="…"\`; if it does not, \`/ack reject="…"\` closes the run.`,
  'seal-refused': ({ detail }) => `not sealed: ${detail.code('code')}: ${detail.text('message')}`,
  'seal-already': () => 'this run is sealed already.',
  'help-shown': () => 'these are the commands.',
  'not-permitted': ({ detail }) =>
    `not done: it takes ${detail.text('needs')} permission${detail.has('held') ? `, and you have ${detail.text('held')}` : ''}.`,
  'permission-unknown': ({ detail }) =>
    `not done: GitHub did not tell what you may do here (${detail.text('why')}). Nothing happened; please try again later.`,
  'no-run-here': () =>
    'nothing happened: no run belongs to this thread. Commands go to the pull request or the issue of a ferry.',
  'run-over': () => 'nothing happened: the run of this thread is over.',
  'comment-edited': ({ detail }) =>
    `not done: the comment was edited, and an edited comment gives no commands. ${anewInstead(detail.raw('name').replace(/[^a-z-]/g, ''))}`,
  'comment-gone': () => 'not done: the comment is gone.',
  'not-understood': ({ detail }) => mistakeWords(detail),
  hint: ({ detail }) => hintWords(detail),
  'logbook-broken': () =>
    'nothing happened: the logbook of this run does not verify, and until a person has looked ferrybot does nothing on it.',
  ...PROPOSE_WORDS,
  ...CONSENT_WORDS,
};

function placeIn(input: AnswerView['input']): PlaceWord {
  return input === null ? 'pull request' : placeWord(input.state);
}

/** The lane, for a thread that has no run: what runs, what was last, what keeps it back. */
function laneWords({ detail }: AnswerView): string {
  const live = detail.has('live') ? `${detail.code('live')} is under way` : 'no run is under way';
  const last = detail.has('last')
    ? `the newest is ${detail.code('last')} (#${detail.raw('issue').replace(/\D/g, '')})`
    : 'there was none yet';
  const holds = detail.has('holds') ? `kept back by: ${detail.text('holds')}` : 'nothing keeps it back';
  return `this thread has no run. The lane: ${live}, ${last}, ${holds}.${strayWords(detail)}`;
}

/** Holds on lanes that the config does not have: each as its kind, lane and author. */
function strayWords(detail: AnswerView['detail']): string {
  if (!detail.has('stray')) return '';
  const all = detail
    .raw('stray')
    .split(', ')
    .map((one) => one.split(' '));
  const words = all.map(([kind = '', lane = '', by = '']) => `${text(kind)} of ${code(lane)} by ${text(by)}`);
  return ` **On lanes that the config does not have, and so holding nothing back:** ${words.join('; ')}. If such a lane has another name now, hold it anew under that.`;
}

/** A launcher found nobody who lifted what the record does not have any more: it will find these words. */
function missedWords(detail: AnswerView['detail']): string {
  return detail.has('missed')
    ? " A launch was refused because nobody was found who had lifted it: this comment is found. Approve again with the card's `/approve-launch` line."
    : '';
}

/** The first gate that blocks, as the record tells it; the answer itself carries only its name and code. */
function blockedBy({ detail, input }: AnswerView): string {
  const gate = detail.raw('first');
  const verdict = input?.state.gate?.verdicts.find((v) => v.gate === gate && v.code === detail.raw('code'));
  if (verdict !== undefined) return `\`${gate}\`: ${gateWords(verdict, placeIn(input)).found}.`;
  return isGate(gate)
    ? `\`${gate}\` (${code(detail.raw('code'))}).`
    : `${text(gate || 'no gate was evaluated yet')}.`;
}

function isGate(name: string): name is GateId {
  return (GATES as readonly string[]).includes(name);
}

/** A bare approval or consent would be refused: the line to copy has the digest. */
function anewInstead(name: string): string {
  return name.startsWith('approve-')
    ? `If you mean it, copy the line that is shown now, with its digest, into a new one.`
    : `Write \`/${name}\` in a new one.`;
}
