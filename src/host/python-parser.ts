/** Parses Python with tree-sitter (WebAssembly) into our own immutable tree. */

import { Language, Parser } from 'web-tree-sitter';
import { limits } from '../domain/limits.ts';
import type { PyNode, PyRefusal, PySyntax, PythonParser } from '../domain/python-syntax.ts';
import { convertTree } from './python-tree.ts';
import { eraseTypeDefaults, graftTypeDefaults } from './python-type-defaults.ts';
import { loadWasm as loadInstalledWasm, type PythonWasm } from './python-wasm.ts';

/** Gives the bytes of a WebAssembly file. */
export type LoadWasm = (name: PythonWasm) => Promise<Uint8Array>;

/**
 * Loads runtime and grammar once and gives a parser for Python 3.14. Rejects when the bytes cannot be
 * had or are not what this library version reads: that is a broken build, not a fact about a file.
 */
export async function createPythonParser(loadWasm: LoadWasm = loadInstalledWasm): Promise<PythonParser> {
  const [runtime, grammar] = await Promise.all([loadWasm('runtime'), loadWasm('grammar')]);
  await Parser.init({ wasmBinary: exactBuffer(runtime) });
  const language = await Language.load(grammar);
  const parser = new Parser().setLanguage(language);
  return { parse: (text) => parse(parser, language, text) };
}

function parse(parser: Parser, language: Language, text: string): PySyntax {
  if (text.length > limits.pythonFileCharsMax)
    return refused(text, { line: 1, message: `file is longer than ${limits.pythonFileCharsMax} characters` });
  const direct = parseOnce(parser, language, text);
  if (!direct.hasError || direct.refusal !== null) return direct.syntax;
  // The grammar does not know PEP 696 yet; where a file uses it, the rest is read without these defaults.
  const { erased, ranges } = eraseTypeDefaults(text);
  if (ranges.length === 0) return direct.syntax;
  const repaired = parseOnce(parser, language, erased);
  if (repaired.hasError || repaired.refusal !== null) return direct.syntax;
  return { text, root: graftTypeDefaults(repaired.syntax.root, ranges, text), refusal: null };
}

type Parsed = { readonly syntax: PySyntax; readonly hasError: boolean; readonly refusal: PyRefusal | null };

function parseOnce(parser: Parser, language: Language, text: string): Parsed {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('tree-sitter gave no tree although it has a language');
  try {
    const converted = convertTree(tree, language, text);
    return converted.kind === 'tree'
      ? {
          syntax: { text, root: converted.root, refusal: null },
          hasError: tree.rootNode.hasError,
          refusal: null,
        }
      : { syntax: refused(text, converted.refusal), hasError: true, refusal: converted.refusal };
  } finally {
    tree.delete();
  }
}

function refused(text: string, refusal: PyRefusal): PySyntax {
  const root: PyNode = {
    kind: 'module',
    field: null,
    start: 0,
    end: text.length,
    line: 1,
    column: 1,
    children: [],
    isNamed: true,
    isError: false,
    isMissing: false,
  };
  return { text, root, refusal };
}

// A Node Buffer may be a window into a larger pool; the runtime wants memory of its own.
function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}
