/** `node scripts/config-docs.ts` writes schema/ferrybot.schema.json and docs/configuration.md from the config's schema. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KINDS } from '../src/kinds/registry.ts';
import { configurationPage } from './config/configuration-page.ts';
import { configJsonSchema } from './config/json-schema.ts';
import { schemaFile } from './config/schema-file.ts';

const ROOT = join(import.meta.dirname, '..');
const schema = configJsonSchema(KINDS);
await writeFile(join(ROOT, 'schema/ferrybot.schema.json'), schemaFile(schema));
await writeFile(join(ROOT, 'docs/configuration.md'), configurationPage(schema));
