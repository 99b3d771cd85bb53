/**
 * The initial GitHub of a lab on virtual time: its repository, people, secrets and environments, and the
 * installed App.
 */

import { generateKeyPairSync } from 'node:crypto';
import { type Seeded, seedWorld } from '../../packages/playground/world/seed.ts';
import type { World } from '../../packages/playground/world/world.ts';
import { APP_EVENTS, APP_PERMISSIONS } from '../../src/app/server/discovery.ts';
import { DEMO_KEYS } from './demo-keys.ts';

const APP_KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
const APP_PUBLIC = APP_KEYS.publicKey.export({ type: 'spki', format: 'pem' }).toString();

/**
 * Fills an empty world. `server`: the App decides, not the chat workflow; `webhook`: where the App listens.
 */
export function seedVirtualWorld(
  world: World,
  server: boolean,
  webhook: { readonly url: string; readonly secret: string },
): Seeded {
  return seedWorld(world, {
    owner: 'lab',
    repo: 'ferries',
    labels: {
      experiment: '1f6feb',
      ferry: '0e8a16',
      'ferry-daily': '5319e7',
      'ferry-log-only': 'c5def5',
      'ferry-sealed': 'fbca04',
    },
    variables: { FERRYBOT_SERVER: server ? 'on' : 'off', FERRYBOT_STATE_DIR: '/state' },
    environments: [
      environment('ferrybot-control', { FERRYBOT_CONTROL_KEY: DEMO_KEYS.control.seed }),
      environment('ferrybot-launch', { FERRYBOT_RUNNER_KEY: DEMO_KEYS.runner.seed }),
      environment('ferrybot-watch', { FERRYBOT_WATCH_KEY: DEMO_KEYS.watch.seed }),
      environment('ferrybot-care', { FERRYBOT_RUNNER_KEY: DEMO_KEYS.runner.seed }),
    ],
    actionsMayCreatePulls: true,
    app: {
      publicKeyPem: APP_PUBLIC,
      // Exactly the permissions in the App's manifest: other calls get a 403, as in a real lab.
      permissions: Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level])),
      events: APP_EVENTS,
      webhook,
    },
  });
}

function environment(
  name: string,
  secrets: Readonly<Record<string, string>>,
): {
  readonly name: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly defaultBranchOnly: boolean;
} {
  return { name, secrets, variables: {}, defaultBranchOnly: true };
}

/** Bytes for tokens and GUIDs that are the same in every run of a test (mulberry32). */
export function seededBytes(seed = 20_261_121): (count: number) => Uint8Array {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff;
  };
  return (count) => Uint8Array.from({ length: count }, next);
}
