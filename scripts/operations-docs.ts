/** `node scripts/operations-docs.ts` writes docs/operations.md and docs/server.md from the words of the incident comments and the notes beside it. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operationsPage } from './operations/operations-page.ts';
import { serverPage } from './operations/server-page.ts';

const docs = join(import.meta.dirname, '..', 'docs');
await writeFile(join(docs, 'operations.md'), operationsPage());
await writeFile(join(docs, 'server.md'), await serverPage());
