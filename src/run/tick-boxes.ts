/** Ticks the outcome boxes of a PR body, line by line, and leaves every other byte as the person wrote it. */

import type { BodyFacts } from '../domain/facts.ts';

/** The body with the wanted outcomes ticked, or null where nothing is to change. A tick is never taken away. */
export function tickedBody(
  body: string,
  boxes: BodyFacts['boxes'],
  wanted: Readonly<Record<string, boolean>>,
): string | null {
  const lines = body.split('\n');
  const open = boxes.filter((box) => !box.checked && wanted[box.text] === true);
  for (const box of open) {
    const line = lines[box.line - 1];
    if (line !== undefined) lines[box.line - 1] = line.replace(/\[ \]/, '[x]');
  }
  const next = lines.join('\n');
  return next === body ? null : next;
}
