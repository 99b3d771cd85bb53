/**
 * `node scripts/openapi.ts REST_FOLDER WEBHOOKS_FOLDER` writes packages/playground/fixtures/openapi/ from the unpacked packages
 * `@octokit/openapi` and `@octokit/openapi-webhooks`; neither is a dependency, one of them has 513 MB.
 * What the playground serves or sends and GitHub does not describe is named, and the exit code is 1.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { allRoutes } from '../packages/playground/api/all-routes.ts';
import { asObject } from './openapi/bare-schema.ts';
import { pickOperations } from './openapi/pick-operations.ts';
import { pickPayloads } from './openapi/pick-payloads.ts';
import { shareRepeats } from './openapi/share-repeats.ts';
import { withReferences } from './openapi/with-references.ts';

const ROOT = join(import.meta.dirname, '..');
const DESCRIPTION = 'generated/api.github.com.json';
const packageFile = z.object({ name: z.string(), version: z.string() });

const [restFolder, webhooksFolder] = process.argv.slice(2);
if (restFolder === undefined || webhooksFolder === undefined) {
  console.error('usage: node scripts/openapi.ts REST_FOLDER WEBHOOKS_FOLDER');
  process.exit(2);
}
const rest = await read(restFolder);
const picked = pickOperations(rest.description, allRoutes);
await writeOperations(rest.description);
const webhooks = await read(webhooksFolder);
await write('rest', rest.source, 'operations', picked.operations, rest.description);
await write('webhooks', webhooks.source, 'payloads', pickPayloads(webhooks.description), webhooks.description);
for (const route of picked.unknown) console.error(`not described by GitHub: ${route}`);
process.exitCode = picked.unknown.length === 0 ? 0 : 1;

async function read(folder: string): Promise<{ readonly source: string; readonly description: unknown }> {
  const about = packageFile.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const description: unknown = JSON.parse(await readFile(join(folder, DESCRIPTION), 'utf8'));
  return { source: `${about.name}@${about.version}`, description };
}

/** Every operation there is, one a line; a parameter that takes slashes is `{*}`. */
async function writeOperations(description: unknown): Promise<void> {
  const paths = Object.entries(asObject(asObject(description)['paths']));
  const lines = paths.flatMap(([path, entry]) =>
    Object.keys(asObject(entry))
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => {
        const place = path.replace(/\{(path|ref|basehead)\}$/, '{*}').replaceAll(/\{\w+\}/g, '{}');
        return `${method.toUpperCase()} ${place}`;
      }),
  );
  await writeFile(join(ROOT, 'packages/playground/api/github-operations.txt'), `${lines.toSorted().join('\n')}\n`);
  console.log(`github-operations.txt: ${lines.length} operations`);
}

/** One line an entry, so that a change of GitHub's is a readable difference. */
async function write(
  name: string,
  source: string,
  key: string,
  wanted: Readonly<Record<string, unknown>>,
  description: unknown,
): Promise<void> {
  const shared = shareRepeats(wanted, withReferences(wanted, description));
  const lines = (entries: Readonly<Record<string, unknown>>): string =>
    Object.entries(entries)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([entry, value]) => `    ${JSON.stringify(entry)}: ${JSON.stringify(value)}`)
      .join(',\n');
  const text = `{\n  "source": ${JSON.stringify(source)},\n  ${JSON.stringify(key)}: {\n${lines(shared.roots)}\n  },\n  "schemas": {\n${lines(shared.schemas)}\n  }\n}\n`;
  await writeFile(join(ROOT, `packages/playground/fixtures/openapi/${name}.json`), text);
  console.log(`${name}.json: ${Object.keys(wanted).length} ${key}, ${(text.length / 1000).toFixed(0)} KB`);
}
