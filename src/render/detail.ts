/** Reads the small facts of an event (what a gate found, what an answer says) for a sentence, escaped by the way it is shown. */

import { limits } from '../domain/limits.ts';
import { inlineCode, inlineText } from './escape.ts';
import { utc } from './words.ts';

export type Detail = { readonly [name: string]: string | number };

export type DetailReader = {
  /** Whether the fact is there and not empty. */
  readonly has: (name: string) => boolean;
  /** As inline code. */
  readonly code: (name: string) => string;
  /** As running text. */
  readonly text: (name: string) => string;
  /** A moment in RFC 3339 as people read it. */
  readonly time: (name: string) => string;
  /** As it stands, for comparisons only. */
  readonly raw: (name: string) => string;
};

/** A reader of these facts; one that is missing shows as *not recorded*. */
export function reading(detail: Detail): DetailReader {
  const raw = (name: string): string => String(detail[name] ?? '');
  const shown = (name: string, as: (text: string, max: number) => string): string =>
    detail[name] === undefined ? 'not recorded' : as(raw(name), limits.shownTextCharsMax);
  return {
    has: (name) => raw(name) !== '',
    code: (name) => shown(name, inlineCode),
    text: (name) => shown(name, inlineText),
    time: (name) => shown(name, (value, max) => inlineText(utc(value), max)),
    raw,
  };
}

/** The names `later1`, `later2` and so on, as far as they go. */
export function numbered(name: string, detail: Pick<DetailReader, 'has'>): readonly string[] {
  const names: string[] = [];
  while (names.length < limits.shownRowsMax && detail.has(`${name}${names.length + 1}`))
    names.push(`${name}${names.length + 1}`);
  return names;
}
