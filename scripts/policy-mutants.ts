/**
 * `npm run policy:mutants -- [--row ID]... [--sample N --seed COMMIT] [--json]`: takes the code of each rule out that
 * fixtures/policy/rules.yml calls shown, in a copy, and runs the one test that the rule names. Exit 1 if a test does
 * not notice, or a mutant does not fit the code any more.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Killable, sampled } from './policy/mutant.ts';
import { type Told, tryMutants } from './policy/mutant-lab.ts';
import { readRules } from './policy/rules.ts';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    row: { type: 'string', multiple: true, default: [] },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});

const told = await tryMutants(ROOT, asked(await shown()), (one) => {
  if (!values.json) console.log(line(one));
});
const alive = told.filter(({ fate }) => fate !== 'dies');
if (values.json)
  console.log(JSON.stringify({ tried: told.length, alive: alive.length, rows: told }, null, 2));
else console.log(`${told.length} mutants tried, ${alive.length} of them not killed`);
process.exit(alive.length === 0 && told.length > 0 ? 0 : 1);

async function shown(): Promise<readonly Killable[]> {
  const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
  return rules.filter((rule) => rule.status === 'shown');
}

function asked(all: readonly Killable[]): readonly Killable[] {
  const missing = values.row.filter((id) => !all.some((rule) => rule.id === id));
  if (missing.length > 0) throw new Error(`no rule that is shown: ${missing.join(', ')}`);
  if (values.row.length > 0) return all.filter(({ id }) => values.row.includes(id));
  if (values.sample === undefined) return all;
  const count = Number(values.sample);
  if (!Number.isInteger(count) || count < 1) throw new Error('--sample is a number of rows');
  return sampled(all, count, values.seed);
}

function line({ id, fate, reason, ms }: Told): string {
  return `${id}: ${fate}${reason === null ? '' : ` (${reason})`}, ${(ms / 1000).toFixed(1)} s`;
}
