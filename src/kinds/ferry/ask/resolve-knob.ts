/** Which knob a person means: its path as the delta prints it, with or without quotes in it, the end of that path, or its name alone. */

import type { Knob } from '../../../delta/read-knobs.ts';
import { nearest } from '../../../settings/nearness.ts';

/** `suggest` is a spelling that would be found, or null where none is near. `paths` are spelled as `/propose` takes them. */
export type KnobResolution =
  | { readonly kind: 'found'; readonly knob: Knob }
  | { readonly kind: 'unknown'; readonly suggest: string | null }
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] };

/** The knob of a name. The longer spelling wins over the shorter; what fits two knobs alike is never guessed. */
export function resolveKnob(name: string, knobs: readonly Knob[]): KnobResolution {
  const asked = spelledPath(name);
  const fits: readonly ((knob: Knob) => boolean)[] = [
    (knob) => spelledPath(knob.path) === asked,
    (knob) => knob.knob === asked,
    (knob) => spelledPath(knob.path).endsWith(`.${asked}`),
  ];
  for (const fit of fits) {
    const found = knobs.filter(fit);
    const [knob] = found;
    if (found.length > 1) return { kind: 'ambiguous', paths: found.map(({ path }) => spelledPath(path)) };
    if (knob !== undefined) return { kind: 'found', knob };
  }
  return { kind: 'unknown', suggest: suggestion(asked, knobs) };
}

/**
 * A path without the quotes around the keys of dicts, which people leave out; a key that a command line takes only in
 * quotes (with a blank or an equals sign in it) keeps them.
 */
export function spelledPath(path: string): string {
  return path.replace(/\[(["'])([^"'\]\s=\u2018-\u201f\u00ab\u00bb]*)\1\]/gu, '[$2]');
}

function suggestion(asked: string, knobs: readonly Knob[]): string | null {
  const names = knobs.map((knob) => knob.knob);
  return (
    nearest(asked, [...new Set(names)]) ??
    nearest(asked, [...new Set(knobs.map((knob) => spelledPath(knob.path)))])
  );
}
