/**
 * Paths of the repository outside this package. They are started as programs or read as files, never imported
 * (docs/playground.md, "A package of its own").
 */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, which is the action `ferrybot/ferrybot` of the opened labs. */
export const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** Ferrybot's command line and server. */
export const FERRYBOT = join(PROJECT, 'src/app/cli/main.ts');
/** The initial contents of a new lab. */
export const EXAMPLE_LAB = join(PROJECT, 'fixtures/lab');
/** Small labs in the style of a trainer each: config and code, without workflows. */
export const EXAMPLES = join(PROJECT, 'examples');
/** The environment created by `npm run setup:ray`. */
export const RAY_TOOLS = join(PROJECT, '.tools/ray');
/** The environment created by `npm run setup:iris`. */
export const IRIS_TOOLS = join(PROJECT, '.tools/iris');
