/** Finds what an issue says under each name of the contract: headings as an issue form makes them, list items, and rows of a table. */

import type { RootContent } from 'mdast';
import { isWithinBounds } from '../commands/grammar/bounds.ts';
import { parseMarkdown } from '../commands/grammar/parse-markdown.ts';
import { plainText } from '../commands/grammar/plain-text.ts';
import { type ContractFields, fieldNamed } from './fields.ts';

/** What stands under each name, as it is read; a name that is there twice with two answers has both. Null: the text is not parsed. */
export function readFields<Name extends string>(
  markdown: string,
  fields: ContractFields<Name>,
): ReadonlyMap<Name, readonly string[]> | null {
  if (!isWithinBounds(markdown)) return null;
  const found = new Map<Name, string[]>();
  const note = (name: Name, text: string): void => {
    const said = text.trim();
    const before = found.get(name) ?? [];
    if (!isEmpty(said) && !before.includes(said)) found.set(name, [...before, said]);
  };
  for (const { heading, content } of sectionsOf(parseMarkdown(markdown).root.children)) {
    const name = heading === null ? null : fieldNamed(fields, heading);
    if (name !== null) note(name, content.map(textOf).filter(Boolean).join('\n'));
    else
      for (const [label, value] of content.flatMap(pairsIn)) {
        const field = fieldNamed(fields, label);
        if (field !== null) note(field, value);
      }
  }
  return found;
}

type Section = { readonly heading: string | null; readonly content: readonly RootContent[] };

/** What stands between two headings belongs to the first one, also where that is no name of the contract. */
function sectionsOf(nodes: readonly RootContent[]): readonly Section[] {
  const heads = [-1, ...nodes.flatMap((node, index) => (node.type === 'heading' ? [index] : []))];
  return heads.map((head, index) => {
    const heading = nodes[head];
    return {
      heading: heading === undefined ? null : plainText(heading),
      content: nodes.slice(head + 1, heads[index + 1]),
    };
  });
}

/** What GitHub's forms leave where nobody wrote anything, and what people do. */
function isEmpty(text: string): boolean {
  return text === '' || /^(no response|n\/a|tbd|todo|\?+|-+|<.*>)$/i.test(text);
}

/** Code counts here: a command stands in it. */
function textOf(node: RootContent): string {
  return node.type === 'code' ? node.value : plainText(node);
}

/** `- DRI: @ada` and `| DRI | @ada |`. */
function pairsIn(node: RootContent): readonly (readonly [label: string, value: string])[] {
  if (node.type === 'list')
    return node.children.flatMap((item) => {
      const [first] = item.children;
      const [, label, value] =
        /^([^:]{1,60}):\s*(.*)$/s.exec(first === undefined ? '' : plainText(first)) ?? [];
      return label === undefined || value === undefined ? [] : [[label, value] as const];
    });
  if (node.type === 'table')
    return node.children.flatMap(({ children: [label, value] }) =>
      label === undefined || value === undefined ? [] : [[plainText(label), plainText(value)] as const],
    );
  return [];
}
