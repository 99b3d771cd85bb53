/** What the job of a fixer leaves behind, in one file of JSON: written without any right, and read by control as a stranger's. */

import { z } from 'zod';
import { FIXER_FAULTS } from '../../domain/launch/fixer.ts';

/** The name of the artifact, and of the one file in it. */
export const ANSWER_ARTIFACT = 'ferrybot-fix';
export const ANSWER_FILE = 'answer.json';

const schema = z.union([
  z.strictObject({ version: z.literal(1), failure: z.string(), patch: z.string() }),
  z.strictObject({ version: z.literal(1), failure: z.string(), none: z.enum(FIXER_FAULTS) }),
]);
export type FixerAnswer = z.infer<typeof schema>;

/** Null for what is no answer. */
export function readAnswer(text: string): FixerAnswer | null {
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
