/** What a rented machine is not given: told before anything is rented. */

import type { JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { isSubmissionId } from '../file-records.ts';

type Refusal = Extract<SubmitOutcome, { kind: 'rejected' }>;

/** The wrapper's and the instance's own, and what belongs to GitHub: the host is a stranger's. */
const NOT_FOR_A_STRANGER = /^(FERRYBOT_.*|CONTAINER_.*|VAST_.*|GITHUB_.*|GH_TOKEN|ACTIONS_.*|RUNNER_.*)$/;
const GITHUB_TOKEN = /\b(gh[opsur]_[A-Za-z0-9_]{16,}|github_pat_[A-Za-z0-9_]{20,})/;

/** Null where nothing is in the way. */
export function specRefusal(spec: JobSpec, key: string | null): Refusal | null {
  const rejected = (code: Refusal['code'], message: string): Refusal => ({ kind: 'rejected', code, message });
  if (!isSubmissionId(spec.submissionId))
    return rejected('bad-submission-id', '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front');
  if ((spec.command[0] ?? '') === '') return rejected('empty-command', 'there is no program to start');
  if (spec.command.some((part) => part.includes('\0')))
    return rejected('refused', 'no argument of a program can have a NUL in it');
  const bad = Object.entries(spec.env).flatMap(([name, value]) => {
    const isKept = NOT_FOR_A_STRANGER.test(name) || GITHUB_TOKEN.test(value) || value === key;
    return isKept || !/^[A-Za-z_]\w*$/.test(name) || value.includes('\0') ? [JSON.stringify(name)] : [];
  });
  return bad.length > 0
    ? rejected('refused', `no rented machine is given the variable ${bad.join(', ')}: its host is a stranger`)
    : null;
}
