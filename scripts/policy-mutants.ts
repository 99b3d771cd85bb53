/**
 * `npm run policy:mutants -- [--row ID]... [--sample N --seed COMMIT] [--written] [--json]`: breaks the marked code of each rule that
 * fixtures/policy/rules.yml calls shown in two ways, in a copy, and runs the one test that is marked for the rule. Exit 1
 * if a test does not notice one of them, or a mutant cannot be applied. `--written`: only the mutants that rules.yml writes out.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMarks } from './policy/marks.ts';
import { type Experiment, planExperiments, sampleBySeed } from './policy/mutant.ts';
import { type Result, tryMutants } from './policy/mutant-lab.ts';
import { readRules } from './policy/rules.ts';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    row: { type: 'string', multiple: true, default: [] },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
    written: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const rules = await readRules(join(ROOT, 'fixtures/policy/rules.yml'));
const { experiments, problems } = planExperiments(
  ROOT,
  rules.filter((rule) => rule.status === 'shown'),
  findMarks(ROOT),
);
for (const problem of problems) console.error(problem);
const tried = chosen(experiments).map((one) => (values.written ? { ...one, mutants: one.mutants.slice(0, 1) } : one));
const results = await tryMutants(ROOT, tried, (result) => {
  if (!values.json) console.log(line(result));
});
const idsWith = (...fates: readonly Result['fate'][]): readonly string[] =>
  results.filter(({ fate }) => fates.includes(fate)).map(({ id }) => id);
const killed = idsWith('dies').length;
if (values.json)
  console.log(
    JSON.stringify({
      rows: results.length + problems.length,
      killed,
      survived: idsWith('survives', 'late'),
      notApplied: [...idsWith('no-test', 'breaks-the-file', 'fails-without'), ...problems],
    }),
  );
else
  console.log(
    `${results.length} rows tried, ${values.written ? 'one mutant' : 'two mutants'} each; ${results.length - killed} not killed`,
  );
process.exit(killed === results.length && killed > 0 && problems.length === 0 ? 0 : 1);

function chosen(all: readonly Experiment[]): readonly Experiment[] {
  const missing = values.row.filter((id) => !all.some((one) => one.id === id));
  if (missing.length > 0) throw new Error(`no rule that is shown: ${missing.join(', ')}`);
  if (values.row.length > 0) return all.filter(({ id }) => values.row.includes(id));
  if (values.sample === undefined) return all;
  const count = Number(values.sample);
  if (!Number.isInteger(count) || count < 1) throw new Error('--sample is a number of rows');
  return sampleBySeed(all, count, values.seed);
}

function line({ id, fate, by, ms }: Result): string {
  return `${id}: ${fate}${by === undefined ? '' : ` (mutant ${by})`}, ${(ms / 1000).toFixed(1)} s`;
}
