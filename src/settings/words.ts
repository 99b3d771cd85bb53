/** Schemas for small config values. */

import ignore from 'ignore';
import { z } from 'zod';

/** A name of something external, such as a branch or a metric: one line of text. */
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'one line of text');

/** A non-negative decimal as text, because events hold no floats (docs/logbook.md). */
export const amount = z
  .string('a decimal number in quotes, such as "2.5"')
  .max(20)
  .regex(/^\d+(\.\d+)?$/, 'a decimal number in quotes that is not negative, such as "2.5"');

/** A relative path in git's normal form, so that no file has two spellings. */
export const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^/\\\p{Cc}][^\\\p{Cc}]*$/u, 'a path inside the repository, without a leading slash')
  .refine(
    (text) => !text.split('/').some((part) => part === '..' || part === '.' || part === ''),
    'a path inside the repository, without .., . or an empty part',
  );

/** git-check-ref-format(1), for a name without `refs/heads/`. */
function isBranch(name: string): boolean {
  const isClean = !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/u.test(name);
  return (
    isClean &&
    !name.startsWith('refs/') &&
    name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
  );
}

/** A branch, without `refs/heads/`. */
export const branch = name.refine(isBranch, 'the name of a branch that git takes');

/** A name that the config defines. */
export const word = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes');

export const variable = z.string().regex(/^[A-Z][A-Z0-9_]{0,60}$/, 'upper-case letters, digits and underscores');

/** An exact argument array; no shell reads it. */
export const argumentArray = z
  .array(z.string().min(1).max(500))
  .min(1)
  .max(50)
  .refine(([program = '']) => !/\s/.test(program), {
    error: 'the first entry is the name of a program: write each word as an entry, such as [python3, train.py]',
  });

/** An optional setting. `usual`: its default. `about`: its description. */
export function setting<S extends z.ZodType>(
  schema: S,
  usual: NoInfer<z.core.util.NoUndefined<z.output<S>>>,
  about: string,
) {
  return schema.default(usual).describe(about);
}

/** An optional setting that defaults to null. */
export function orNull<S extends z.ZodType>(schema: S, about: string) {
  return schema.nullable().default(null).describe(about);
}

/** Whether a path from the repository's root, or a folder above it, matches. */
export function createPathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matcher = ignore({ ignorecase: false }).add(patterns.join('\n'));
  return (path) => matcher.ignores(path);
}

export const fixerSettings = orNull(
  z.strictObject({
    command: argumentArray.describe(
      'Exact argument array, started in the files of the default branch; the failure comes as JSON on its standard input.',
    ),
    timeoutMs: setting(z.int().min(1_000).max(1_800_000), 600_000, 'After so long it is stopped.'),
  }),
  'A program of the lab that writes a patch for a small error in `fixScope` that ferrybot cannot fix itself: once per run, in a job without secrets. Its patch is launched only after an approval. null: none. Needs the workflow `workflows.fix`.',
);
