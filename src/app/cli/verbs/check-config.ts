/** `ferrybot check-config [file]`: every problem of a config with its line and column. */

import { readConfig } from '../../../config/read-config.ts';
import { branded, isInstant } from '../../../domain/ids.ts';
import { readArgument } from '../read-argument.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 if the config is valid; warnings do not change that. */
export async function checkConfigVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const files = args.filter((arg) => arg !== '--json');
  const option = files.find((arg) => arg.startsWith('-'));
  if (option !== undefined) return misused(io, wantsJson, `check-config does not know ${option}`);
  if (files.length > 1) return misused(io, wantsJson, 'check-config takes one file');
  const file = files[0] ?? '.github/ferrybot.yml';
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, wantsJson, text.error);
  const reading = readConfig(text.value, branded(Date.now(), isInstant));
  const problems = reading.kind === 'valid' ? reading.warnings : reading.problems;
  if (wantsJson) io.stdout.write(`${JSON.stringify({ ok: reading.kind === 'valid', problems })}\n`);
  else {
    for (const p of problems)
      io.stdout.write(
        `${file}:${p.line}:${p.column}: ${p.severity}: ${p.path === '' ? '' : `${p.path}: `}${p.message}\n`,
      );
    if (reading.kind === 'valid') io.stdout.write(`${file} is valid\n`);
  }
  return reading.kind === 'valid' ? EXIT.yes : EXIT.no;
}
