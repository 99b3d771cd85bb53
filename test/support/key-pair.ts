/** A signing key of chance, as a lab makes its own. */

import { randomBytes } from 'node:crypto';
import { parseSigningKey } from '../../src/host/keys.ts';

/** `seed` as the environment carries it (32 bytes, base64), `public` as the config lists it. */
export function createKeyPair(): { readonly seed: string; readonly public: string } {
  const seed = randomBytes(32).toString('base64');
  const key = parseSigningKey(seed);
  if (!key.ok) throw new Error(key.error);
  return { seed, public: key.value.public };
}
