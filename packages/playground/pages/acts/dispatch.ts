/** Dispatches a workflow manually, like GitHub's "Run workflow". */
import { repoApiPath, repoPath } from '../place.ts';
import type { ActHandler } from '../visit.ts';
import { toOutcome } from './outcome.ts';

const PREFIX = 'input:';

/** Form fields: `ref`, and `input:<name>` for each input; an empty one gets its default. */
export const dispatchWorkflow: ActHandler = async (visit, params, form) => {
  const inputs: Record<string, string> = {};
  for (const [name, value] of form)
    if (name.startsWith(PREFIX) && value !== '') inputs[name.slice(PREFIX.length)] = value;
  const at = `${repoApiPath(params)}/actions/workflows/${params['id'] ?? ''}/dispatches`;
  return toOutcome(
    await visit.api.send('POST', at, { ref: form.get('ref') ?? '', inputs }),
    `${repoPath(params)}/actions?workflow=${params['id'] ?? ''}`,
  );
};
