/** Argument types. The messages complete "expected: …". */

import { z } from 'zod';

export type ArgumentSpec = { readonly required: boolean; readonly value: z.ZodType<string> };

/** The grammar of a command. `CommandDefinition` (decision.ts) adds permission, help and decision. */
export type CommandSpec = {
  /** Lower-case, without the slash. */
  readonly name: string;
  /** The argument without a key; stored in `args` under this name. */
  readonly positional?: ArgumentSpec & { readonly name: string };
  readonly keys: Readonly<Record<string, ArgumentSpec>>;
  /** For keys that cannot be listed, such as the knobs of `/propose`. */
  readonly freeKeys?: { readonly name: z.ZodType<string>; readonly value: z.ZodType<string> };
  /** The command blocks or revokes something. It tolerates extra words and punctuation, and must be decided before later launches. */
  readonly isBrake?: true;
  /** Words that people confuse with this command; they get a suggestion and are never executed. */
  readonly confusedWith?: readonly string[];
};

/** Accepts 12 digits or more, so that the answer to a short digest can show the full line. Binding needs `limits.bindingHexDigits`. */
export const digestPrefix = z
  .string()
  .regex(/^(sha256:)?[0-9a-fA-F]{12,64}$/, '32 or more hex digits of the digest: copy the line from the card');

export const runWord = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,62}$/, 'the name of a run: lower-case letters, digits and dashes')
  .refine((name) => name !== 'journal', 'the name of a run; the journal is none');

export const laneWord = z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'the name of a lane');

export const stepNumber = z.string().regex(/^[1-9]\d{0,8}$/, 'a step, in digits');

/** UTC: the next such time of day, or an RFC 3339 text that ends in Z. */
export const timeWord = z.union(
  [z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/), z.iso.datetime({ local: false })],
  'a time in UTC, such as 18:30 or 2026-11-21T18:30:00Z',
);

export const reasonText = z.string().trim().min(1, 'a reason').max(500, 'a reason of at most 500 characters');

/** The contract's reader validates it. */
export const contractText = z.string().trim().min(1, 'a value').max(500, 'a value of at most 500 characters');

const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_]*`;
const INDEX = String.raw`\[(?:"(?:[^"\\]|\\.)*"|[^\]\s"'=]+)\]`;

/**
 * As printed in a delta: `learning_rate`, `train.SimpleTrainConfig().learning_rate`, `_WEIGHTS["hq_actual"]`, `with_tpu()[0]`, `run().lr#2`
 * (src/host/python/read_experiment.py).
 */
export const knobPath = z
  .string()
  .max(300, 'the path of a knob')
  .regex(new RegExp(String.raw`^${NAME}(?:\.${NAME}|\(\)|${INDEX})*(?:#\d{1,4})?$`, 'u'), 'the path of a knob');

/** Python source. Unclosed brackets mean that the value was cut at a blank. */
export const knobValue = z
  .string()
  .trim()
  .min(1, 'a value')
  .max(500, 'a value of at most 500 characters')
  .refine(isBalanced, 'a value whose brackets close; one with blanks needs double quotes around it');

const CLOSING: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

// Ignores brackets in Python strings. Skips escaped characters, so that each quote is tried once.
function isBalanced(source: string): boolean {
  const open: string[] = [];
  for (const sign of source.replace(/\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/g, '')) {
    const opening = CLOSING.get(sign);
    if (opening !== undefined && open.pop() !== opening) return false;
    if ('([{'.includes(sign)) open.push(sign);
  }
  return open.length === 0;
}
