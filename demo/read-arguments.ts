/** Parses options of the playground's programs strictly: unknown, repeated or invalid options are errors. */

import { parseArgs } from 'node:util';
import * as z from 'zod';

export type ParsedOptions<Options> =
  | { readonly kind: 'options'; readonly options: Options }
  | { readonly kind: 'help' }
  | { readonly kind: 'misused'; readonly message: string; readonly json: boolean };

/** An option without a value; every other option has text. */
export const flag = z.boolean().default(false);

/** A whole number from 0 to `most`; `words` is the error for other text. */
export function numberOption(most: number, words: (given: string) => string) {
  const wrong = { error: ({ input }: { readonly input?: unknown }) => words(String(input)) };
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) <= most, wrong)
    .transform(Number);
}

export function portOption() {
  return numberOption(65_535, (given) => `--port ${given} is no port`);
}

export function choiceOption<const Name extends string>(option: string, names: readonly Name[]) {
  return z.enum(names, { error: ({ input }) => `--${option} is ${names.join(', ')}, not ${input}` });
}

/** `on` or `off` as true or false; the default is on. */
export function switchOption(option: string) {
  return z
    .enum(['on', 'off'], { error: ({ input }) => `--${option} is on or off, not ${input}` })
    .default('on')
    .transform((given) => given === 'on');
}

/** Null without the option; `needs`: what an empty value lacks. */
export function textOption(option: string, needs: string) {
  return z.string().min(1, `--${option} needs ${needs}`).nullable().default(null);
}

/**
 * `shape`: each option with its schema; `--help` is added. `finish` builds the options, or returns why they cannot be
 * combined.
 */
export function readArguments<Shape extends z.ZodRawShape, Options extends object>(
  args: readonly string[],
  shape: Shape,
  finish: (read: z.output<z.ZodObject<Shape>>) => Options | string,
): ParsedOptions<Options> {
  const misused = (message: string): ParsedOptions<Options> => ({
    kind: 'misused',
    message,
    json: args.includes('--json'),
  });
  const options = Object.entries(shape).map(
    ([name, reading]) => [name, { type: reading === flag ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values, tokens } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
      strict: true,
      tokens: true,
    });
    const names: readonly string[] = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    // It is ambiguous which of two values is meant.
    const twice = names.find((name, index) => name !== 'json' && names.indexOf(name) !== index);
    if (twice !== undefined) return misused(`--${twice} is given twice`);
    if (values.help === true) return { kind: 'help' };
    const read = z.object(shape).safeParse(values);
    if (!read.success) return misused(read.error.issues.map(({ message }) => message).join('\n'));
    const finished = finish(read.data);
    return typeof finished === 'string' ? misused(finished) : { kind: 'options', options: finished };
  } catch (error) {
    // parseArgs throws a TypeError for unknown options.
    if (error instanceof TypeError) return misused(error.message);
    throw error;
  }
}
