/**
 * `node scripts/playground-coverage.ts` writes the table of docs/playground.md. The exit code is 1 when an operation has
 * an empty cell: something that ferrybot asks of GitHub, and that the playground does not answer or check.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coverageRows, listGaps, replaceTable } from './playground/coverage-page.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/playground.md');

const rows = await coverageRows(ROOT);
await writeFile(PAGE, replaceTable(await readFile(PAGE, 'utf8'), rows));
const open = listGaps(rows);
console.log(`${rows.length} operations, ${open.length} with an empty cell`);
for (const operation of open) console.error(`not covered: ${operation}`);
process.exitCode = open.length === 0 ? 0 : 1;
