/** The types of argument values that commands take. */

import { z } from 'zod';
import { cutText } from '../domain/cut-text.ts';

/**
 * Hex digits of a digest, with or without `sha256:`. From 12 on they are read, so that who types what they see somewhere is
 * told the line to copy; an approval or a consent takes `limits.bindingHexDigits` of them.
 */
export const digestPrefix = z
  .string()
  .regex(
    /^(sha256:)?[0-9a-fA-F]{12,64}$/,
    '32 or more hex digits of the digest: copy the line from the card',
  );

/** The name of a machine, as the cloud allows one (RFC 1035 label): it never begins with a dash, so that no program takes it for an option. */
export const machineName = z
  .string()
  .regex(
    /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'the name of a machine: lower-case letters, digits and dashes, a letter first',
  );

/** The name of a command, with or without its slash. */
export const commandWord = z.string().regex(/^\/?[a-z][a-z-]{0,30}$/, 'the name of a command');

/** The name of a run. */
export const runWord = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,62}$/, 'the name of a run: lower-case letters, digits and dashes')
  .refine((name) => name !== 'journal', 'the name of a run; the journal is none');

/** The name of a lane of the lab. */
export const laneWord = z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'the name of a lane');

/** The id of a job on its cluster: it can be a part of a path, and means nothing to a shell or to Markdown. */
export const jobWord = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'the id of a job: letters, digits and . _ -, a letter or digit first',
  );

/** The name of a cluster of the config. */
export const clusterWord = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'the name of a cluster');

/** The path of a file in the repository. */
export const treePath = z
  .string()
  .max(300, 'the path of a file')
  .regex(
    /^[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*$/,
    'the path of a file in the repository, such as experiments/sweep.py',
  )
  .refine((path) => !path.split('/').includes('..'), 'a path without ..');

/** A person, as one is mentioned: letters, digits and dashes (GitHub, account names). */
export const mention = z.string().regex(/^@[A-Za-z0-9][A-Za-z0-9-]{0,38}$/, 'a person, such as @ada');

/** A training step. */
export const stepNumber = z.string().regex(/^[1-9]\d{0,8}$/, 'a step, in digits');

/** How many of the newest steps stay. */
export const keptSteps = z.string().regex(/^[1-9]\d{0,3}$/, 'how many of the newest steps stay, 1 to 9999');

/** What people call a moment of a run; it is a part of a tag. */
export const milestoneName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'at most 40 lower-case letters, digits and dashes, and no blanks',
  );

/** A step to go back to; 0 is the beginning. */
export const stepBack = z.string().regex(/^(?:0|[1-9]\d{0,8})$/, 'a step, in digits');

/** A moment in UTC: a time of day, which is the next one, or a whole RFC 3339 text that ends in Z. */
export const timeWord = z.union(
  [z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/), z.iso.datetime({ local: false })],
  'a time in UTC, such as 18:30 or 2026-11-21T18:30:00Z',
);

/** Why somebody does something, in their own words. */
export const reasonText = z.string().trim().min(1, 'a reason').max(500, 'a reason of at most 500 characters');

/** The reason of a brake, which brakes whatever its reason is: one that is too long is cut. */
export const brakeReason = z.string().transform((reason) => cutText(reason.trim(), 500));

/** A value of an issue's contract; what reads the contract says what it may be. */
export const contractText = z.string().trim().min(1, 'a value').max(500, 'a value of at most 500 characters');

const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_]*`;
const INDEX = String.raw`\[(?:"(?:[^"\\]|\\.)*"|[^\]\s"'=]+)\]`;

/**
 * The name or path of a knob as the delta prints it: `learning_rate`, `train.SimpleTrainConfig().learning_rate`,
 * `_WEIGHTS["hq_actual"]`, `with_tpu()[0]`, `run().lr#2` (src/delta/knob-path.ts).
 */
export const knobPath = z
  .string()
  .max(300, 'the path of a knob')
  .regex(
    new RegExp(String.raw`^${NAME}(?:\.${NAME}|\(\)|${INDEX})*(?:#\d{1,4})?$`, 'u'),
    'the path of a knob',
  );

/**
 * A knob's new value as Python source. One whose brackets do not close was cut at a blank: it needs quotes around it.
 */
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

// Python's own strings may hold any bracket. A backslash outside takes its sign along, so that no quote is tried twice.
function isBalanced(source: string): boolean {
  const open: string[] = [];
  for (const sign of source.replace(/\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/g, '')) {
    const opening = CLOSING.get(sign);
    if (opening !== undefined && open.pop() !== opening) return false;
    if ('([{'.includes(sign)) open.push(sign);
  }
  return open.length === 0;
}
