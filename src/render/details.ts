/** The facts of a gate or an incident as Markdown: one formatter per name of a fact, so that outside text is escaped once. */

import type { Facts, Fields } from '../domain/payload.ts';
import { code, text, utc } from './words.ts';

type Format = (value: string) => string;

const moment: Format = (value) => text(/^\d{4}-\d\d-\d\dT/.test(value) ? utc(value) : value);
const asIs: Format = (value) => value;

function named(format: Format, names: string): Readonly<Record<string, Format>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, format]));
}

/** A fact that is not listed is a name of something and is shown as code. The sentence itself formats what is kept as it is. */
const FORMATS: Readonly<Record<string, Format>> = {
  ...named(moment, 'at baseAt changedAt toldAt since until'),
  ...named(asIs, 'asked date diff digest lane reason scope url'),
  ...named(text, 'beyond bound by cost credit dollars flops from inferred login looks measured message'),
  ...named(text, 'missing most needed parameters part percent price region risk says secrets seen side'),
  ...named(text, 'small spent target there tolerance total unclear who why workflows'),
};

/** Texts and lists of them as Markdown; numbers, words of a closed list and empty texts stay as they are. */
export function shown<F extends Fields>(fields: F, facts: Facts<F>): Facts<F> {
  const entries = Object.entries(facts).map(([name, value]) => {
    const format = FORMATS[name] ?? code;
    if (Array.isArray(value)) return [name, value.map(format)];
    const isText = fields[name] === 'text' || fields[name] === 'text?';
    return [name, isText && value ? format(String(value)) : value];
  });
  // Each value keeps its type: only texts change.
  return Object.fromEntries(entries) as Facts<F>;
}
