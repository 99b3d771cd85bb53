/** What Ray could not run as it is meant, whoever submits it: told before anything is sent. */

import type { JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { shellLineOf } from '../shell-line.ts';
import { isJobId } from './rest/look-up.ts';

/** Null where nothing is in the way. */
export function specRefusal(spec: JobSpec): Extract<SubmitOutcome, { kind: 'rejected' }> | null {
  if (!isJobId(spec.submissionId))
    return {
      kind: 'rejected',
      code: 'bad-submission-id',
      message: '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front',
    };
  if ((spec.command[0] ?? '') === '' || shellLineOf(spec.command) === null)
    return {
      kind: 'rejected',
      code: 'empty-command',
      message: 'there is no program that a shell could start',
    };
  const impossible = Object.entries(spec.env).flatMap(([name, value]) =>
    /^[^=\0]+$/.test(name) && !value.includes('\0') ? [] : [JSON.stringify(name)],
  );
  if (impossible.length > 0)
    return {
      kind: 'rejected',
      code: 'refused',
      message: `no process can be given the variable ${impossible.join(', ')}: there is a NUL in it, or no name`,
    };
  const changed = expandedOf(spec.env);
  return changed.length === 0
    ? null
    : {
        kind: 'rejected',
        code: 'refused',
        message: `Ray would expand the $ in the value of ${changed.join(', ')}: no job gets another environment`,
      };
}

/**
 * Variables whose value the job would not get as it is: Ray puts others in the place of `$NAME` and `${NAME}`, and knows
 * no way to write them otherwise (ray-project/ray, python/ray/_private/utils.py, update_envs).
 */
function expandedOf(env: JobSpec['env']): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (/\$[\w{]/.test(value) ? [name] : []));
}
