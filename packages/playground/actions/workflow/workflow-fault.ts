/**
 * The error for a mistake in a workflow's own text at run time: it fails the step or job, and its message goes to the
 * log.
 */

/** Thrown where the text is used and caught once per job and step (`runner/`); it never reaches the playground. */
export class WorkflowFault extends Error {
  override readonly name = 'WorkflowFault';
}
