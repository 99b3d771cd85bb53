/** What is wrong with the text itself before anybody parses it: its length, its encoding, characters that nobody sees. */

import type { LineCounter } from 'yaml';
import { limits } from '../domain/limits.ts';
import type { ConfigProblem, ProblemCode } from '../settings/problem.ts';

import { placeAt } from './yaml-place.ts';

const BYTE_ORDER_MARK = '\uFEFF';
/** What decoders put where bytes were no UTF-8; nobody writes it into a config. */
const REPLACEMENT = '\uFFFD';
// Control characters that are no whitespace, and the marks that turn text around or hide in it.
const HIDDEN = /(?![\t\n\r\u0085])\p{Cc}|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;

/** The text without its byte-order mark, and whether it had one. */
export function withoutMark(text: string): { readonly text: string; readonly hadMark: boolean } {
  return text.startsWith(BYTE_ORDER_MARK) ? { text: text.slice(1), hadMark: true } : { text, hadMark: false };
}

/** Problems that make parsing pointless: the first of each kind, since a wrong encoding is wrong everywhere. */
export function textProblems(text: string, lines: LineCounter): readonly ConfigProblem[] {
  if (text.length > limits.configCharactersMax)
    return [
      problem('too-long', `longer than ${limits.configCharactersMax} characters`, { line: 1, column: 1 }),
    ];
  const undecoded = text.indexOf(REPLACEMENT);
  if (undecoded >= 0) {
    const what = text.includes('\0') ? 'this looks like UTF-16' : 'these bytes are no UTF-8';
    return [problem('not-utf8', `${what}: save the file as UTF-8`, placeAt(lines, undecoded))];
  }
  const hidden = HIDDEN.exec(text);
  return hidden === null
    ? []
    : [
        problem(
          'control-character',
          `an invisible character, ${codePointOf(hidden[0])}: take it out`,
          placeAt(lines, hidden.index),
        ),
      ];
}

/** A warning for a file that begins with a byte-order mark: other readers stumble over it. */
export function markWarning(): ConfigProblem {
  return {
    ...problem('byte-order-mark', 'the file begins with a byte-order mark: save it without', {
      line: 1,
      column: 1,
    }),
    severity: 'warning',
  };
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function problem(
  code: ProblemCode,
  message: string,
  place: { readonly line: number; readonly column: number },
): ConfigProblem {
  return { severity: 'error', code, path: '', ...place, message };
}
