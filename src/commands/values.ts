/** The types of argument values that commands take. */

import { z } from 'zod';

/** At least 12 hex digits of a manifest's digest (48 bits: too many to grind for), with or without `sha256:`. */
export const digestPrefix = z
  .string()
  .regex(/^(sha256:)?[0-9a-fA-F]{12,64}$/, 'at least 12 hex digits of the digest on the card');

/** The name of a command, with or without its slash. */
export const commandWord = z.string().regex(/^\/?[a-z][a-z-]{0,30}$/, 'the name of a command');

/** Why somebody does something, in their own words. */
export const reasonText = z.string().trim().min(1, 'a reason').max(500, 'a reason of at most 500 characters');
