/** Caches git's answers about objects. Objects are named by their content, so a cached answer is never outdated. */

import { git as limits } from '../../limits/limits.ts';

/**
 * Asks once per key and returns the cached answer while it is among the latest; the caller must not modify it.
 * `bytesOf` gives an answer's size: large answers are not cached, and neither are failures.
 */
export function createAnswerCache<Answer>(
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
