/** Remembers what git once answered about objects: they are named by their content, so an answer is never old. */

import { git as limits } from '../../limits/limits.ts';

/**
 * Asks once a key and gives the same answer again, as long as it is among the latest; the caller must not change it.
 * `bytesOf` says what an answer weighs: large ones are asked for again. What fails is not remembered.
 */
export function keptAnswers<Answer>(
  bytesOf: (answer: Answer) => number,
): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const known = new Map<string, { readonly answer: Answer }>();
  return async (key, ask) => {
    const kept = known.get(key);
    if (kept !== undefined) return kept.answer;
    const answer = await ask();
    if (bytesOf(answer) > limits.answerKeptBytes) return answer;
    const [oldest] = known.keys();
    if (known.size >= limits.answersKept && oldest !== undefined) known.delete(oldest);
    known.set(key, { answer });
    return answer;
  };
}
