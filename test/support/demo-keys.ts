/**
 * Three key pairs from public seeds, only for tests and the example config: their signatures prove nothing.
 */

import { parseSigningKey } from '../../src/host/keys.ts';

type DemoKey = { readonly seed: string; readonly public: string };

/** `seed` is a private key as in the environment (32 bytes, base64), `public` the half in the config. */
export const DEMO_KEYS: { readonly control: DemoKey; readonly runner: DemoKey; readonly watch: DemoKey } = {
  control: demoKey(1),
  runner: demoKey(2),
  watch: demoKey(3),
};

function demoKey(fill: number): DemoKey {
  const seed = Buffer.alloc(32, fill).toString('base64');
  const key = parseSigningKey(seed);
  if (!key.ok) throw new Error(key.error);
  return { seed, public: key.value.public };
}
