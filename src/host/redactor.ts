/** Takes secrets out of a text before it is stored or posted: every known value, however it was written down, and what looks like a token. */

import { formsOf, placesOf, replaced, type SecretForms } from './secret-places.ts';
import { withoutNamed, withoutShapes } from './token-shapes.ts';

const REPLACEMENT = '***';

/** The text without the given secrets and without what looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => formsOnce(secret) ?? []);
  return withoutNamed(
    withoutTokens(known.length === 0 ? text : replaced(text, placesOf(text, known), REPLACEMENT)),
    REPLACEMENT,
  );
}

/** The text without what has the shape of a token: for what people write, where `pad_token=7` is a setting. */
export function withoutTokens(text: string): string {
  return withoutShapes(text, REPLACEMENT);
}

/** A process has a handful of secrets and redacts line after line with them. */
const FORMS_KEPT_MAX = 256;
const formsKept = new Map<string, SecretForms | null>();

function formsOnce(secret: string): SecretForms | null {
  const kept = formsKept.get(secret);
  if (kept !== undefined) return kept;
  if (formsKept.size >= FORMS_KEPT_MAX) formsKept.clear();
  const made = formsOf(secret);
  formsKept.set(secret, made);
  return made;
}
