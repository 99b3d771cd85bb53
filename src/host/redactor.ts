/** Redacts secrets before a text is stored or posted. */

import { HIDDEN, withoutMachineSecrets } from '../domain/written-secrets.ts';
import { formsOf, placesOf, replaced, type SecretForms } from './secret-places.ts';

/** Removes all known secrets in any encoding, and everything that resembles a token. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => formsOnce(secret) ?? []);
  return withoutMachineSecrets(known.length === 0 ? text : replaced(text, placesOf(text, known), HIDDEN));
}

/** A process has few secrets and redacts many lines. */
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
