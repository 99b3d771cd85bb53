/** Somebody with write access starts one of our workflows from a branch of their own, for a runner that does not exist. */

import { z } from 'zod';
import { fileOf, pushFile } from './talk.ts';
import type { VirtualLab } from './virtual-lab.ts';

const REF = z.object({ object: z.object({ sha: z.string() }) });

/** ada pushes a branch whose copy of the workflow never gets a runner; the function that is returned dispatches it. */
export async function squatOn(
  lab: VirtualLab,
  file: string,
): Promise<(inputs: Record<string, string>) => Promise<void>> {
  const branch = 'ada/quiet';
  const path = `.github/workflows/${file}`;
  const { object } = REF.parse(await lab.as('ada', 'GET', '/git/ref/heads/main'));
  await lab.as('ada', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha: object.sha });
  const text = (await fileOf(lab, 'main', path)) ?? '';
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
