/** The error that a workflow's own text causes while it runs: it fails the step or job and its message goes to the log. */

/** Thrown where the text is used and caught once per job and step (`runner/`), never let through to the playground. */
export class WorkflowFault extends Error {
  override readonly name = 'WorkflowFault';
}
