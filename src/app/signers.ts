/** Turns private keys from the environment into signers. */

import type { PublicKey, Role } from '../domain/logbook/parts.ts';
import { type Instant, toRfc3339 } from '../domain/values.ts';
import type { SigningKey } from '../host/keys.ts';
import type { Signers } from '../logbook/append.ts';

export type SigningKeys = { readonly [R in Role]?: SigningKey };

/** Environment variable of each role's private key (docs/adopt.md). */
export const KEY_VARIABLES = {
  control: 'FERRYBOT_CONTROL_KEY',
  runner: 'FERRYBOT_RUNNER_KEY',
  watch: 'FERRYBOT_WATCH_KEY',
} as const satisfies { readonly [R in Role]: string };

/** Signers for the keys that are valid now. Throws for a key that the config does not list. */
export function createSigners(keys: SigningKeys, listed: readonly PublicKey[], at: Instant): Signers {
  const now = toRfc3339(at);
  const signers: { -readonly [R in Role]?: NonNullable<Signers[R]> } = {};
  for (const role of ['control', 'runner', 'watch'] as const) {
    const key = keys[role];
    if (key === undefined) continue;
    const entry = listed.find(
      (one) => one.role === role && one.public === key.public && one.from <= now && now < one.until,
    );
    if (entry === undefined) {
      throw new Error(
        `${KEY_VARIABLES[role]} fits no ${role} key of the config that is in force: list its public half ${key.public} under keys`,
      );
    }
    signers[role] = { keyId: entry.id, role, sign: key.sign };
  }
  return signers;
}

export const CONTROL_ENVIRONMENT = 'ferrybot-control';
export const LAUNCH_ENVIRONMENT = 'ferrybot-launch';
export const WATCH_ENVIRONMENT = 'ferrybot-watch';
export const CARE_ENVIRONMENT = 'ferrybot-care';

/** Environments of the jobs that use each role's key. */
export const KEY_ENVIRONMENTS: Readonly<Record<Role, readonly string[]>> = {
  control: [CONTROL_ENVIRONMENT],
  runner: [LAUNCH_ENVIRONMENT, CARE_ENVIRONMENT],
  watch: [WATCH_ENVIRONMENT],
};
