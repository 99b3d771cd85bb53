/** The text of a Python file from its bytes: UTF-8 and nothing else, as CPython reads a file without a declared encoding. */

/** `line`, from 1, is the first one that is no UTF-8. */
export type PythonText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly line: number };

const LINE_FEED = 0x0a;

/** Decodes without replacing anything, so that two files with different bytes never read the same. A mark at the start stays. */
export function decodePython(bytes: Uint8Array): PythonText {
  const text = decoded(bytes);
  if (text !== null) return { ok: true, text };
  let line = 1;
  let from = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end === -1 || decoded(bytes.subarray(from, end)) === null) return { ok: false, line };
    from = end + 1;
    line += 1;
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    // What `fatal` throws for bytes that are no UTF-8 (Encoding Standard); anything else is a bug.
    if (error instanceof TypeError) return null;
    throw error;
  }
}
