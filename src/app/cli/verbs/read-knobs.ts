/** `ferrybot read-knobs FILE.py`: the knobs of an experiment file, as `/propose` takes them. */

import { configDelta } from '../../../delta/config-delta.ts';
import { readKnobs } from '../../../delta/read-knobs.ts';
import { judgedByPython } from '../../../host/python-compile.ts';
import { createPythonParser } from '../../../host/python-parser.ts';
import { spelledPath } from '../../../kinds/ferry/ask/resolve-knob.ts';
import { readArgument } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 with the knobs, 1 for a file that does not parse. */
export async function readKnobsVerb(io: VerbIo, file: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return misused(io, text.error);
  const parsed = (await createPythonParser()).parse(text.value);
  const syntax = await judgedByPython(parsed, 'python3', io.environment['PATH'] ?? '');
  const own = configDelta(syntax, syntax);
  if (own.kind === 'unparsable') {
    const { kind, line, message } = own;
    answer(io, { kind, line, message }, `line ${line}: ${message}\n`);
    return EXIT.no;
  }
  const knobs = readKnobs(syntax).map(({ path, knob, value, bucket, line }) => ({
    ...{ knob, path, value, bucket, line },
    spelled: spelledPath(path),
  }));
  const lines = knobs.map(({ line, spelled, value }) => `line ${line}: ${spelled}=${value}\n`);
  answer(io, { kind: 'knobs', knobs }, lines.join(''));
  return EXIT.yes;
}
