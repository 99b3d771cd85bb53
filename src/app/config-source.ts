/** Finds the config in force (the last valid `.github/ferrybot.yml` of the default branch) and the problems of the newest file. */

import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { KnownNames } from '../config/lane-schema.ts';
import { type ConfigReading, readConfig } from '../config/read-config.ts';
import type { Instant } from '../domain/values.ts';
import { KINDS } from '../kinds/registry.ts';
import type { Kind } from '../run/kind.ts';

export const CONFIG_PATH = '.github/ferrybot.yml';

const KNOWN: KnownNames<Kind> = { kinds: KINDS, ownCommands: COMMAND_DEFINITIONS.map(({ name }) => name) };

/** Reads a lab config with all kinds and engines; `now` also checks that keys are in force. */
export function readLabConfig(text: string, now: Instant | null = null): ConfigReading<Kind> {
  return readConfig(text, KNOWN, now);
}
