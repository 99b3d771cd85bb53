/** Where the private key of each role comes from: environment variables, and environments of GitHub Actions. */

import type { Role } from '../domain/logbook/parts.ts';

/** Environment variable of each role's private key (docs/adopt.md). */
export const KEY_VARIABLES = {
  control: 'FERRYBOT_CONTROL_KEY',
  runner: 'FERRYBOT_RUNNER_KEY',
  watch: 'FERRYBOT_WATCH_KEY',
} as const satisfies { readonly [R in Role]: string };

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
