/** A random signing key, like a lab's own. */

import { randomBytes } from 'node:crypto';
import { parseSigningKey } from '../../src/host/keys.ts';

/** `seed` as in the environment (32 bytes, base64), `public` as in the config. */
export function createKeyPair(): { readonly seed: string; readonly public: string } {
  const seed = randomBytes(32).toString('base64');
  const key = parseSigningKey(seed);
  if (!key.ok) throw new Error(key.error);
  return { seed, public: key.value.public };
}
