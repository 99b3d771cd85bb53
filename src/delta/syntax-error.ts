/** Why a file cannot be read as Python: an interpreter or the parser refused it, or it would be another text than the one shown. */

import type { PyNode, PyRefusal, PySyntax } from '../domain/python-syntax.ts';

/** The first error of a parsed text, or null. The verdict of an interpreter, where one was asked, is the refusal. */
export function syntaxErrorIn({ text, root, hasErrors, refusal }: PySyntax): PyRefusal | null {
  return (
    refusal ??
    encodingError(text) ??
    nulIn(text) ??
    skippedText(root) ??
    (hasErrors ? { line: 1, message: 'invalid syntax' } : null)
  );
}

function skippedText(node: PyNode): PyRefusal | null {
  if (node.isError || node.isMissing) return { line: node.line, message: 'invalid syntax' };
  for (const child of node.children) {
    const error = skippedText(child);
    if (error !== null) return error;
  }
  return null;
}

function nulIn(text: string): PyRefusal | null {
  const at = text.indexOf('\0');
  const line = text.slice(0, at).split(/\r\n|\n|\r/).length;
  return at === -1 ? null : { line, message: 'source code cannot contain null bytes' };
}

const COOKIE = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
const BLANK = /^[ \t\f]*(?:#.*)?$/;
const UTF8 = /^utf[-_]?8(?:[-_]sig)?$|^u8$|^utf$|^cp65001$/i;
const ASCII = /^(?:us[-_]?)?ascii$|^646$|^ansi_x3\.4_1968$/i;
const LATIN =
  /^(?:iso[-_]?8859[-_]?1[05]?|latin[-_]?1|l1|latin[-_]?9|cp125\d|windows[-_]125\d|cp437|cp850|koi8[-_]r)$/i;

/** An encoding that is unknown, or under which this text would be another one (PEP 263), or null. */
function encodingError(text: string): PyRefusal | null {
  const hasMark = text.startsWith('\uFEFF');
  const [first = '', second = ''] = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, 2);
  const line = COOKIE.test(first) ? 1 : BLANK.test(first) && COOKIE.test(second) ? 2 : 0;
  const declared = COOKIE.exec(line === 1 ? first : second)?.[1];
  // As Python looks a codec up: any run of signs is one underscore.
  const name = declared
    ?.split(/[^A-Za-z0-9.]+/)
    .filter(Boolean)
    .join('_');
  if (line === 0 || name === undefined || UTF8.test(name)) return null;
  if (hasMark) return { line, message: `encoding problem: ${name} with BOM` };
  const isAscii = !/[^\0-\x7f]/.test(text);
  if (isAscii && (ASCII.test(name) || LATIN.test(name))) return null;
  return { line, message: `encoding ${name} is not read here; save the file as UTF-8` };
}
