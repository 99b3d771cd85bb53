/** Outcomes of a `/propose` as answer codes with their small facts. */

import { type AnswerCode, type Answers, answerOf } from '../../commands/registry.ts';
import { assertNever } from '../../domain/assert.ts';
import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import type { Detail, FactsArgument } from '../../domain/payload.ts';
import type { AskRefusal } from '../../kinds/ferry/ask/asked-change.ts';

export type Answered = { readonly kind: 'answer'; readonly code: string; readonly detail: Detail };

/** An answer; texts are cut to what an event holds. */
export function answerTo<Code extends AnswerCode>(
  code: Code,
  ...facts: FactsArgument<Answers[Code]>
): Answered {
  const { detail } = answerOf(code, ...facts);
  const short = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutText(value, limits.answerTextChars) : value,
  ]);
  return { kind: 'answer', code, detail: Object.fromEntries(short) };
}

/** Why the asked-for change cannot be made. */
export function refusalAnswer(refusal: AskRefusal): Answered {
  switch (refusal.code) {
    case 'unknown-knob':
      return answerTo('propose-unknown-knob', { name: refusal.name, suggest: refusal.suggest ?? '' });
    case 'ambiguous-knob':
      return answerTo('propose-ambiguous-knob', { name: refusal.name, paths: refusal.paths.join('\n') });
    case 'repeated-knob':
      return answerTo('propose-repeated-knob', { name: refusal.name, path: refusal.path });
    case 'value-refused':
      return answerTo('propose-value-refused', {
        name: refusal.name,
        value: refusal.value,
        before: refusal.before,
      });
    case 'unchanged':
      return answerTo('propose-unchanged', { name: refusal.name, before: refusal.before });
    case 'over-budget':
      return answerTo('propose-over-budget', { count: refusal.count, max: refusal.max });
    default:
      return assertNever(refusal);
  }
}
