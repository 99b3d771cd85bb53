/** What of a lab's workflows the playground cannot do, told before a run fails of it. */

import { parseWorkflow } from '../../actions/workflow/parse-workflow.ts';

/** Actions that steps may use here, beside those in the repository itself. */
const THERE = ['actions/checkout', 'ferrybot/ferrybot'];

/** `texts`: workflow files by path. One line for each thing that is wrong or not here, with the file in front. */
export function workflowProblems(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts].flatMap(([path, text]) => {
    const file = parseWorkflow(path, text);
    const used = file.jobs.flatMap(({ key, steps }) =>
      steps.flatMap(({ uses }) =>
        uses === null || isThere(uses) ? [] : [`${path}: job ${key}: the action ${uses} is not here`],
      ),
    );
    // What the YAML's reader says goes on with a picture of the place.
    const wrong = file.problems.map((problem) => problem.split('\n', 1).join('').replace(/:$/, ''));
    return [...wrong, ...new Set(used)];
  });
}

function isThere(uses: string): boolean {
  if (uses.startsWith('./')) return true;
  const [name = ''] = uses.split('@');
  return THERE.some((known) => name.toLowerCase() === known || name.toLowerCase().startsWith(`${known}/`));
}
