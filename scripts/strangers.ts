/**
 * `npm run strangers [-- NAME…] [--install] [--write]`: programs of other people, at known versions,
 * against the playground. Without a name all of them; `--install` only puts them below .tools/strangers (with names: these);
 * `--write` puts the table into docs/playground.md. Exit 0 = each that could be played did what it does, 1 = one did not,
 * 2 = used wrongly.
 */

import { parseArgs } from 'node:util';
import { findAbsenceReason, install } from './strangers/install.ts';
import { type PlayResult, play } from './strangers/play.ts';
import { PROGRAMS } from './strangers/programs.ts';
import { renderTable, writeTable } from './strangers/table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { install: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !PROGRAMS.some((one) => one.name === name));
if (unknown.length > 0) {
  console.error(
    `strangers: there is no ${unknown.join(', ')}; there are ${PROGRAMS.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
const chosen = PROGRAMS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const played: PlayResult[] = [];
let isWhole = true;

for (const program of chosen) {
  const problem = await install(program);
  if (problem !== null) {
    console.error(`strangers: ${program.name} could not be installed: ${problem.slice(-1_000)}`);
    isWhole = false;
  }
  if (values.install || problem !== null) continue;
  const missing = await findAbsenceReason(program);
  if (missing !== null) {
    console.error(`strangers: ${program.name} is not played: ${missing}`);
    continue;
  }
  const one = await play(program.name);
  const seconds = Math.round(one.durationMs / 1_000);
  console.error(
    `strangers: ${program.name} ${one.failed === null ? 'did it all' : `failed: ${one.failed}`} (${seconds} s)`,
  );
  isWhole &&= one.failed === null;
  played.push(one);
}

if (!values.install) console.log(values.write ? await writeTable(played) : renderTable(played, ''));
process.exitCode = isWhole ? 0 : 1;
