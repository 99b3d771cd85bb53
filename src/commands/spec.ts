/** The part of a command that the grammar needs. */

import type { z } from 'zod';

export type ArgumentSpec = {
  readonly required: boolean;
  readonly value: z.ZodType<string>;
};

/** `definition.ts` adds permission, help and decision. */
export type CommandSpec = {
  /** Lower-case, without the slash. */
  readonly name: string;
  /** The argument without a key; stored in `args` under this name. */
  readonly positional?: ArgumentSpec & { readonly name: string };
  readonly keys: Readonly<Record<string, ArgumentSpec>>;
  /** For keys that cannot be listed, such as the knobs of `/propose`. */
  readonly freeKeys?: { readonly name: z.ZodType<string>; readonly value: z.ZodType<string> };
  /** Blocks or takes back something: tolerates extra words, and must be decided before later launches. */
  readonly holdsBack?: true;
  /** Words that people confuse with this command; they get a suggestion and are never executed. */
  readonly confusedWith?: readonly string[];
};
