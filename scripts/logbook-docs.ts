/** `node scripts/logbook-docs.ts` writes the tables of events in docs/logbook.md and docs/verify_logbook.py from their definitions. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logbookPage, pythonVerifier } from './logbook/event-tables.ts';

for (const [name, generate] of [
  ['logbook.md', logbookPage],
  ['verify_logbook.py', pythonVerifier],
] as const) {
  const path = join(import.meta.dirname, '..', 'docs', name);
  await writeFile(path, generate(await readFile(path, 'utf8')));
}
