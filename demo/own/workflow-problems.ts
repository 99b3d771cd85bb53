/** Lists what the playground does not support in a lab's workflows, before a run fails because of it. */

import path from 'node:path';
import { findBundle } from '../../packages/playground/actions/runner/action-bundles.ts';
import { readActionManifest } from '../../packages/playground/actions/runner/action-manifest.ts';
import { parseWorkflow } from '../../packages/playground/actions/workflow/parse-workflow.ts';
import { WorkflowFault } from '../../packages/playground/actions/workflow/workflow-fault.ts';
import { actions } from '../../packages/playground/limits/limits.ts';

/** Actions that steps can use here, in addition to those in the repository itself. */
const THERE = ['actions/checkout', 'ferrybot/ferrybot'];

/**
 * `texts`: workflow files by path; `bundles`: the folder of `--actions`. One line for each invalid or unsupported part,
 * starting with the file.
 */
export function listWorkflowProblems(
  texts: ReadonlyMap<string, string>,
  bundles: string | null = null,
): readonly string[] {
  return [...texts].flatMap(([file, text]) => {
    const { jobs, problems } = parseWorkflow(file, text);
    const used = jobs.flatMap(({ key, steps }) =>
      listStepProblems(steps, bundles, 0).map((problem) => `${file}: job ${key}: ${problem}`),
    );
    // The YAML parser's message continues with an excerpt of the file.
    const wrong = problems.map((problem) => problem.split('\n', 1).join('').replace(/:$/, ''));
    return [...wrong, ...new Set(used)];
  });
}

/** Problems of the actions that steps use, and of those inside composite actions of the folder. */
function listStepProblems(
  steps: readonly { readonly uses: string | null }[],
  bundles: string | null,
  depth: number,
): readonly string[] {
  // The run itself reports an excessive depth.
  if (depth > actions.compositeDepth) return [];
  return steps.flatMap(({ uses }) => {
    if (uses === null || uses.startsWith('./')) return [];
    const [name = '', ref = ''] = uses.split('@');
    const lower = name.toLowerCase();
    if (THERE.some((known) => lower === known || lower.startsWith(`${known}/`))) return [];
    const [owner = '', repository = '', ...inside] = name.split('/');
    const root = findBundle(bundles, `${owner}/${repository}`, ref);
    if (root === null || inside.includes('..')) return [`the action ${uses} is not here`];
    try {
      const { runs } = readActionManifest(path.join(root, ...inside), uses);
      return runs.kind === 'composite' ? listStepProblems(runs.steps, bundles, depth + 1) : [];
    } catch (error) {
      if (error instanceof WorkflowFault) return [error.message.split('\n', 1).join('')];
      throw error;
    }
  });
}
