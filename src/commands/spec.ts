/** What the grammar must know of a command to read it: its name and the arguments that it takes. */

import type { z } from 'zod';

/** One argument: whether it must be given, and which strings are values of it. */
export type ArgumentSpec = {
  readonly required: boolean;
  readonly value: z.ZodType<string>;
};

/** The reading part of a command's definition (`definition.ts` adds who may run it, its help and what it decides). */
export type CommandSpec = {
  /** Lower-case, without the slash. */
  readonly name: string;
  /** The one argument that is given without a key; it is read into `args` under this name. */
  readonly positional?: ArgumentSpec & { readonly name: string };
  readonly keys: Readonly<Record<string, ArgumentSpec>>;
  /** Set where the command also takes keys that cannot be listed, such as the knobs of `/propose`. */
  readonly freeKeys?: { readonly name: z.ZodType<string>; readonly value: z.ZodType<string> };
  /** It takes something back or blocks it: it counts although extra words follow, and nothing said after it launches before it is decided. */
  readonly holdsBack?: true;
  /** Words that people write when they mean this command: they get did-you-mean and are never run. */
  readonly confusedWith?: readonly string[];
};
