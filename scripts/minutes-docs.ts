/** `node scripts/minutes-docs.ts` writes the table of Actions minutes in README.md from the example workflows. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTable } from './minutes/minutes-table.ts';

const README = join(import.meta.dirname, '..', 'README.md');
await writeFile(README, withTable(await readFile(README, 'utf8')));
