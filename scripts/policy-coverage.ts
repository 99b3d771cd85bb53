/** `node scripts/policy-coverage.ts` writes docs/policy-coverage.md; with a folder of policies it says which sentences have no rule. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coveragePage } from './policy/coverage-page.ts';
import { wordingGaps } from './policy/findings.ts';
import { readRules } from './policy/rules.ts';
import { sentencesOf } from './policy/sentences.ts';

const ROOT = join(import.meta.dirname, '..');
const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
await writeFile(join(ROOT, 'docs/policy-coverage.md'), coveragePage(rules));
const [folder] = process.argv.slice(2);
const gaps = folder === undefined ? [] : await gapsIn(folder);
for (const gap of gaps) console.error(gap);
console.log(`${rules.length} rules, ${rules.filter((rule) => rule.status === 'open').length} open`);
process.exitCode = gaps.length === 0 ? 0 : 1;

async function gapsIn(policies: string): Promise<readonly string[]> {
  const files = [...new Set(rules.map((rule) => rule.file))];
  const found = files.map(async (file) =>
    wordingGaps(file, sentencesOf(await readFile(join(policies, file), 'utf8')), rules),
  );
  return (await Promise.all(found)).flat();
}
