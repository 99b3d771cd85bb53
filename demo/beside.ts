/** What lies beside this package in its repository: started as a program or read as files, never imported (docs/playground.md, "A package of its own"). */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, which is the action `ferrybot/ferrybot` of the labs that are opened here. */
export const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** Ferrybot's command line and server. */
export const FERRYBOT = join(PROJECT, 'src/app/cli/main.ts');
/** What a new lab begins with. */
export const EXAMPLE_LAB = join(PROJECT, 'fixtures/lab');
/** The environment that `npm run setup:ray` makes. */
export const RAY_TOOLS = join(PROJECT, '.tools/ray');
/** The one that `npm run setup:iris` makes. */
export const IRIS_TOOLS = join(PROJECT, '.tools/iris');
