/** What the sentence of an answer may look at. */

import type { AnswerCode, Answers } from '../commands/registry.ts';
import type { Facts } from '../domain/payload.ts';
import type { RenderInput } from './input.ts';

/** `input` null: on a thread that belongs to no run. */
export type AnswerView = { readonly input: RenderInput | null };

export type AnswerFacts<Code extends AnswerCode> = Facts<Answers[Code]>;

/** One sentence for each of these codes. */
export type Sentences<Code extends AnswerCode> = {
  readonly [C in Code]: (facts: AnswerFacts<C>, view: AnswerView) => string;
};
