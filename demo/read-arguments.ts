/** Options of the playground's programs, read strictly: what is unknown, given twice, or no value of its kind is told. */

import { parseArgs } from 'node:util';
import * as z from 'zod';

export type ParsedOptions<Options> =
  | { readonly kind: 'options'; readonly options: Options }
  | { readonly kind: 'help' }
  | { readonly kind: 'misused'; readonly message: string; readonly json: boolean };

/** An option without a value; every other one has text. */
export const flag = z.boolean().default(false);

/** A whole number from 0 to `most`; `words` say what another text is not. */
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

/** `on` or `off` as true or false; on without it. */
export function switchOption(option: string) {
  return z
    .enum(['on', 'off'], { error: ({ input }) => `--${option} is on or off, not ${input}` })
    .default('on')
    .transform((given) => given === 'on');
}

/** Null without it; `needs`: what it needs where it is empty. */
export function textOption(option: string, needs: string) {
  return z.string().min(1, `--${option} needs ${needs}`).nullable().default(null);
}

/** `shape`: each option with its reading, `--help` comes by itself. `finish` makes the options of them, or says what does not go together. */
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
    // Nobody can say which of two values was meant.
    const twice = names.find((name, index) => name !== 'json' && names.indexOf(name) !== index);
    if (twice !== undefined) return misused(`--${twice} is given twice`);
    if (values.help === true) return { kind: 'help' };
    const read = z.object(shape).safeParse(values);
    if (!read.success) return misused(read.error.issues.map(({ message }) => message).join('\n'));
    const finished = finish(read.data);
    return typeof finished === 'string' ? misused(finished) : { kind: 'options', options: finished };
  } catch (error) {
    // parseArgs says what it does not know by throwing a TypeError.
    if (error instanceof TypeError) return misused(error.message);
    throw error;
  }
}
