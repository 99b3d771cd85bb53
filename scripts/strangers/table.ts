/** The table of docs/playground.md: what each stranger did here, and what was refused. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlayResult } from './play.ts';
import { PROGRAMS } from './programs.ts';

const PAGE = join(import.meta.dirname, '../../docs/playground.md');
const BETWEEN = /<!-- strangers -->[\s\S]*<!-- \/strangers -->/;
const HEAD = '| program | version | from | what it did | what was refused |\n|---|---|---|---|---|';

/** A row for each that was played; the others keep the row that the page has. */
export function renderTable(played: readonly PlayResult[], before: string): string {
  const rows = PROGRAMS.flatMap((program) => {
    const one = played.find(({ name }) => name === program.name);
    if (one === undefined) return before.split('\n').find((line) => line.startsWith(`| ${program.name} |`)) ?? [];
    const did = one.failed === null ? one.did.join(', ') : `failed: ${one.failed.split('\n')[0]}`;
    const refused = one.refused.length === 0 ? 'nothing' : one.refused.map((what) => `\`${what}\``).join(', ');
    return `| ${[program.name, program.version, program.from, did, refused].map(formatCell).join(' | ')} |`;
  });
  return [HEAD, ...rows].join('\n');
}

/** Writes the rows into the page. */
export async function writeTable(played: readonly PlayResult[]): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const table = renderTable(played, BETWEEN.exec(page)?.[0] ?? '');
  await writeFile(
    PAGE,
    page.replace(BETWEEN, () => `<!-- strangers -->\n${table}\n<!-- /strangers -->`),
  );
  return table;
}

function formatCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
