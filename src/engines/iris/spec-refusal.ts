/** What an Iris job could not be given as it is meant: told before anything is sent. */

import type { JobSpec, SubmitOutcome } from '../../domain/engine.ts';
import { isFolder } from '../../host/is-folder.ts';
import { isSubmissionId } from '../file-records.ts';
import type { IrisCluster } from './schema.ts';

type Refusal = Extract<SubmitOutcome, { kind: 'rejected' }>;

/** Iris sets these itself; a job that brought one would pass for another task, or for a child of one. */
const IRIS_OWN = /^(IRIS_|FERRYBOT_)/;

/** Null where nothing is in the way. */
export async function specRefusal(spec: JobSpec, { secretFiles }: IrisCluster): Promise<Refusal | null> {
  const { submissionId, command, env, secretNames = [], workingDirectory } = spec;
  if (!isSubmissionId(submissionId))
    return rejected('bad-submission-id', '1 to 128 of A-Z a-z 0-9 . _ -, with a letter or digit in front');
  if ((command[0] ?? '') === '') return rejected('empty-command', 'there is no program to start');
  if ([...command, ...Object.values(env)].some((part) => part.includes('\0')))
    return rejected('refused', 'no argument and no variable of a program can have a NUL in it');
  const impossible = Object.keys(env).filter((name) => !/^[A-Za-z_]\w*$/.test(name) || IRIS_OWN.test(name));
  if (impossible.length > 0)
    return rejected(
      'refused',
      `no job of Iris is given the variable ${impossible.map((name) => JSON.stringify(name)).join(', ')}`,
    );
  const homeless = secretNames.filter((name) => secretFiles[name] === undefined);
  if (homeless.length > 0)
    return rejected(
      'refused',
      `Iris would show ${homeless.join(', ')} to each administrator: name the file of the workers that has it under secretFiles`,
    );
  const leaking = leaksOf(spec);
  if (leaking !== null)
    return rejected(
      'refused',
      `the value of the secret ${leaking} stands in the command or in another variable, which everybody can read`,
    );
  return (await isFolder(workingDirectory))
    ? null
    : rejected('no-working-directory', `${workingDirectory} is no folder`);
}

/** A shorter value stands in ordinary text too. */
const SECRET_CHARACTERS_MIN = 8;

function leaksOf({ command, env, secretNames = [] }: JobSpec): string | null {
  const open = [
    ...command,
    ...Object.entries(env).flatMap(([name, value]) => (secretNames.includes(name) ? [] : [value])),
  ];
  return (
    secretNames.find((name) => {
      const value = env[name] ?? '';
      return value.length >= SECRET_CHARACTERS_MIN && open.some((text) => text.includes(value));
    }) ?? null
  );
}

function rejected(code: Refusal['code'], message: string): Refusal {
  return { kind: 'rejected', code, message };
}
