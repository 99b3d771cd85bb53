/** Reads a contract in an issue: what is given, what a kind infers from the rest and from what, and what is unclear. */

import type { RootContent } from 'mdast';
import { isWithinBounds } from '../commands/grammar/bounds.ts';
import { parseMarkdown } from '../commands/grammar/parse-markdown.ts';
import { plainText } from '../commands/grammar/plain-text.ts';
import type { Contract, ContractIssue, ContractValue } from '../domain/launch/contract.ts';
import { type ContractFields, fieldNamed, namesOf, type Values, valueIn } from './fields.ts';

/** Takes up what has no value yet, and says what from; null says nothing. */
export type Infer<Name extends string> = (name: Name, value: string | null, from: string) => void;

/** The values by their names; a name that has none is missing. `inferences` is asked once, with what is given; `askedAlone`: what the command says stands in the issue's place. */
export function readContract<Name extends string>(
  { body, asked = [] }: ContractIssue,
  fields: ContractFields<Name>,
  inferences: (infer: Infer<Name>, given: (name: Name) => string | null) => void,
  askedAlone = false,
): Contract {
  const stands = readFields(body, fields);
  if (stands === null) return {};
  const values: Partial<Record<Name, ContractValue>> = {};
  for (const name of namesOf(fields)) {
    const said = new Set(asked.flatMap(({ path, after }) => (path === name ? [after] : [])));
    if (said.size === 0 || !askedAlone) for (const one of stands.get(name) ?? []) said.add(one);
    const [first, ...others] = [...said].map((one) => ({ one, read: fields[name].read(one) }));
    if (first === undefined) continue;
    const isOne = others.every(({ read }) => isSameReading(read, first.read));
    const read = isOne ? first.read : { unclear: 'one answer; there are two' };
    values[name] =
      'value' in read
        ? { value: read.value, source: 'given', from: '' }
        : { value: first.one.slice(0, 500), source: 'unclear', from: read.unclear };
  }
  const given: Values<Name> = { ...values };
  inferences(
    (name, value, from) => {
      if (values[name] === undefined && value !== null) values[name] = { value, source: 'inferred', from };
    },
    (name) => valueIn(given, name),
  );
  return values as Contract;
}

/** The same value in other words is the same answer. */
function isSameReading(one: object, other: object): boolean {
  return 'value' in one && 'value' in other && one.value === other.value;
}

/** What stands under each name, as it is read; a name that is there twice with two answers has both. Null: the text is not parsed. */
function readFields<Name extends string>(
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
