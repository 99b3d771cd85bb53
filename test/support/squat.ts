/** A writer starts one of ferrybot's workflows from their own branch, for a runner that does not exist. */

import { z } from 'zod';
import { pushFile, readBranchFile } from './talk.ts';
import type { VirtualLab } from './virtual-lab.ts';

const REF = z.object({ object: z.object({ sha: z.string() }) });

/**
 * ada pushes a branch with a copy of the workflow that never gets a runner; the returned function dispatches
 * it.
 */
export async function createSquatter(
  lab: VirtualLab,
  file: string,
): Promise<(inputs: Record<string, string>) => Promise<void>> {
  const branch = 'ada/quiet';
  const path = `.github/workflows/${file}`;
  const { object } = REF.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
  await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: object.sha });
  const text = (await readBranchFile(lab, 'main', path)) ?? '';
  await pushFile(
    lab,
    'ada',
    branch,
    path,
    text.replace(/runs-on: .*/, 'runs-on: [nobody-has-this]').replaceAll(/^ {4}environment:.*\n/gm, ''),
  );
  return async (inputs) => {
    await lab.as('ada', 'POST', `/actions/workflows/${file}/dispatches`, { ref: branch, inputs });
  };
}
