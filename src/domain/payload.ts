/**
 * The small facts of an answer, an incident or a verdict. A vocabulary says for each code which facts it carries: who
 * records one and who has a sentence for it take their types from there. A record keeps them flat, as texts and integers by
 * name; what it keeps is read back whole, or not at all.
 */

import { limits } from './limits.ts';

/** With a `?`: may be missing. `list`: texts, recorded as `name1`, `name2` and so on. An array: one of these words. */
export type Field = 'text' | 'text?' | 'integer' | 'integer?' | 'list' | readonly string[];
export type Fields = { readonly [name: string]: Field };
export type Vocabulary = { readonly [code: string]: Fields };

/** Facts as they are recorded, of whatever version. */
export type Detail = { readonly [name: string]: string | number };

type Value<F extends Field> = F extends 'list'
  ? readonly string[]
  : F extends readonly (infer Word)[]
    ? Word
    : F extends 'integer' | 'integer?'
      ? number
      : string;
type Missing<F extends Fields> = { [Name in keyof F]: F[Name] extends `${string}?` ? Name : never }[keyof F];

/** The facts that these fields describe. */
export type Facts<F extends Fields> = {
  readonly [Name in Exclude<keyof F, Missing<F>>]: Value<F[Name]>;
} & { readonly [Name in Missing<F>]?: Value<F[Name]> | undefined };

/** The codes of a vocabulary. */
export type CodeOf<V extends Vocabulary> = keyof V & string;

/** One code with its facts. */
export type Payload<V extends Vocabulary, Code extends CodeOf<V> = CodeOf<V>> = {
  readonly [C in Code]: { readonly code: C; readonly detail: Facts<V[C]> };
}[Code];

/** What comes behind a code: its facts, which may be left out where there are none. */
export type FactsArgument<F extends Fields> =
  Record<never, never> extends Facts<F> ? [facts?: Facts<F>] : [facts: Facts<F>];

/** Facts as they are recorded. */
export function recordedFacts(facts: object): Detail {
  return Object.fromEntries(
    Object.entries(
      facts as Readonly<Record<string, string | number | readonly string[] | undefined>>,
    ).flatMap(([name, value]): readonly (readonly [string, string | number])[] => {
      if (value === undefined) return [];
      return typeof value === 'object' ? value.map((one, at) => [`${name}${at + 1}`, one]) : [[name, value]];
    }),
  );
}

/** The facts of a record; null where they are not as these fields say, as in what another version wrote. */
export function readFacts<const F extends Fields>(fields: F, detail: Detail): Facts<F> | null {
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = field === 'list' ? listIn(detail, name) : detail[name];
    if (!isOf(field, value)) return null;
    read[name] = value;
  }
  // Each fact was held against its field just above.
  return read as Facts<F>;
}

/** A recorded code with its facts; null where this version knows no such code, or not with these facts. */
export function readPayload<const V extends Vocabulary>(
  vocabulary: V,
  { code, detail }: { readonly code: string; readonly detail: Detail },
): Payload<V> | null {
  const fields = Object.hasOwn(vocabulary, code) ? vocabulary[code] : undefined;
  const facts = fields === undefined ? null : readFacts(fields, detail);
  // The code is one of the vocabulary, and these are its facts.
  return facts === null ? null : ({ code, detail: facts } as unknown as Payload<V>);
}

function isOf(field: Field, value: unknown): boolean {
  switch (field) {
    case 'list':
      return true;
    case 'text':
      return typeof value === 'string';
    case 'integer':
      return typeof value === 'number';
    case 'text?':
      return value === undefined || typeof value === 'string';
    case 'integer?':
      return value === undefined || typeof value === 'number';
    default:
      return field.some((word) => word === value);
  }
}

function listIn(detail: Detail, name: string): readonly string[] {
  const found: string[] = [];
  for (let value = detail[`${name}1`]; value !== undefined && found.length < limits.shownRowsMax; ) {
    found.push(String(value));
    value = detail[`${name}${found.length + 1}`];
  }
  return found;
}
