/**
 * The facts of an answer, an incident or a verdict. A vocabulary defines the facts of each code and gives writers and renderers their
 * types. Records store facts flat, as named texts and integers.
 */

import { limits } from './limits.ts';

/** `?`: optional. `list`: texts recorded as `name1`, `name2` and so on. An array: one of these words. */
export type Field = 'text' | 'text?' | 'integer' | 'integer?' | 'list' | readonly string[];
export type Fields = { readonly [name: string]: Field };
export type Vocabulary = { readonly [code: string]: Fields };

/** Recorded facts, of any version. */
export type Detail = { readonly [name: string]: string | number };

type Value<F extends Field> = F extends 'list'
  ? readonly string[]
  : F extends readonly (infer Word)[]
    ? Word
    : F extends 'integer' | 'integer?'
      ? number
      : string;
type Missing<F extends Fields> = { [Name in keyof F]: F[Name] extends `${string}?` ? Name : never }[keyof F];

export type Facts<F extends Fields> = {
  readonly [Name in Exclude<keyof F, Missing<F>>]: Value<F[Name]>;
} & { readonly [Name in Missing<F>]?: Value<F[Name]> | undefined };

export type CodeOf<V extends Vocabulary> = keyof V & string;

export type Payload<V extends Vocabulary, Code extends CodeOf<V> = CodeOf<V>> = {
  readonly [C in Code]: { readonly code: C; readonly detail: Facts<V[C]> };
}[Code];

/** The facts parameter after a code; optional if no fact is required. */
export type FactsArgument<F extends Fields> =
  Record<never, never> extends Facts<F> ? [facts?: Facts<F>] : [facts: Facts<F>];

/** Converts facts to their recorded form. */
export function recordedFacts(facts: object): Detail {
  const detail: Record<string, string | number> = {};
  const values = facts as Readonly<Record<string, string | number | readonly string[] | undefined>>;
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'object') for (const [at, one] of value.entries()) detail[`${name}${at + 1}`] = one;
    else if (value !== undefined) detail[name] = value;
  return detail;
}

/** Null if the recorded facts do not match the fields, for example from another version. */
export function readFacts<const F extends Fields>(fields: F, detail: Detail): Facts<F> | null {
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = detail[name];
    if (field === 'list') {
      const found: string[] = [];
      for (let one = detail[`${name}1`]; one !== undefined && found.length < limits.shownRowsMax; ) {
        found.push(String(one));
        one = detail[`${name}${found.length + 1}`];
      }
      read[name] = found;
      continue;
    }
    const isRight =
      typeof field !== 'string'
        ? field.includes(String(value))
        : value === undefined
          ? field.endsWith('?')
          : (typeof value === 'string') === field.startsWith('text');
    if (!isRight) return null;
    read[name] = value;
  }
  // Each value was checked above.
  return read as Facts<F>;
}

/** Null if this version does not know the code or its facts. */
export function readPayload<const V extends Vocabulary>(
  vocabulary: V,
  { code, detail }: { readonly code: string; readonly detail: Detail },
): Payload<V> | null {
  const fields = Object.hasOwn(vocabulary, code) ? vocabulary[code] : undefined;
  const facts = fields === undefined ? null : readFacts(fields, detail);
  // The code and its facts were checked above.
  return facts === null ? null : ({ code, detail: facts } as unknown as Payload<V>);
}
