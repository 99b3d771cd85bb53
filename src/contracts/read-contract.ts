/** Reads a contract in an issue: values given, values inferred and their source, and unclear parts. */

import type { RootContent, Table } from 'mdast';
import { isWithinBounds, parseMarkdown, plainLines, plainText } from '../commands/grammar/markdown.ts';
import type { Contract, ContractIssue, ContractValue } from '../domain/launch/contract.ts';
import { memoize } from '../domain/values.ts';
import {
  type ContractFields,
  describeSecretToRemove,
  type Field,
  fieldNames,
  isSameName,
  readValue,
  type Values,
} from './fields.ts';

export type LabelledText = { readonly name: string; readonly text: string };
type IsName = (label: string) => boolean;

const LABEL_CHARS_MAX = 60;

/** Null if the text cannot be parsed. Empty answers are left out. */
export function readLabelledTexts(markdown: string, isName: IsName): readonly LabelledText[] | null {
  if (!isWithinBounds(markdown)) return null;
  return splitSections(parseMarkdown(markdown).children)
    .flatMap(({ heading, content }) =>
      heading !== null && isName(heading)
        ? [{ name: heading, text: content.map(blockText).filter(Boolean).join('\n').trim() }]
        : readBlocks(content, isName),
    )
    .filter(({ text }) => !isEmptyAnswer(text));
}

type Section = { readonly heading: string | null; readonly content: readonly RootContent[] };

/** Content belongs to the heading above it, even if that names no field. */
function splitSections(nodes: readonly RootContent[]): readonly Section[] {
  const heads = [-1, ...nodes.flatMap((node, index) => (node.type === 'heading' ? [index] : []))];
  return heads.map((head, index) => {
    const heading = nodes[head];
    return {
      heading: heading === undefined ? null : plainText(heading),
      content: nodes.slice(head + 1, heads[index + 1]),
    };
  });
}

/** Code or a list below a name without an answer is the answer, unless it has names of its own. */
function readBlocks(nodes: readonly RootContent[], isName: IsName): readonly LabelledText[] {
  const found: LabelledText[] = [];
  for (const [index, node] of nodes.entries()) {
    const inside = readBlock(node, isName);
    const open = found.at(-1);
    const mayBeBelow = inside.length === 0 && (node.type === 'code' || node.type === 'list');
    if (mayBeBelow && open?.text === '' && nodes[index - 1]?.type === 'paragraph')
      found.splice(-1, 1, { ...open, text: blockText(node) });
    else found.push(...inside);
  }
  return found;
}

function readBlock(node: RootContent, isName: IsName): readonly LabelledText[] {
  switch (node.type) {
    case 'paragraph':
      return readLines(plainLines(node), isName);
    case 'list':
      return node.children.flatMap(({ children }) => readBlocks(children, isName));
    case 'table':
      return readTable(node, isName);
    default:
      return [];
  }
}

/** A line without a name continues the answer above it. */
function readLines(lines: readonly string[], isName: IsName): readonly LabelledText[] {
  const found: LabelledText[] = [];
  let isOpen = false;
  for (const line of lines) {
    const pair = readPair(line);
    if (pair !== null && isName(pair.name)) {
      found.push(pair);
      isOpen = true;
    } else if (/^[A-Z][^:]{0,60}:(?: |$)/.test(line)) {
      isOpen = false;
    } else if (isOpen) {
      const open = found.pop();
      if (open !== undefined) found.push({ ...open, text: `${open.text} ${line}`.trim() });
    }
  }
  return found;
}

/** `DRI: @ada`, `DRI = @ada`, `DRI - @ada`. */
function readPair(line: string): LabelledText | null {
  const between = /[:=]| [—–-] /.exec(line);
  if (between === null || between.index > LABEL_CHARS_MAX) return null;
  return { name: line.slice(0, between.index), text: line.slice(between.index + between[0].length).trim() };
}

/** Column heads if two of them are names, otherwise the first cell of each row. */
function readTable({ children: [head, ...rows] }: Table, isName: IsName): readonly LabelledText[] {
  if (head === undefined) return [];
  const heads = head.children.map((cell) => plainText(cell));
  if (heads.filter(isName).length > 1)
    return rows.flatMap(({ children }) =>
      heads.flatMap((name, index) => {
        const cell = children[index];
        return cell !== undefined && isName(name) ? [{ name, text: plainText(cell) }] : [];
      }),
    );
  return [head, ...rows].flatMap(({ children: [label, value] }) => {
    if (label === undefined || value === undefined) return [];
    const name = plainText(label);
    return isName(name) ? [{ name, text: plainText(value) }] : [];
  });
}

/** Code counts, because commands are written as code. */
function blockText(node: RootContent): string {
  return node.type === 'code' ? node.value : plainText(node);
}

