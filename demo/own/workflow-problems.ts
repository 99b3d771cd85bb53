/** What of a lab's workflows the playground cannot do, told before a run fails of it. */

import path from 'node:path';
import { bundleOf } from '../../packages/playground/actions/runner/action-bundles.ts';
import { readActionManifest } from '../../packages/playground/actions/runner/action-manifest.ts';
import { parseWorkflow } from '../../packages/playground/actions/workflow/parse-workflow.ts';
import { WorkflowFault } from '../../packages/playground/actions/workflow/workflow-fault.ts';
import { actions } from '../../packages/playground/limits/limits.ts';

/** Actions that steps may use here, beside those in the repository itself. */
const THERE = ['actions/checkout', 'ferrybot/ferrybot'];

/** `texts`: workflow files by path; `bundles`: the folder of `--actions`. One line for each thing that is wrong or not here, with the file in front. */
export function workflowProblems(
  texts: ReadonlyMap<string, string>,
  bundles: string | null = null,
): readonly string[] {
  return [...texts].flatMap(([file, text]) => {
    const { jobs, problems } = parseWorkflow(file, text);
    const used = jobs.flatMap(({ key, steps }) =>
      problemsOf(steps, bundles, 0).map((problem) => `${file}: job ${key}: ${problem}`),
    );
    // What the YAML's reader says goes on with a picture of the place.
    const wrong = problems.map((problem) => problem.split('\n', 1).join('').replace(/:$/, ''));
    return [...wrong, ...new Set(used)];
  });
}

/** Of the actions that steps use, and of those that composite ones of the folder use in their turn. */
function problemsOf(
  steps: readonly { readonly uses: string | null }[],
  bundles: string | null,
  depth: number,
): readonly string[] {
  // How deep they may stand is told by the run.
  if (depth > actions.compositeDepth) return [];
  return steps.flatMap(({ uses }) => {
    if (uses === null || uses.startsWith('./')) return [];
    const [name = '', ref = ''] = uses.split('@');
    const lower = name.toLowerCase();
    if (THERE.some((known) => lower === known || lower.startsWith(`${known}/`))) return [];
    const [owner = '', repository = '', ...inside] = name.split('/');
    const root = bundleOf(bundles, `${owner}/${repository}`, ref);
    if (root === null || inside.includes('..')) return [`the action ${uses} is not here`];
    try {
      const { runs } = readActionManifest(path.join(root, ...inside), uses);
      return runs.kind === 'composite' ? problemsOf(runs.steps, bundles, depth + 1) : [];
    } catch (error) {
      if (error instanceof WorkflowFault) return [error.message.split('\n', 1).join('')];
      throw error;
    }
  });
}
