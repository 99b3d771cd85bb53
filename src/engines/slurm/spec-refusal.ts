/** What a Slurm job could not be given as it is meant: told before anything is claimed. */

import type { JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { isFolder } from '../../host/is-folder.ts';
import { isSubmissionId } from '../file-records.ts';

type Refusal = Extract<SubmitOutcome, { kind: 'rejected' }>;

/** The wrapper's shell gives these a value of its own, or none at all. */
const SHELLS_OWN =
  /^(BASH_?[A-Z]*|DIRSTACK|EPOCH[A-Z]+|EUID|FERRYBOT_(?:COMMAND|ENTRY|ENVIRONMENT|MODULES)|FUNCNAME|GROUPS|HISTCMD|LINENO|PIPESTATUS|PPID|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_)$/;

/** Null where nothing is in the way. */
export async function specRefusal(spec: JobSpec): Promise<Refusal | null> {
  const rejected = (code: Refusal['code'], message: string): Refusal => ({ kind: 'rejected', code, message });
  if (!isSubmissionId(spec.submissionId))
    return rejected('bad-submission-id', '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front');
  if ((spec.command[0] ?? '') === '') return rejected('empty-command', 'there is no program to start');
  if (spec.command.some((part) => part.includes('\0')))
    return rejected('refused', 'no argument of a program can have a NUL in it');
  const impossible = Object.entries(spec.env).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) && !SHELLS_OWN.test(name) && !value.includes('\0')
      ? []
      : [JSON.stringify(name)],
  );
  if (impossible.length > 0)
    return rejected('refused', `no job of Slurm can be given the variable ${impossible.join(', ')} as it is`);
  if (!(await isFolder(spec.workingDirectory)))
    return rejected('no-working-directory', `${spec.workingDirectory} is no folder`);
  return null;
}
