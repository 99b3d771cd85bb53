/** Cuts a PR body into the parts that a ferry must have, by its top-level headings. */

import type { Root, RootContent } from 'mdast';
import { plainText } from '../../../commands/grammar/plain-text.ts';

/** The headings of real ferries and the checklist that policy DF-19 asks for. */
export const PART_HEADINGS = {
  lastFerry: 'Last ferry references',
  objective: 'Objective for this interval',
  interval: 'Interval boundary',
  delta: 'Config delta and rationale',
  risk: 'Risk level',
  checklist: 'Launch checklist',
} as const;
export type PartName = keyof typeof PART_HEADINGS;

/** People shorten the headings; these beginnings are enough. */
const BEGINNINGS: Readonly<Record<PartName, readonly string[]>> = {
  lastFerry: ['last ferry'],
  objective: ['objective'],
  interval: ['interval'],
  delta: ['config delta', 'delta'],
  risk: ['risk'],
  checklist: ['launch checklist', 'checklist'],
};

export type Section = {
  readonly part: PartName;
  /** 1-based line of the heading. */
  readonly line: number;
  readonly content: readonly RootContent[];
};

/** The sections in the order of the body. A deeper heading inside a section belongs to it. */
export function sectionsOf(root: Root): readonly Section[] {
  const sections: { part: PartName; line: number; content: RootContent[] }[] = [];
  let open: { part: PartName | null; depth: number } = { part: null, depth: 0 };
  for (const node of root.children) {
    if (node.type === 'heading') {
      const part = partOf(plainText(node));
      if (part !== null || open.part === null || node.depth <= open.depth) {
        open = { part, depth: node.depth };
        if (part !== null) sections.push({ part, line: node.position?.start.line ?? 1, content: [] });
        continue;
      }
    }
    if (open.part !== null) sections.at(-1)?.content.push(node);
  }
  return sections;
}

function partOf(heading: string): PartName | null {
  const text = heading
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .trim();
  for (const [part, beginnings] of Object.entries(BEGINNINGS))
    if (isPart(part) && beginnings.some((start) => text === start || text.startsWith(`${start} `)))
      return part;
  return null;
}

function isPart(name: string): name is PartName {
  return name in PART_HEADINGS;
}
