/** The signing keys of a virtual lab's processes: each has the keys in its environment. */

import type { Lab } from '../../src/app/lab.ts';
import { parseSigningKey } from '../../src/host/keys.ts';
import { DEMO_KEYS } from './demo-keys.ts';

/** The keys of the App's server. */
export function readServerKeys(): Lab['signingKeys'] {
  return { control: createSigningKey(DEMO_KEYS.control.seed) };
}

/** The keys in a job's environment. */
export function readKeys(env: Readonly<Record<string, string>>): Lab['signingKeys'] {
  const names = {
    control: 'FERRYBOT_CONTROL_KEY',
    runner: 'FERRYBOT_RUNNER_KEY',
    watch: 'FERRYBOT_WATCH_KEY',
  } as const;
  const keys: { -readonly [Role in keyof Lab['signingKeys']]: Lab['signingKeys'][Role] } = {};
  for (const role of ['control', 'runner', 'watch'] as const) {
    const seed = env[names[role]];
    if (seed !== undefined && seed !== '') keys[role] = createSigningKey(seed);
  }
  return keys;
}

/** A lab has three keys, and hundreds of jobs. */
const known = new Map<string, NonNullable<Lab['signingKeys']['control']>>();

function createSigningKey(seed: string): NonNullable<Lab['signingKeys']['control']> {
  const before = known.get(seed);
  if (before !== undefined) return before;
  const key = parseSigningKey(seed);
  if (!key.ok) throw new Error(key.error);
  known.set(seed, key.value);
  return key.value;
}
