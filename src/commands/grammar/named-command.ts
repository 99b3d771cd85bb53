/** Detects command names without parsing. */

import type { CommandSpec } from '../spec.ts';

/** The first command name after a slash, found without parsing; null if there is none. */
export function firstNamed(
  text: string,
  registry: readonly CommandSpec[],
): { readonly start: number; readonly word: string } | null {
  const names = new Set(registry.map(({ name }) => name));
  for (const { index, 1: name = '' } of text.matchAll(WORD))
    if (names.has(name)) return { start: index, word: `/${name}` };
  return null;
}

// Linear: matches start at a slash and do not overlap.
const WORD = /(?<![\p{L}\p{N}/.:<])\/([a-z][a-z-]*)(?![\p{L}\p{N}/])/gu;
