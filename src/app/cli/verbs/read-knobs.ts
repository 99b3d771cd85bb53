/** `ferrybot read-knobs FILE.py`: the knobs of an experiment file, as `/propose` takes them. */

import { createPythonParser } from '../../../host/python-parser.ts';
import { spelledPath } from '../../../kinds/ferry/ask/resolve-knob.ts';
import { configDelta } from '../../../kinds/ferry/delta/config-delta.ts';
import { readKnobs } from '../../../kinds/ferry/delta/read-knobs.ts';
import { readArgument } from '../read-argument.ts';
import { EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 with the knobs, 1 for a file that does not parse. */
export async function readKnobsVerb(args: readonly string[], io: VerbIo): Promise<number> {
  const wantsJson = args.includes('--json');
  const [file, ...more] = args.filter((arg) => arg !== '--json');
  if (file === undefined || more.length > 0) return misused(io, wantsJson, 'read-knobs takes one file');
  if (file.startsWith('-')) return misused(io, wantsJson, `read-knobs does not know ${file}`);
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, wantsJson, text.error);
  const syntax = (await createPythonParser()).parse(text.value);
  const own = configDelta(syntax, syntax);
  if (own.kind === 'unparsable') {
    const { kind, line, message } = own;
    io.stdout.write(
      wantsJson ? `${JSON.stringify({ kind, line, message })}\n` : `line ${line}: ${message}\n`,
    );
    return EXIT.no;
  }
  const knobs = readKnobs(syntax).map(({ path, knob, value, bucket, line }) => ({
    ...{ knob, path, value, bucket, line },
    spelled: spelledPath(path),
  }));
  if (wantsJson) io.stdout.write(`${JSON.stringify({ kind: 'knobs', knobs })}\n`);
  else for (const { line, spelled, value } of knobs) io.stdout.write(`line ${line}: ${spelled}=${value}\n`);
  return EXIT.yes;
}
