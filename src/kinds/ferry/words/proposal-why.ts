/** Why this change today: who asked for it, or what made the candidate due (policy DF-16). */

import { limits } from '../../../domain/limits.ts';
import { inlineText } from '../../../render/escape.ts';
import { code, details, paragraphs, person } from '../../../render/words.ts';
import type { ChoiceRationale, Skipped } from '../candidates.ts';
import type { ProposalView } from '../proposal-view.ts';

/** The rationale of a proposal: reason, origin, and what was passed over. */
export function whyText({ reason, candidate, asked, rationale, changes }: ProposalView): string {
  const origin = [
    asked === null ? '' : `Asked for by ${person(asked.by)} in #${asked.thread}. `,
    inlineText(reason, limits.shownBlockCharsMax),
    candidate === null ? '' : ` (candidate ${code(candidate)})`,
  ].join('');
  const said =
    origin.trim() === '' ? (changes.length === 0 ? 'an identical rerun' : 'no reason was given') : origin;
  return paragraphs(
    `Rationale: ${said.trim()}`,
    rationale === null ? null : dueText(rationale),
    rationale === null || rationale.skipped.length === 0 ? null : skippedText(rationale.skipped),
  );
}

function dueText({ bucket, signal, bucketLastTried, candidateLastTried }: ChoiceRationale): string {
  const lately = (last: string | null): string =>
    last === null ? 'by no ferry on record' : `last by the ferry of ${last}`;
  return `Why now: ${SIGNAL[signal]}; the ${bucket} bucket was changed ${lately(bucketLastTried)}, this knob ${lately(candidateLastTried)}.`;
}

function skippedText(skipped: readonly Skipped[]): string {
  const lines = skipped.slice(0, limits.shownRowsMax).map(({ id, why }) => `- ${code(id)}: ${SKIPPED[why]}`);
  return details('Candidates that were passed over', lines.join('\n'));
}

const SKIPPED: Readonly<Record<Skipped['why'], string>> = {
  'path-missing': 'its knob is not in the file',
  'step-too-large': 'each value that is left is no small step from what runs now',
  'all-values-recent':
    'each of its values is there already, was tried lately, or was followed by a failed run',
};

const SIGNAL: Readonly<Record<ChoiceRationale['signal'], string>> = {
  validation: 'it validates the pipeline, which comes before exploring the model',
  exploration: 'it explores the model, and nothing that validates the pipeline is due',
};
