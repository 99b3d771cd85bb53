/** `node scripts/commands-docs.ts` writes docs/commands.md from the commands' own definitions. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandsPage } from './commands/commands-page.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'commands.md'), commandsPage());
