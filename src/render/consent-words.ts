/** The sentence for each outcome of a consent to a change of the cluster. */

import type { CONSENT_ANSWERS } from '../commands/consent.ts';
import type { Sentences } from './answer-view.ts';
import { blockedWords, liftWords, reasonWords } from './hold-words.ts';
import { code, text } from './words.ts';

/** Commands that the record wrote itself, each as code. */
function lines(recorded: string): string {
  return recorded
    .split('\n')
    .map((line) => `\`${line.replace(/[^a-z0-9=/ -]/g, '')}\``)
    .join(', ');
}

export const CONSENT_WORDS: Sentences<keyof typeof CONSENT_ANSWERS> = {
  consented: (d) =>
    `you consent to ${code(d.kind)} of ${code(d.target)} as proposed (${code(d.digest)}). The runner looks at all of it once more and does it once, within the hour; what came of it is told here.`,
  'consent-nothing-proposed': (d) =>
    `nothing was done: nothing that ${code(d.name)} could mean was proposed when you wrote. ferrybot changes nothing on a cluster that it has not proposed first.`,
  'consent-other-target': (d) =>
    d.suggest
      ? `nothing was done: ${code(d.given)} is not what was proposed. Did you mean ${code(d.suggest)}?`
      : `nothing was done: ${code(d.given)} was not proposed in this thread.`,
  'consent-other-digest': (d) =>
    `nothing was done: the digest is not that of what is proposed. Look at what is proposed now, then copy this line: ${lines(d.lines)}`,
  'consent-digest-needed': (d) =>
    `nothing was done: a consent has to name the proposal that it is for. If you mean this one, copy its line: ${lines(d.lines)}`,
  'consent-other-thread': (d) =>
    `nothing was done: it was proposed in #${d.thread}, with its evidence, and has to be said there.`,
  'consent-ambiguous': (d) =>
    `nothing was done: more than one proposal of this thread could be meant. Copy the line of yours: ${lines(d.lines)}`,
  'consent-too-old': () =>
    'nothing was done: your comment is more than an hour old by now. If you still mean it, write it again.',
  'consent-given-already': (d) =>
    `${d.by ? text(d.by) : 'the config'} has consented to it already, and that still counts.`,
  'consent-under-way': (d) => `it is under way already, since ${text(d.at)}.`,
  'consent-done': (d) =>
    `nothing was done: this proposal is over (${text(d.outcome)}: ${code(d.code)}). It is used once; whatever is needed now is proposed anew.`,
  'consent-held': (d) =>
    `nothing was done: ${blockedWords(d)} is on hold${reasonWords(d.reason)}. ${liftWords(d)} lifts it; then comment this again.`,
  'consent-not-here': () =>
    'nothing was done: a consent has to be a comment or a review of its own, not a remark on a line.',
  'consent-not-shown': (d) =>
    `nothing was done: the text that proposes it did not stand here as ferrybot wrote it when you wrote, or could not be read. ferrybot writes it anew where somebody else changed it; read what is proposed then, and say it with its line: ${lines(d.lines)}`,
  'cleanup-own': () =>
    'nothing was done: you asked for this list, so that somebody else who may approve consents to it.',
  'cleanup-list-old': (d) =>
    `nothing was done: this list is more than ${d.hours} hours old by now. \`/cleanup-checkpoints\` makes a new one.`,
};
