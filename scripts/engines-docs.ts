/** `node scripts/engines-docs.ts` writes docs/engines.md from the contract of every engine. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testTitles } from '../test/support/test-titles.ts';
import { enginesPage } from './engines/engines-page.ts';

const ROOT = join(import.meta.dirname, '..');
await writeFile(join(ROOT, 'docs/engines.md'), enginesPage(testTitles(join(ROOT, 'test/support/engine-contract.ts'))));
