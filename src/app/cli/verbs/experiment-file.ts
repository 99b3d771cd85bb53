/** `ferrybot delta base.py head.py`: the config delta of two files. */

import { configDelta, readKnobs } from '../../../delta/config-delta.ts';
import type { Reading } from '../../../domain/experiment.ts';
import type { Delta } from '../../../domain/launch/change-facts.ts';
import { createExperimentReader } from '../../../host/python-child.ts';
import { spelledPath } from '../../../kinds/ferry/asked.ts';
import { answer, EXIT, misused, readArgumentBytes, type VerbIo } from '../verb-io.ts';

/** Exit 0 for `none` and `knobs`, 1 for `structural` and `unparsable`. */
export async function deltaVerb(io: VerbIo, base: string, head: string): Promise<number> {
  const read = createExperimentReader(io.environment['PATH'] ?? '');
  const readings: Reading[] = [];
  for (const file of [base, head]) {
    const bytes = await readArgumentBytes(io, file);
    if (!bytes.ok) return misused(io, bytes.error);
    readings.push(await read(bytes.value, 'python3'));
  }
  const [left = NOTHING, right = NOTHING] = readings;
  const delta = configDelta(left, right);
  answer(io, delta, words(delta));
  return delta.kind === 'none' || delta.kind === 'knobs' ? EXIT.yes : EXIT.no;
}

const NOTHING: Reading = { kind: 'unparsable', line: 1, message: 'there is no file' };

function words(delta: Delta): string {
  if (delta.kind === 'none') return 'no change of the configuration\n';
  if (delta.kind === 'knobs')
    return delta.changes
      .map(
        (c) =>
          `line ${c.line}: ${c.path}: ${c.before ?? '(absent)'} -> ${c.after ?? '(absent)'}${c.bucket === null ? '' : ` [${c.bucket}]`}\n`,
      )
      .join('');
  return `${delta.kind}: ${delta.side}, line ${delta.line}: ${delta.kind === 'structural' ? delta.statement : delta.message}\n`;
}

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
