/** What came of a `/propose`: the proposal, a question, or what stands in the way and how to get past it. */

import type { AnswerCode } from '../domain/command.ts';
import { isIssueFirst } from '../domain/issue-first.ts';
import { limits } from '../domain/limits.ts';
import type { AnswerView } from './answer-view.ts';
import { fenced, inlineCode } from './escape.ts';
import { listed } from './words.ts';

type ProposeCode = Extract<AnswerCode, 'proposed' | `propose-${string}`>;

/** The sentences of the codes that only `/propose` has. */
export const PROPOSE_WORDS: Readonly<Record<ProposeCode, (view: AnswerView) => string>> = {
  proposed: ({ detail }) =>
    `proposed as ${detail.code('run')}: ${placeOf(detail)}. Its card says what is missing for the launch; somebody else than you has to approve it.`,
  'propose-held': ({ detail }) =>
    `nothing is proposed: ${held(detail.raw('kind'))} by ${detail.text('by')}: ${detail.text('reason')}. ${release(detail.raw('kind'))}`,
  'propose-standing': ({ detail }) =>
    `nothing is proposed: ${detail.code('run')} is proposed already in #${number(detail.raw('pull'))}. To have it replaced, write \`/propose\` there; to be rid of it, close it.`,
  'propose-busy': ({ detail }) =>
    `nothing is proposed: ${detail.code('run')} (#${number(detail.raw('pull'))}) ${detail.raw('phase') === 'ended' ? 'has' : 'is'} ${detail.text('phase')}, and a lane has one run at a time. ${wayOut(detail)}`,
  'propose-not-today': ({ detail }) =>
    `nothing is proposed: there were ${detail.text('count')} proposals today, and that is the limit.`,
  'propose-unknown-knob': ({ detail }) =>
    `nothing is proposed: the experiment file has no knob ${detail.code('name')}.${detail.has('suggest') ? ` Did you mean ${detail.code('suggest')}?` : ''} \`npx ferrybot read-knobs\` lists them.`,
  'propose-ambiguous-knob': ({ detail }) =>
    `nothing is proposed: ${detail.code('name')} is the name of more than one knob. Say which: ${listed(
      detail
        .raw('paths')
        .split('\n')
        .slice(0, limits.shownRowsMax)
        .map((path) => inlineCode(path, limits.shownTextCharsMax)),
    )}.`,
  'propose-repeated-knob': ({ detail }) =>
    `nothing is proposed: ${detail.code('name')} is ${detail.code('path')}, which is set twice.`,
  'propose-value-refused': ({ detail }) =>
    `nothing is proposed: ${detail.code('value')} is no value that ${detail.code('name')} can take${detail.has('before') ? ` (it is ${detail.code('before')})` : ''}. A value is a number, a text, a list of such, or a name that the file has already; no call and no code.`,
  'propose-unchanged': ({ detail }) =>
    `nothing is proposed: ${detail.code('name')} is ${detail.code('before')} already. To run the same again, say \`/propose objective="regression: …"\`.`,
  'propose-over-budget': ({ detail }) =>
    `nothing is proposed: ${detail.text('count')} knobs at once, and this lab allows ${detail.text('max')}, so that what changes in the result has a cause.`,
  'propose-objective-unclear': ({ detail }) =>
    objectiveQuestion(detail.raw('why'), detail.raw('said'), detail.raw('knobs')),
  'propose-nothing': ({ detail }) => nothingWords(detail.raw('reason'), detail.raw('why')),
  'propose-failed': ({ detail }) =>
    `the proposal could not be made: ${detail.text('why')}. What was begun is left as it is; when the cause is mended, ask again.`,
};

function placeOf({ raw }: AnswerView['detail']): string {
  const [pull, issue] = [number(raw('pull')), number(raw('issue'))];
  return isIssueFirst({ pull: Number(pull), issue: Number(issue) })
    ? `issue #${issue}`
    : `pull request #${pull}, issue #${issue}`;
}

function number(raw: string): string {
  return raw.replace(/\D/g, '');
}

function held(kind: string): string {
  if (kind === 'skip') return 'today is skipped';
  return kind === 'freeze' ? 'the lane is frozen' : 'the lane is held';
}

function release(kind: string): string {
  return kind === 'freeze' ? '`/thaw` lifts it.' : '`/unhold` lifts it.';
}

function wayOut(detail: AnswerView['detail']): string {
  switch (detail.raw('phase')) {
    case 'proposed':
    case 'gated':
      return detail.has('issue') ? 'Close it to withdraw it.' : 'Close its pull request to withdraw it.';
    case 'approved':
    case 'ordered':
      return '`/revoke` or `/stop` there takes it back.';
    case 'ended':
      return 'Its card says how it is ended: by `/seal`, or by `/ack`.';
    default:
      return '`/stop` there ends its job.';
  }
}

/** The one question, with the command that would answer it each way (policy DF-05). */
function objectiveQuestion(why: string, said: string, knobs: string): string {
  const begin = knobs === '' ? '/propose' : `/propose ${knobs}`;
  const words = said.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const answers = ['integration', 'regression'].map((kind) =>
    inlineCode(`${begin} objective="${kind}${words === '' ? '' : `: ${words}`}"`, limits.shownBlockCharsMax),
  );
  const because =
    why === 'names-both'
      ? 'the objective names both'
      : why === 'negated'
        ? 'the objective can be read both ways'
        : why === 'nothing-said'
          ? 'this lab wants the objective said'
          : 'the objective names neither';
  return `nothing was edited, because ${because}. Is this ferry the normal integration check, or is it to confirm a regression?\n\n- ${answers[0] ?? ''}\n- ${answers[1] ?? ''}`;
}

function nothingWords(reason: string, why: string): string {
  switch (reason) {
    case 'checks-failed':
      return `nothing is pushed: a check of the lab does not pass with this change.\n\n${fenced(why, limits.answerTextChars)}`;
    case 'proposer-failed':
    case 'proposer-refused':
      return `nothing is proposed: the lab's proposer gave no answer that can be used (${inlineCode(why, limits.shownTextCharsMax)}).`;
    case 'no-candidates':
      return 'nothing is proposed: the lab lists no candidates. Name a knob: `/propose learning_rate=…`.';
    case 'nothing-due':
      return `nothing is proposed: nothing is due (${inlineCode(why, limits.shownTextCharsMax)}). Name a knob: \`/propose learning_rate=…\`.`;
    default:
      return `nothing is proposed: ${inlineCode(reason, limits.shownTextCharsMax)}: ${inlineCode(why, limits.shownTextCharsMax)}.`;
  }
}
