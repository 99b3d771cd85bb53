/** The sentence for each outcome of a consent to a change of the cluster. */

import type { AnswerCode } from '../domain/command.ts';
import type { AnswerView } from './answer-view.ts';

type ConsentCode = Extract<AnswerCode, `consent${string}` | 'close-under-way'>;

/** Commands that the record wrote itself, each as code. */
function lines(detail: AnswerView['detail']): string {
  return detail
    .raw('lines')
    .split('\n')
    .map((line) => `\`${line.replace(/[^a-z0-9=/ -]/g, '')}\``)
    .join(', ');
}

export const CONSENT_WORDS: Readonly<Record<ConsentCode, (view: AnswerView) => string>> = {
  consented: ({ detail }) =>
    `you consent to ${detail.code('kind')} of ${detail.code('target')} as proposed (${detail.code('digest')}). The runner looks at all of it once more and does it once, within the hour; what came of it is told here.`,
  'consent-nothing-proposed': ({ detail }) =>
    `nothing was done: nothing that ${detail.code('name')} could mean was proposed when you wrote. ferrybot changes nothing on a cluster that it has not proposed first.`,
  'consent-other-target': ({ detail }) =>
    detail.has('suggest')
      ? `nothing was done: ${detail.code('given')} is not what was proposed. Did you mean ${detail.code('suggest')}?`
      : `nothing was done: ${detail.code('given')} was not proposed in this thread.`,
  'consent-other-digest': ({ detail }) =>
    `nothing was done: the digest is not that of what is proposed. Look at what is proposed now, then copy this line: ${lines(detail)}`,
  'consent-digest-needed': ({ detail }) =>
    `nothing was done: a consent has to name the proposal that it is for. If you mean this one, copy its line: ${lines(detail)}`,
  'consent-other-thread': ({ detail }) =>
    `nothing was done: it was proposed in #${detail.raw('thread').replace(/\D/g, '')}, with its evidence, and has to be said there.`,
  'consent-ambiguous': ({ detail }) =>
    `nothing was done: more than one proposal of this thread could be meant. Copy the line of yours: ${lines(detail)}`,
  'consent-too-old': () =>
    'nothing was done: your comment is more than an hour old by now. If you still mean it, write it again.',
  'consent-given-already': ({ detail }) =>
    `${detail.has('by') ? detail.text('by') : 'the config'} has consented to it already, and that still counts.`,
  'consent-under-way': ({ detail }) => `it is under way already, since ${detail.text('at')}.`,
  'consent-done': ({ detail }) =>
    `nothing was done: this proposal is over (${detail.text('outcome')}: ${detail.code('code')}). It is used once; whatever is needed now is proposed anew.`,
  'consent-held': ({ detail }) =>
    `nothing was done: there is a ${detail.text('kind')} (${detail.text('reason')}). Lift it, then say it again.`,
  'consent-not-here': () =>
    'nothing was done: a consent has to be a comment or a review of its own, not a remark on a line.',
  'consent-not-shown': ({ detail }) =>
    `nothing was done: the text that proposes it did not stand here as ferrybot wrote it when you wrote, or could not be read. ferrybot writes it anew where somebody else changed it; read what is proposed then, and say it with its line: ${lines(detail)}`,
  'close-under-way': () =>
    'not yet: the cluster is being changed for this run. Say it again when the end of that is told here.',
};
