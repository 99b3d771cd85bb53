/** Redacts secrets before a text is stored or posted. */

import { HIDDEN, withoutMachineSecrets } from '../domain/written-secrets.ts';
import { createKept } from './kept.ts';
import { formsOf, placesOf, replaced, type SecretForms } from './secret-places.ts';

/** Removes all known secrets in any encoding, and everything that resembles a token. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => formsKept.get(secret, () => formsOf(secret)) ?? []);
  return withoutMachineSecrets(known.length === 0 ? text : replaced(text, placesOf(text, known), HIDDEN));
}

/** A process has few secrets and redacts many lines. */
const FORMS_KEPT_MAX = 256;
const formsKept = createKept<SecretForms | null>(FORMS_KEPT_MAX);
