/** The environment of every git process of the playground, isolated from this machine's git settings. */

import { devNull } from 'node:os';

export type GitSetting = readonly [key: string, value: string];

/**
 * Environment variables for a git process, in place of the inherited ones. `settings` are configuration for this
 * process only (https://git-scm.com/docs/git-config#ENVIRONMENT); no file of the user or the system is read.
 */
export function gitEnvironment(settings: readonly GitSetting[] = []): Readonly<Record<string, string>> {
  // The folder may belong to another user (a mounted volume); access was checked before git is called.
  const all: readonly GitSetting[] = [['safe.directory', '*'], ...settings];
  const pairs = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    PATH: process.env['PATH'] ?? '',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(pairs),
  };
}
