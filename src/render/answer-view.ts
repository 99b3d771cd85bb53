/** What the sentence of an answer may look at. */

import type { DetailReader } from './detail.ts';
import type { RenderInput } from './input.ts';

export type AnswerView = {
  readonly detail: DetailReader;
  /** Null on a thread that belongs to no run. */
  readonly input: RenderInput | null;
  readonly args: Readonly<Record<string, string>>;
};
