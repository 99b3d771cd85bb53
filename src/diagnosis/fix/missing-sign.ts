/** A comma or a colon that the interpreter misses in a line: put where the file can be read with it, if that is one place. */

import type { PyNode, PythonParser } from '../../domain/python-syntax.ts';
import { type Edit, edited } from './fix-file.ts';
import { type NoFix, none } from './no-fix.ts';

/** The one edit, or why there is none. */
export function signEdits(
  sign: 'comma' | 'colon',
  text: string,
  line: number,
  parser: PythonParser,
): readonly Edit[] | NoFix {
  const before = text.split('\n').slice(0, line - 1);
  const begin = before.reduce((length, one) => length + one.length + 1, 0);
  const shown = text.slice(begin).split('\n', 1)[0] ?? '';
  if (!parser.parse(text).hasErrors || shown.length > LINE_CHARS_MAX) return none('tree-unlike');
  const places = (sign === 'comma' ? commaPlaces(shown) : [codeEnd(shown)]).slice(0, PLACES_TRIED_MAX + 1);
  if (places.length > PLACES_TRIED_MAX) return none('several-candidates');
  const right = places
    .map((place) => ({ start: begin + place, end: begin + place, text: sign === 'comma' ? ',' : ':' }))
    .filter((edit) => mends(edit, sign, text, parser));
  if (right.length > 1) return none('several-candidates');
  return right.length === 0 ? none('no-candidate') : right;
}

function mends(edit: Edit, sign: 'comma' | 'colon', text: string, parser: PythonParser): boolean {
  const { root, hasErrors, refusal } = parser.parse(edited(text, [edit]));
  if (hasErrors || refusal !== null) return false;
  return sign === 'colon' || isBracketed(root, edit.start);
}

/** Outside of brackets a comma makes a tuple, which is not what the interpreter speaks of. */
function isBracketed(node: PyNode, place: number): boolean {
  const child = node.children.find(({ start, end }) => start <= place && place < end);
  if (child === undefined) return false;
  return child.kind === ',' && child.start === place ? BRACKETED.has(node.kind) : isBracketed(child, place);
}

const BRACKETED: ReadonlySet<string> = new Set([
  'argument_list',
  'dictionary',
  'import_from_statement',
  'list',
  'parameters',
  'set',
  'subscript',
  'tuple',
]);

/** Behind what may end a value, where another may begin, in this line or in the next. */
function commaPlaces(line: string): readonly number[] {
  const between = [...line.matchAll(/[\w)\]}'"](?=\s+[\w([{'"])/g)].map(({ index }) => index + 1);
  const end = codeEnd(line);
  return /[\w)\]}'"]/.test(line[end - 1] ?? '') ? [...between, end] : between;
}

/** Where the code of the line ends, before a remark. */
function codeEnd(line: string): number {
  const remark = /(?:^|\s)#/.exec(line)?.index ?? line.length;
  return line.slice(0, remark).trimEnd().length;
}

/** Each is a reading of the whole file. */
const PLACES_TRIED_MAX = 24;
const LINE_CHARS_MAX = 400;
