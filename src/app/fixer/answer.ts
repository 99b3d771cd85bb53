/** The answer of a fixer job in one JSON file. The job has no permissions, so control treats the file as untrusted. */

import { z } from 'zod';
import { FIXER_FAULTS } from '../../domain/launch/fixer.ts';

/** The artifact, and its only file. */
export const ANSWER_ARTIFACT = 'ferrybot-fix';
export const ANSWER_FILE = 'answer.json';

const schema = z.union([
  z.strictObject({ version: z.literal(1), failure: z.string(), patch: z.string() }),
  z.strictObject({ version: z.literal(1), failure: z.string(), none: z.enum(FIXER_FAULTS) }),
]);
export type FixerAnswer = z.infer<typeof schema>;

/** Null if the text is not an answer. */
export function readAnswer(text: string): FixerAnswer | null {
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
