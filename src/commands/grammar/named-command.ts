/** Whether a text can name a command at all, told without parsing it. */

import type { CommandSpec } from '../spec.ts';

/** Where one of the commands is named first, by its whole name behind a slash and not behind a letter; or null. */
export function firstNamed(
  text: string,
  registry: readonly CommandSpec[],
): { readonly start: number; readonly word: string } | null {
  const names = new Set(registry.map(({ name }) => name));
  for (const { index, 1: name = '' } of text.matchAll(WORD))
    if (names.has(name)) return { start: index, word: `/${name}` };
  return null;
}

// Each sign is looked at once: a word begins at its slash, and the next one behind its end.
const WORD = /(?<![\p{L}\p{N}/.:<])\/([a-z][a-z-]*)(?![\p{L}\p{N}/])/gu;