/** Placeholders of GitHub's forms and of people. */
function isEmptyAnswer(text: string): boolean {
  return text === '' || /^(no response|n\/a|tbd|todo|\?+|-+|<.*>)$/i.test(text);
}

/** Infers a value and its source; null infers nothing. */
type Infer<Name extends string> = (name: Name, value: string | null, from: string) => void;

type ContractReading<Name extends string> = {
  readonly fields: ContractFields<Name>;
  readonly together?: readonly FieldGroup<Name>[];
  readonly commandReplacesIssue?: boolean;
};

/** An answer for several fields, and how to split it. */
export type FieldGroup<Name extends string> = {
  readonly names: readonly string[];
  readonly split: (said: string) => readonly (readonly [name: Name, said: string])[];
};

type InferValues<Name extends string> = (infer: Infer<Name>, given: (name: Name) => string | null) => void;

type Answers<Name extends string> = ReadonlyMap<Name, readonly string[]>;

/**
 * Reads a contract: the values by name; missing fields have none. Calls `inferences` once with the given values. Caches the parsed text,
 * because each reconcile reads it several times.
 */
export function contractReader<Name extends string>(
  reading: ContractReading<Name>,
): (issue: ContractIssue, inferences: InferValues<Name>) => Contract {
  const answers = memoize(
    (body: string) => findAnswers(body, reading.fields, reading.together ?? []),
    (body) => body,
  );
  return ({ body, requestedValues = [] }, inferences) => {
    const stands = answers(body);
    if (stands === null) return {};
    const values = collectValues(stands, requestedValues, reading);
    const given: Values<Name> = { ...values };
    inferences(
      (name, value, from) => {
        // rule HR-16
        if (values[name] === undefined && value !== null) values[name] = { value, source: 'inferred', from };
      },
      (name) => readValue(given, name),
    );
    return values as Contract;
  };
}

function collectValues<Name extends string>(
  answers: Answers<Name>,
  asked: NonNullable<ContractIssue['requestedValues']>,
  { fields, commandReplacesIssue = false }: ContractReading<Name>,
): Partial<Record<Name, ContractValue>> {
  const values: Partial<Record<Name, ContractValue>> = {};
  for (const name of fieldNames(fields)) {
    const said = new Set(asked.flatMap(({ path, after }) => (path === name ? [after] : [])));
    if (said.size === 0 || !commandReplacesIssue) for (const one of answers.get(name) ?? []) said.add(one);
    const secret = describeSecretToRemove([...said].join('\n'));
    // rule HR-06
    if (secret !== null) {
      values[name] = { value: '', source: 'unclear', from: secret };
      continue;
    }
    const [first, ...others] = [...said].map((one) => ({ one, read: fields[name].read(one) }));
    if (first === undefined) continue;
    const isOne = others.every(({ read }) => isSameValue(read, first.read));
    const read = isOne ? first.read : { unclear: 'one answer; there are two' };
    values[name] =
      'value' in read
        ? { value: read.value, source: 'given', from: '' }
        : { value: textForUnclear(fields[name], first.one), source: 'unclear', from: read.unclear };
  }
  return values;
}

/** Different words for the same value are the same answer. */
function isSameValue(one: object, other: object): boolean {
  return 'value' in one && 'value' in other && one.value === other.value;
}

/** A pasted secret is not recorded. */
function textForUnclear({ hidesUnclear }: Field, said: string): string {
  return hidesUnclear === true ? '' : said.slice(0, 500);
}

/** The answers for each field; different answers are all kept. Null if the text cannot be parsed. */
function findAnswers<Name extends string>(
  markdown: string,
  fields: ContractFields<Name>,
  groups: readonly FieldGroup<Name>[],
): Answers<Name> | null {
  const findGroup = (label: string): FieldGroup<Name> | undefined =>
    groups.find(({ names }) => names.some((name) => isSameName(name, label)));
  const said = readLabelledTexts(
    markdown,
    (label) => findField(fields, label) !== null || findGroup(label) !== undefined,
  );
  if (said === null) return null;
  const found = new Map<Name, string[]>();
  for (const { name: label, text } of said) {
    const name = findField(fields, label);
    const answers = name === null ? (findGroup(label)?.split(text) ?? []) : [[name, text] as const];
    for (const [one, answer] of answers) {
      const before = found.get(one) ?? [];
      if (!before.includes(answer)) found.set(one, [...before, answer]);
    }
  }
  return found;
}

/** The field that a heading names; null if it names none. */
function findField<Name extends string>(fields: ContractFields<Name>, heading: string): Name | null {
  return (
    fieldNames(fields).find((name) =>
      [fields[name].label, ...fields[name].synonyms].some((one) => isSameName(one, heading)),
    ) ?? null
  );
}
