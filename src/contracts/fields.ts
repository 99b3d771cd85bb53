/** What a kind of run reads in an issue: the names that people write, how each value is read, and whether a launch can do without it. */

import type { Contract, ContractValue } from '../domain/launch/contract.ts';
import type { GateId } from '../domain/launch/verdict.ts';
import { secretNames } from '../domain/written-secrets.ts';
import { readCommandLine } from './command-line.ts';
import { readCount } from './quantity.ts';

/** A value in the form in which it is used, or what is wanted instead. */
export type Reading = { readonly value: string } | { readonly unclear: string };
export type Reader = (said: string) => Reading;

export type Field = {
  /** As the issue form has it. */
  readonly label: string;
  /** Other words for it, as people write them in issues of their own. */
  readonly also: readonly string[];
  /** Nothing is launched without it. */
  readonly needed: boolean;
  readonly read: Reader;
  /** What is no answer here may be a secret: it is not written down. */
  readonly hidesUnclear?: true;
  /** How long checkpoints stay: what is open there a person chooses, with words of its own. */
  readonly isRetention?: true;
  /** The gate that holds it against what is really there; left out where there is nothing to look at. */
  readonly checkedBy?: GateId;
};

type Extras = Omit<Field, 'label' | 'also' | 'needed' | 'read'>;

/** A field without which nothing is launched. */
export function required(label: string, also: readonly string[], read: Reader, extras: Extras = {}): Field {
  return { label, also, needed: true, read, ...extras };
}

/** A field that a contract may leave out. */
export function optional(label: string, also: readonly string[], read: Reader, extras: Extras = {}): Field {
  return { label, also, needed: false, read, ...extras };
}

/** What is wanted in place of a text that holds a secret; null if it holds none. It names where the secret is, never the secret. */
export function wantedForSecret(said: string): string | null {
  const names = secretNames(said);
  if (names === null) return null;
  const where = names.length === 0 ? 'that it holds' : `in ${names.join(', ')}`;
  return `a text without the secret ${where}; rotate that secret now, edit the issue, and delete the old revision from its edit history; a job gets secrets from passSecrets of its lane`;
}

/** In the order in which a person reads them. */
export type ContractFields<Name extends string = string> = Readonly<Record<Name, Field>>;
export type Values<Name extends string = string> = Readonly<Partial<Record<Name, ContractValue>>>;

/** As it stands there. */
export const asText: Reader = (said) => ({ value: said });

/** A whole number of something. */
export const asCount: Reader = (said) => fits(readCount(said), 'a whole number');

/** The same, with the words that people write around it: *every 500k steps*. */
export function countOf(before: readonly string[], unit: readonly string[]): Reader {
  return (said) => asCount(withoutUnit(withoutLead(said, before), unit));
}

/** Without one of these words before it. */
export function withoutLead(said: string, words: readonly string[]): string {
  const plain = said.trim();
  const lead = words.find((word) => plain.toLowerCase().startsWith(`${word} `));
  return lead === undefined ? plain : plain.slice(lead.length).trim();
}

/** Without one of these words behind a number; `m` is no million where minutes are asked for. */
export function withoutUnit(said: string, words: readonly string[]): string {
  const plain = said.trim();
  const unit = words.find((word) => plain.toLowerCase().endsWith(word));
  const rest = unit === undefined ? plain : plain.slice(0, -unit.length);
  return /[\d\sKMBGT⁰¹²³⁴-⁹]$/i.test(rest) ? rest.trim() : plain;
}

/** What no shell has to read. */
export const asCommand: Reader = (said) =>
  readCommandLine(said) === null
    ? { unclear: 'one program with its arguments, without a shell' }
    : { value: said };

/** The first group of the pattern. */
export function matching(pattern: RegExp, wanted: string): Reader {
  return (said) => fits(pattern.exec(said)?.[1] ?? null, wanted);
}

/** With the page of the commit around it, which is what GitHub copies. */
export const asCommit = matching(
  /^(?:https:\/\/github\.com\/[\w.-]{1,100}\/[\w.-]{1,100}\/commit\/)?([0-9a-f]{40})$/,
  'the 40 hex digits of one commit',
);

/** One person. */
export const asLogin = matching(/^@?([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))$/, 'one GitHub login');

/** The value as text, or what is wanted where there is none. */
export function fits(value: number | string | null, wanted: string): Reading {
  return value === null ? { unclear: wanted } : { value: String(value) };
}

/** Which of them a heading means; null where it is none. */
export function fieldNamed<Name extends string>(fields: ContractFields<Name>, heading: string): Name | null {
  return (
    namesOf(fields).find((name) =>
      [fields[name].label, ...fields[name].also].some((one) => isSameName(one, heading)),
    ) ?? null
  );
}

/** Whether two headings mean the same, however they are set. */
export function isSameName(one: string, other: string): boolean {
  return wordsOf(one) === wordsOf(other);
}

/** The names in their order. */
export function namesOf<Name extends string>(fields: ContractFields<Name>): readonly Name[] {
  return Object.keys(fields).filter((name): name is Name => Object.hasOwn(fields, name));
}

/** A value that can be used: given or inferred. */
export function valueIn<Name extends string>(
  contract: Contract | Values<Name>,
  name: NoInfer<Name>,
): string | null {
  const value = (contract as Contract)[name];
  return value === undefined || value.source === 'unclear' ? null : value.value;
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_`:()]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
