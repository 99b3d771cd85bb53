/** The command line of each `shell:` that a `run` step may name (docs: workflow syntax, `jobs.<id>.steps[*].shell`). */

import { WorkflowFault } from '../workflow/workflow-fault.ts';

/**
 * Without `shell:`, bash stops at the first failing command. `shell: bash` also fails a pipe whose first part failed.
 */
export function shellCommand(shell: string | null, script: string): { file: string; args: string[] } {
  switch (shell) {
    case null:
      return { file: 'bash', args: ['-e', script] };
    case 'bash':
      return { file: 'bash', args: ['--noprofile', '--norc', '-eo', 'pipefail', script] };
    case 'sh':
      return { file: 'sh', args: ['-e', script] };
    case 'python':
      return { file: 'python3', args: [script] };
    default:
      return custom(shell, script);
  }
}

/** `command options {0} more`, where {0} is the script's file. */
function custom(shell: string, script: string): { file: string; args: string[] } {
  const [file, ...args] = shell.split(/\s+/).filter((word) => word !== '');
  if (file === undefined || !shell.includes('{0}')) {
    throw new WorkflowFault(`Invalid shell option '${shell}'. It must name bash, sh, python or contain {0}`);
  }
  return { file, args: args.map((word) => word.replaceAll('{0}', script)) };
}
