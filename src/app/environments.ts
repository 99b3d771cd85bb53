/** The environments of the workflows, and the signing keys in each. */

import type { Role } from '../domain/logbook/parts.ts';

export const CONTROL_ENVIRONMENT = 'ferrybot-control';
export const LAUNCH_ENVIRONMENT = 'ferrybot-launch';
export const WATCH_ENVIRONMENT = 'ferrybot-watch';
export const CARE_ENVIRONMENT = 'ferrybot-care';

/** Jobs that use a role's key run in one of these. */
export const KEY_ENVIRONMENTS: Readonly<Record<Role, readonly string[]>> = {
  control: [CONTROL_ENVIRONMENT],
  runner: [LAUNCH_ENVIRONMENT, CARE_ENVIRONMENT],
  watch: [WATCH_ENVIRONMENT],
};
