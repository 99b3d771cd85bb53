/**
 * Where the parser's two WebAssembly files come from. The bundle replaces this one module by another
 * that unpacks embedded bytes (an esbuild plugin), so nothing else may know about files.
 */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The runtime of tree-sitter, and the grammar of Python. */
export type PythonWasm = 'runtime' | 'grammar';

const MODULES: Readonly<Record<PythonWasm, string>> = {
  runtime: 'web-tree-sitter/web-tree-sitter.wasm',
  grammar: 'tree-sitter-python/tree-sitter-python.wasm',
};

/** The bytes of one file, from the installed packages. */
export async function loadWasm(name: PythonWasm): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve(MODULES[name]));
}
