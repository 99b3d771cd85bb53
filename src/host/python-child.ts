/** Runs our Python scripts on untrusted input in an isolated, bounded child process, and reads experiment files in Python with them. */

import { z } from 'zod';
import type { FileReading, ValueEntry } from '../domain/launch/change-facts.ts';
import { cutText, known, type Observed, parseJson, unknown } from '../domain/values.ts';
import { sha256Hex } from './keys.ts';
import { createKept } from './memory.ts';
import { type ProgramResult, runProgram } from './process.ts';
import { scriptText } from './python/script.ts';

/** Address space: three times what CPython needs for the longest accepted file. */
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;
/** CPU time; the kernel's signal may come a second later. */
const CPU_SECONDS_MAX = 4;
/** Wall time: starting an interpreter on a busy machine can take seconds. */
const WALL_MS_MAX = 30_000;
/** More than any script prints about an accepted file. */
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;
const REASON_CHARS_MAX = 200;

/** The oldest supported Python version. */
export const PYTHON_OLDEST = '3.11';

/** Sets the limits, then runs the script. macOS has no limit on address space; the CPU limit still applies. */
const START = `
import sys
memory, seconds, script = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if sys.version_info < (${PYTHON_OLDEST.replace('.', ', ')}):
    sys.exit("Python ${PYTHON_OLDEST} or newer is needed, and this is %d.%d" % sys.version_info[:2])
import resource
try:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
except (ValueError, OSError):
    if sys.platform != "darwin":
        raise
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
del sys.argv[1:4]
exec(compile(script, "ferrybot", "exec"), {"__name__": "__main__"})
`;

export type PythonScript = {
  /** The Python program: a path, or a name to find on `path`. */
  readonly interpreter: string;
  /** Source text, for the standard library of Python 3.11 and newer. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Written to the script's stdin. */
  readonly input: Uint8Array | string;
  /** The PATH on which the interpreter is found; the child sees no other variable. */
  readonly path: string;
};

/** The script's output, or a reason for the failure that names what a person can do. */
export type PythonOutcome =
  | { readonly ok: true; readonly stdout: string }
  | {
      readonly ok: false;
      readonly reason: string;
      /** The cause is this machine's current state, not the input. A later retry may succeed. */
      readonly isTransient: boolean;
    };

/**
 * Runs `script` with `python -I -S`: no user folder, no `PYTHON*` variable, no `site`. Memory, CPU time, wall time and
 * output are bounded. Never throws for the child's behaviour: a limit, a signal or a non-zero exit gives `ok: false`.
 */
export async function runPythonScript({
  interpreter,
  script,
  args = [],
  input,
  path,
}: PythonScript): Promise<PythonOutcome> {
  const bounds = [MEMORY_BYTES_MAX, CPU_SECONDS_MAX].map(String);
  const ended = await runProgram(interpreter, ['-I', '-S', '-c', START, ...bounds, script, ...args], {
    env: { PATH: path },
    cwd: '/',
    input,
    timeoutMs: WALL_MS_MAX,
    outputBytesMax: OUTPUT_BYTES_MAX,
  });
  if (ended.ok) return { ok: true, stdout: ended.stdout };
  const isTransient = ended.kind === 'not-started' || ended.kind === 'timed-out' || ended.signal === 'SIGKILL';
  return { ok: false, reason: describeFailure(ended, interpreter), isTransient };
}

/** The minor version of an interpreter, such as `3.11`. Unknown if the interpreter is missing or too old. */
export async function readPythonVersion(interpreter: string, path: string): Promise<Observed<string>> {
  const script = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const outcome = await runPythonScript({ interpreter, script, input: '', path });
  return outcome.ok ? known(outcome.stdout.trim()) : unknown(outcome.reason);
}

function describeFailure({ kind, signal, exitCode, code, stderr }: ProgramResult, interpreter: string): string {
  switch (kind) {
    case 'not-started':
      return code === 'ENOENT'
        ? `there is no ${interpreter} on this machine: install Python ${PYTHON_OLDEST} or newer`
        : `${interpreter} could not be started (${code ?? 'unknown error'}): check the Python installation`;
    case 'timed-out':
      return `${interpreter} gave no answer within ${WALL_MS_MAX / 1_000} seconds`;
    case 'output-limit':
      return 'the file has more settings than ferrybot reads';
    case 'signalled':
      return signal === 'SIGXCPU' || signal === 'SIGKILL'
        ? `the file takes more than ${CPU_SECONDS_MAX} seconds to read`
        : `${interpreter} was ended by ${signal ?? 'a signal'}`;
    case 'cancelled':
      return `${interpreter} was cancelled`;
    case 'exited': {
      const [last = ''] = stderr.trimEnd().split('\n').slice(-1);
      return cutText(`${interpreter} failed (exit ${exitCode ?? '?'}): ${last}`, REASON_CHARS_MAX);
    }
  }
}

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
const entry: z.ZodType<ValueEntry> = z.strictObject({
  ...value,
  key: z.string(),
  segment: z.string(),
  knob: z.string().optional(),
  get entries(): z.ZodOptional<z.ZodArray<z.ZodType<ValueEntry>>> {
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
    containerLines: z.array(z.int().positive()),
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

/** A caching reader of Python. `path`: the PATH for interpreters. */
export function createPythonReader(
  path: string,
): (source: string | Uint8Array, python: string) => Promise<FileReading> {
  const remembered = createKept<Promise<FileReading>>(REMEMBERED_MAX);
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
): Promise<{ readonly reading: FileReading; readonly isFinal: boolean }> {
  const script = scriptText('read_experiment.py');
  const outcome = await runPythonScript({ interpreter, script, input: bytes, path });
  if (!outcome.ok) return { reading: unparsableReading(1, outcome.reason), isFinal: !outcome.isTransient };
  const reading = parseReading(outcome.stdout, bytes);
  return reading === null
    ? { reading: unparsableReading(1, `${interpreter} gave no answer that ferrybot understands`), isFinal: false }
    : { reading, isFinal: true };
}

/** Null if the output does not match the schema. */
export function parseReading(stdout: string, bytes: Uint8Array): FileReading | null {
  const parsed = answer.safeParse(parseJson(stdout));
  if (!parsed.success) return null;
  const { data } = parsed;
  return data.kind === 'unparsable'
    ? unparsableReading(data.line, data.message)
    : { ...data, text: Buffer.from(bytes).toString('utf8') };
}

function unparsableReading(line: number, message: string): FileReading {
  return { kind: 'unparsable', line, message: cutText(message, MESSAGE_CHARS_MAX) };
}
