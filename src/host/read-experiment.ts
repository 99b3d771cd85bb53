/** Parses experiment files with CPython in a child process, without executing them. */

import { z } from 'zod';
import type { Entry, ReadExperiment, Reading } from '../domain/experiment.ts';
import { jsonIn } from '../domain/json.ts';
import { cutText } from '../domain/text.ts';
import { sha256Hex } from './hash.ts';
import { createKept } from './kept.ts';
import { scriptText } from './python/script.ts';
import { runPython } from './python-child.ts';

/** Enough for a server that reads several proposals. */
const REMEMBERED_MAX = 100;
const MESSAGE_CHARS_MAX = 200;

const offset = z.int().nonnegative();
const value = {
  text: z.string(),
  same: z.string().min(1),
  start: offset,
  end: offset,
  line: z.int().positive(),
  isString: z.literal(true).optional(),
  names: z.array(z.string()).optional(),
  container: z.string().optional(),
};
const entry: z.ZodType<Entry> = z.strictObject({
  ...value,
  key: z.string(),
  segment: z.string(),
  knob: z.string().optional(),
  get entries(): z.ZodOptional<z.ZodArray<z.ZodType<Entry>>> {
    return z.array(entry).optional();
  },
});
const answer = z.union([
  z.strictObject({
    kind: z.literal('read'),
    settings: z.array(
      z.strictObject({
        ...value,
        entries: z.array(entry).optional(),
        place: offset,
        key: z.string(),
        side: offset.optional(),
        path: z.string(),
        knob: z.string(),
      }),
    ),
    places: z.array(z.int().positive()),
    code: z.array(
      z.strictObject({
        line: z.int().positive(),
        start: offset,
        end: offset,
        same: z.string().min(1),
        imports: z.strictObject({ name: z.string(), text: z.string() }).optional(),
      }),
    ),
    names: z.array(z.string()),
  }),
  z.strictObject({ kind: z.literal('unparsable'), line: z.int().positive(), message: z.string() }),
]);

/** A caching reader. `path`: the PATH for interpreters. */
export function createExperimentReader(path: string): ReadExperiment {
  const remembered = createKept<Promise<Reading>>(REMEMBERED_MAX);
  return (source, python) => {
    const bytes = typeof source === 'string' ? Buffer.from(source, 'utf8') : source;
    const key = `${sha256Hex(bytes)} ${python}`;
    return remembered.get(key, async () => {
      const { reading, isFinal } = await readOnce(bytes, python, path);
      if (!isFinal) remembered.delete(key);
      return reading;
    });
  };
}

/** `isFinal`: the result depends only on the file, so it may be cached. */
async function readOnce(
  bytes: Uint8Array,
  interpreter: string,
  path: string,
): Promise<{ readonly reading: Reading; readonly isFinal: boolean }> {
  const script = scriptText('read_experiment.py');
  const outcome = await runPython({ interpreter, script, input: bytes, path });
  if (!outcome.ok) return { reading: unparsable(1, outcome.reason), isFinal: !outcome.isTransient };
  const reading = parseReading(outcome.stdout, bytes);
  return reading === null
    ? { reading: unparsable(1, `${interpreter} gave no answer that ferrybot understands`), isFinal: false }
    : { reading, isFinal: true };
}

/** Null if the output does not match the schema. */
export function parseReading(stdout: string, bytes: Uint8Array): Reading | null {
  const parsed = answer.safeParse(jsonIn(stdout));
  if (!parsed.success) return null;
  const { data } = parsed;
  return data.kind === 'unparsable'
    ? unparsable(data.line, data.message)
    : { ...data, text: Buffer.from(bytes).toString('utf8') };
}

function unparsable(line: number, message: string): Reading {
  return { kind: 'unparsable', line, message: cutText(message, MESSAGE_CHARS_MAX) };
}
