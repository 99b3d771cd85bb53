/** `node scripts/operations-docs.ts` writes docs/operations.md from the words of the incident comments and the notes for people on call. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operationsPage } from './operations/operations-page.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'operations.md'), await operationsPage());
