/**
 * `node scripts/policy-coverage.ts [FOLDER]` writes docs/policy-coverage.md and says which sentences of the policies have
 * no rule; with the folder of the policies it reads their sentences anew.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coveragePage } from './policy/coverage-page.ts';
import { wordingGaps } from './policy/findings.ts';
import { findMarks } from './policy/marks.ts';
import { policySentencesText, readAsides, readPolicySentences } from './policy/policy-sentences.ts';
import { POLICY_FILES, readRules } from './policy/rules.ts';
import { splitSentences } from './policy/sentences.ts';

const ROOT = join(import.meta.dirname, '..');
const SENTENCES = join(ROOT, 'fixtures/policy/sentences.yml');
const [folder] = process.argv.slice(2);
if (folder !== undefined) await writeFile(SENTENCES, policySentencesText(await sentencesIn(folder)));
const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
const asides = await readAsides(join(ROOT, 'fixtures/policy/asks-nothing.yml'));
await writeFile(join(ROOT, 'docs/policy-coverage.md'), coveragePage(rules, findMarks(ROOT).tests));
const policies = await readPolicySentences(SENTENCES);
const gaps = POLICY_FILES.flatMap((file) => wordingGaps(file, policies.get(file) ?? [], rules, asides));
for (const gap of gaps) console.error(gap);
console.log(`${rules.length} rules, ${rules.filter((rule) => rule.status === 'open').length} open`);
process.exitCode = gaps.length === 0 ? 0 : 1;

async function sentencesIn(policies: string): Promise<ReadonlyMap<string, ReturnType<typeof splitSentences>>> {
  const read = POLICY_FILES.map(
    async (file) => [file, splitSentences(await readFile(join(policies, file), 'utf8'))] as const,
  );
  return new Map(await Promise.all(read));
}
