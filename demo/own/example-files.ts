/** Initial files for a lab without ferrybot: the example's config, with this rehearsal's keys, and its workflows. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXAMPLE_LAB } from '../beside.ts';
import type { LabKeys } from '../keys.ts';
import { addKeys } from '../seed-lab.ts';
import { CONFIG_PATH } from './config-report.ts';

const WORKFLOWS = '.github/workflows';

/** Path to text. The example refers to files that a lab may not have; comments in its config name them. */
export async function exampleFiles(keys: LabKeys): Promise<Readonly<Record<string, string>>> {
  const read = (path: string): Promise<string> => readFile(join(EXAMPLE_LAB, path), 'utf8');
  const files: Record<string, string> = { [CONFIG_PATH]: addKeys(await read(CONFIG_PATH), keys) };
  for (const name of await readdir(join(EXAMPLE_LAB, WORKFLOWS)))
    files[`${WORKFLOWS}/${name}`] = await read(`${WORKFLOWS}/${name}`);
  return files;
}
