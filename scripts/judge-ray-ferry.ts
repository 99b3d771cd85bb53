/** `npm run judge:ray -- FOLDER`: whether the record of a rehearsal with `--engine ray --keep FOLDER` shows what Ray did; exit code 1 and why where it does not. */

import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { eventsPart } from '../src/logbook/segments.ts';
import { rayFerryFaults } from '../test/support/ray-ferry-faults.ts';

const [folder = '.'] = process.argv.slice(2);
const runs = join(folder, 'logbook', 'runs');
const faults: string[] = [];
let judged = 0;
for (const path of await readdir(runs, { recursive: true })) {
  if (path.split(sep).length !== 3) continue;
  const run = basename(path);
  const files = (await readdir(join(runs, path))).filter((name) => eventsPart(name) !== null).sort();
  // The first has no number, and stands behind the others in the order of names.
  const inOrder = [...files.slice(-1), ...files.slice(0, -1)];
  const texts = await Promise.all(inOrder.map((name) => readFile(join(runs, path, name), 'utf8')));
  const lines = texts.join('').trimEnd().split('\n');
  faults.push(...rayFerryFaults(run, lines));
  judged += 1;
}
if (judged === 0) faults.push('there is no run');
for (const fault of faults) console.error(fault);
console.log(`${judged} run(s) on Ray: ${faults.length === 0 ? 'as they should be' : 'not as they should be'}`);
process.exitCode = faults.length === 0 ? 0 : 1;
