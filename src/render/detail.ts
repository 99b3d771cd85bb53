/** Reads the small facts of an event (what a gate found, what an answer says) for a sentence, escaped by the way it is shown. */

import { limits } from '../domain/limits.ts';
import { inlineCode, inlineText } from './escape.ts';

export type Detail = { readonly [name: string]: string | number };

export type DetailReader = {
  /** Whether the fact is there and not empty. */
  readonly has: (name: string) => boolean;
  /** As inline code. */
  readonly code: (name: string) => string;
  /** As running text. */
  readonly text: (name: string) => string;
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
    raw,
  };
}
