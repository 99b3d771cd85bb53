/** `ferrybot check-config [file]`: every problem of a config with line and column. */

import { branded, isInstant } from '../../../domain/ids.ts';
import { readLabConfig } from '../../config-source.ts';
import { readArgument } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 if the config is valid, with or without warnings. */
export async function checkConfigVerb(io: VerbIo, file: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, text.error);
  const reading = readLabConfig(text.value, branded(Date.now(), isInstant));
  const problems = reading.kind === 'valid' ? reading.warnings : reading.problems;
  const lines = problems.map(
    (p) =>
      `${file}:${p.line}:${p.column}: ${p.severity}: ${p.path === '' ? '' : `${p.path}: `}${p.message}\n`,
  );
  const isValid = reading.kind === 'valid';
  answer(io, { ok: isValid, problems }, `${lines.join('')}${isValid ? `${file} is valid\n` : ''}`);
  return isValid ? EXIT.yes : EXIT.no;
}
