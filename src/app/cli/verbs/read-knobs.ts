/** `ferrybot read-knobs FILE.py`: the knobs of an experiment file, spelled as `/propose` takes them. */

import { readKnobs } from '../../../delta/read-knobs.ts';
import { createExperimentReader } from '../../../host/read-experiment.ts';
import { spelledPath } from '../../../kinds/ferry/ask/asked-change.ts';
import { readArgumentBytes } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

/** Exit 0 with the knobs, 1 if the file cannot be parsed. */
export async function readKnobsVerb(io: VerbIo, file: string): Promise<number> {
  const bytes = await readArgumentBytes(io, file);
  if (!bytes.ok) return misused(io, bytes.error);
  const reading = await createExperimentReader(io.environment['PATH'] ?? '')(bytes.value, 'python3');
  if (reading.kind === 'unparsable') {
    answer(io, reading, `line ${reading.line}: ${reading.message}\n`);
    return EXIT.no;
  }
  const knobs = readKnobs(reading).map(({ path, knob, value, bucket, line }) => ({
    ...{ knob, path, value, bucket, line },
    spelled: spelledPath(path),
  }));
  const lines = knobs.map(({ line, spelled, value }) => `line ${line}: ${spelled}=${value}\n`);
  answer(io, { kind: 'knobs', knobs }, lines.join(''));
  return EXIT.yes;
}
