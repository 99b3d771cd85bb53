/** Outcomes of a `/propose` as answer codes with their small facts. */

import { type AnswerCode, type Answers, answerOf } from '../../commands/registry.ts';
import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import type { Detail, FactsArgument } from '../../domain/payload.ts';

export type Answered = { readonly kind: 'answer'; readonly code: string; readonly detail: Detail };

/** An answer; texts are cut to what an event holds. */
export function answerTo<Code extends AnswerCode>(
  code: Code,
  ...facts: FactsArgument<Answers[Code]>
): Answered {
  return cutAnswer(code, answerOf(code, ...facts).detail);
}

/** The same for an answer that was made elsewhere. */
export function cutAnswer(code: string, detail: Detail): Answered {
  const short = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutText(value, limits.answerTextChars) : value,
  ]);
  return { kind: 'answer', code, detail: Object.fromEntries(short) };
}
