/** Detects pushes that write workflow files, which requires the permission `workflows` for Apps. */

/** A file under `.github/workflows/` by its path, with the id of its content. */
export type WorkflowFiles = ReadonlyMap<string, string>;

export const workflowFolder = '.github/workflows';

/**
 * True when the push adds, changes or deletes a workflow file that no other branch has in the same form
 * (docs.github.com: scopes for OAuth apps, `workflow`: the same file on another branch may be pushed). `before` null =
 * a new ref. The other branches are read only if a file changed; `main` is the default branch.
 */
export async function writesWorkflows(
  before: WorkflowFiles | null,
  after: WorkflowFiles,
  main: () => Promise<WorkflowFiles>,
  others: () => Promise<readonly WorkflowFiles[]>,
): Promise<boolean> {
  const paths = new Set([...after.keys(), ...(before ?? new Map<string, string>()).keys()]);
  const changed = [...paths].filter((path) => after.get(path) !== before?.get(path));
  if (changed.length === 0) return false;
  const known = await main();
  const left = changed.filter((path) => after.get(path) !== known.get(path));
  if (left.length === 0) return false;
  const branches = await others();
  return left.some((path) => {
    const content = after.get(path);
    return content === undefined || !branches.some((files) => files.get(path) === content);
  });
}
