/** `node scripts/playground-coverage.ts` writes the table of docs/playground.md: each operation that src/ uses, and how it is checked. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { allRoutes } from '../playground/world/routes/all-routes.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/playground.md');
const described = z.object({ operations: z.record(z.string(), z.unknown()) });

const operations = await operationsOfSource();
const { operations: known } = described.parse(
  JSON.parse(await readFile(join(ROOT, 'fixtures/openapi/rest.json'), 'utf8')),
);
const served = new Map(allRoutes.map((route) => [places(`${route.method} ${route.pattern}`), route]));
const rows = operations.map((operation) => {
  const route = served.get(places(operation));
  const mark = (isSo: boolean): string => (isSo ? 'yes' : '–');
  const asked = route === undefined ? '–' : route.scope === 'plain' ? 'own test' : 'yes';
  return `| \`${operation}\` | ${mark(route !== undefined)} | ${mark(known[operation] !== undefined)} | ${asked} |`;
});
const table = ['| operation | served | schema | permission |', '|---|---|---|---|', ...rows].join('\n');
const page = await readFile(PAGE, 'utf8');
const marked = /<!-- coverage -->[\s\S]*<!-- \/coverage -->/;
await writeFile(PAGE, page.replace(marked, `<!-- coverage -->\n${table}\n<!-- /coverage -->`));
console.log(
  `${rows.length} operations, ${rows.filter((row) => row.includes('–')).length} with an empty cell`,
);

/** `METHOD /path` as the source writes it, each once; GraphQL has a schema of its own. */
async function operationsOfSource(): Promise<readonly string[]> {
  const files = await readdir(join(ROOT, 'src'), { recursive: true });
  const texts = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFile(join(ROOT, 'src', file), 'utf8'));
  const found = (await Promise.all(texts)).flatMap((text) =>
    [...text.matchAll(/['`]((?:GET|POST|PUT|PATCH|DELETE) \/[a-z][^'`$\s]*)['`]/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  return [...new Set(found)].filter((operation) => !operation.endsWith('/graphql')).toSorted();
}

/** Names of parameters differ between GitHub and us, their places do not. */
function places(operation: string): string {
  return operation.replaceAll(/\{[^}]*\}|:[A-Za-z]+\*?/g, '{}');
}
