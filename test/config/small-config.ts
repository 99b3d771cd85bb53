/** The small config of the tests with one change, and positions in it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SMALL = readFileSync(join(import.meta.dirname, 'small.yml'), 'utf8');

/** The small config with one unique part replaced. */
export function replaceInConfig(from: string, to: string, text: string = SMALL): string {
  if (text.split(from).length !== 2) throw new Error(`${from} does not stand there once`);
  return text.replace(from, () => to);
}

/** The small config with more lines in its lane. */
export function addToLane(lines: string): string {
  return replaceInConfig('    finalStep: 100\n', `    finalStep: 100\n${lines.replace(/^/gm, '    ')}\n`);
}

/** The small config with a second lane, which equals the first except for these changes. */
export function addSecondLane(...changes: readonly (readonly [from: string, to: string])[]): string {
  const daily = SMALL.slice(SMALL.indexOf('  daily:\n'));
  const second = changes.reduce((text, [from, to]) => replaceInConfig(from, to, text), daily);
  return `${SMALL.trimEnd()}\n${second.replace('daily:', 'weekly:')}`;
}

/** Line and column, 1-based, of a part of a text. */
export function positionOf(text: string, part: string): { readonly line: number; readonly column: number } {
  const at = text.indexOf(part);
  if (at < 0) throw new Error(`${part} does not stand there`);
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
