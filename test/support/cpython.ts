/** A real CPython 3.14 (Pyodide, WebAssembly), asked what compile() says: the judge of what parses. */

import { loadPyodide } from 'pyodide';
import { z } from 'zod';

const ANSWER = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), line: z.number().nullable(), message: z.string() }),
]);
export type CompileAnswer = z.infer<typeof ANSWER>;

const ASK = `
import json, warnings
warnings.simplefilter("ignore")
def ask(source):
    try:
        compile(source.encode("utf-8", "surrogatepass"), "f.py", "exec", dont_inherit=True)
        return json.dumps({"ok": True})
    except SyntaxError as e:
        return json.dumps({"ok": False, "line": e.lineno, "message": str(e.msg)})
    except (ValueError, MemoryError, RecursionError, OverflowError) as e:
        return json.dumps({"ok": False, "line": None, "message": repr(e)})
ask
`;

/** compile() of CPython 3.14 as a function: bytes as a file has them, warnings ignored. */
export async function createCompile(): Promise<(source: string) => CompileAnswer> {
  const python = await loadPyodide();
  const ask = z
    .custom<(source: string) => unknown>((value) => typeof value === 'function')
    .parse(python.runPython(ASK));
  return (source) => ANSWER.parse(JSON.parse(z.string().parse(ask(source))));
}
