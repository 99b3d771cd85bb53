/** Asks a Python interpreter whether it would compile a file: in a child that is bounded in every way and runs nothing of it. */

import { cutText } from '../domain/cut-text.ts';
import type { PyNode, PyRefusal, PySyntax } from '../domain/python-syntax.ts';
import { runProgram } from './process.ts';

/** Python compiles the longest file that is read in half a second; starting it on a busy machine takes a few. */
const PYTHON_COMPILE_TIMEOUT_MS = 15_000;
/** Of address space: the longest file takes a tenth of it. */
const PYTHON_COMPILE_MEMORY_BYTES_MAX = 1_000_000_000;
/** A version, a line and a message. */
const PYTHON_COMPILE_OUTPUT_BYTES_MAX = 20_000;

/** Found on the PATH where the job's own interpreter is not on this machine. */
const ANY_PYTHON = 'python3';
/** The minor version of Python 3 whose syntax the parser knows. */
const NEWEST_MINOR = 14;
const MESSAGE_CHARS_MAX = 200;

/** compile() alone: nothing is executed, and nothing of the file, of `site` or of a user's folder is imported. */
const ASK = `
import resource, sys, warnings
memory, seconds = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
warnings.simplefilter("ignore")
print(sys.version_info[1])
try:
    compile(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"), "file", "exec", 0, True)
except SyntaxError as error:
    print(max(1, error.lineno or 1), ascii(error.msg)[1:-1])
except (ValueError, MemoryError, RecursionError, OverflowError) as error:
    print(1, ascii(str(error))[1:-1] or "too complex")
`;

/** The minor version, and where and why it refuses. */
const ANSWER = /^(\d{1,3})\n(?:(\d{1,9}) (.*)\n)?$/;

/**
 * The text with the refusal of `interpreter`, or of any Python where that one is not here. Unchanged where it compiles,
 * and where nobody can say: there is no Python, it did not end well, or it is too old to know what the file uses.
 */
export async function judgedByPython(syntax: PySyntax, interpreter: string, path: string): Promise<PySyntax> {
  // What the parser would not look at is nothing for another one either.
  if (syntax.refusal !== null) return syntax;
  for (const program of new Set([interpreter, ANY_PYTHON])) {
    const bounds = [PYTHON_COMPILE_MEMORY_BYTES_MAX, PYTHON_COMPILE_TIMEOUT_MS / 1_000];
    const ended = await runProgram(program, ['-I', '-S', '-c', ASK, ...bounds.map(String)], {
      env: { PATH: path },
      cwd: '/',
      // A mark at the start belongs to the encoding and not to the text.
      input: syntax.text.replace(/^\uFEFF/, ''),
      timeoutMs: PYTHON_COMPILE_TIMEOUT_MS,
      outputBytesMax: PYTHON_COMPILE_OUTPUT_BYTES_MAX,
    });
    if (ended.kind === 'not-started') continue;
    return ended.ok ? { ...syntax, refusal: refusalIn(ended.stdout, syntax) } : syntax;
  }
  return syntax;
}

function refusalIn(stdout: string, { root, text }: PySyntax): PyRefusal | null {
  const [, minor, line, message] = ANSWER.exec(stdout) ?? [];
  if (line === undefined || message === undefined) return null;
  const isTooOld = Number(minor) < NEWEST_MINOR && Number(minor) < neededMinor(root, text);
  return isTooOld ? null : { line: Number(line), message: cutText(message, MESSAGE_CHARS_MAX) };
}

/** Since which minor version of Python 3 a construct is one; an older interpreter calls it invalid. */
const SINCE: ReadonlyMap<string, number> = new Map([
  ['match_statement', 10],
  ['type_parameter', 12],
  ['type_alias_statement', 12],
  ['type_default', 13],
]);

/** The oldest minor version that surely knows all the syntax of a tree. */
function neededMinor(node: PyNode, text: string): number {
  const source = text.slice(node.start, node.end);
  let needed = SINCE.get(node.kind) ?? 0;
  // `except A, B:`
  if (node.kind === 'except_clause' && node.children.some(({ kind }) => kind === ',')) needed = NEWEST_MINOR;
  else if (node.kind === 'except_clause' && /^except[ \t]*\*/.test(source)) needed = 11;
  else if (node.kind === 'string_start' && /t/i.test(source)) needed = NEWEST_MINOR;
  // Before PEP 701 no quote, backslash, comment or line break could stand in the braces of a string.
  else if (node.kind === 'interpolation' && /['"\\#\r\n]/.test(source)) needed = 12;
  return node.children.reduce((most, child) => Math.max(most, neededMinor(child, text)), needed);
}
