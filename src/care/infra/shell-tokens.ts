/** The words and signs of a shell text, as far as a small honest reader goes: what it does not know it says, and reads no further. */

/** `quoted`: some part of the word was quoted, so that it is no keyword. Lines count from 0 within the text. */
export type ShellToken =
  | { readonly kind: 'word'; readonly text: string; readonly quoted: boolean; readonly line: number }
  | { readonly kind: 'sign'; readonly text: string; readonly line: number };

export type ShellTokens =
  | { readonly kind: 'read'; readonly tokens: readonly ShellToken[] }
  | { readonly kind: 'not-understood'; readonly what: string; readonly line: number };

const SIGNS = ['&&', '||', ';;', '<<', '>>', '>&', '<', '>', ';', '|', '&', '(', ')', '\n'] as const;
const STRANGE: readonly (readonly [sign: string, what: string])[] = [
  ['`', 'a command in a word'],
  ['$(', 'a command in a word'],
  ['<<', 'a here-document'],
  [';;', 'a case'],
];

/** Splits a text of a POSIX shell into words and signs. Variables stay as they are written. */
export function shellTokens(text: string): ShellTokens {
  const tokens: ShellToken[] = [];
  let line = 0;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const blank = /^(?:[ \t\r]|\\\n|#[^\n]*)+/.exec(rest)?.[0] ?? '';
    if (
      blank !== '' &&
      !(
        blank.startsWith('#') &&
        tokens.length > 0 &&
        text[at - 1] !== undefined &&
        !/\s|[;&|(]/.test(text[at - 1] ?? '')
      )
    ) {
      line += blank.split('\n').length - 1;
      at += blank.length;
      continue;
    }
    const strange = STRANGE.find(([sign]) => rest.startsWith(sign));
    if (strange !== undefined) return { kind: 'not-understood', what: strange[1], line };
    const sign = SIGNS.find((one) => rest.startsWith(one));
    if (sign !== undefined) {
      tokens.push({ kind: 'sign', text: sign, line });
      line += sign === '\n' ? 1 : 0;
      at += sign.length;
      continue;
    }
    const word = wordAt(rest);
    if (word.kind === 'not-understood') return { ...word, line };
    tokens.push({ kind: 'word', text: word.text, quoted: word.quoted, line });
    line += rest.slice(0, word.length).split('\n').length - 1;
    at += word.length;
  }
  return { kind: 'read', tokens };
}

type Word =
  | { readonly kind: 'word'; readonly text: string; readonly quoted: boolean; readonly length: number }
  | { readonly kind: 'not-understood'; readonly what: string };

function wordAt(rest: string): Word {
  let text = '';
  let quoted = false;
  let at = 0;
  while (at < rest.length) {
    const part =
      /^(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\$\{[^}'"`]*\})|([^\s;&|()<>'"\\`]+))/.exec(
        rest.slice(at),
      );
    if (part === null) break;
    const [whole, single, double, escaped, variable, plain] = part;
    const value = single ?? double ?? escaped ?? variable ?? plain ?? '';
    if (single === undefined && /`|\$\(/.test(value))
      return { kind: 'not-understood', what: 'a command in a word' };
    quoted ||= single !== undefined || double !== undefined;
    text += value;
    at += whole.length;
  }
  return at === 0
    ? { kind: 'not-understood', what: 'a quote that does not end' }
    : { kind: 'word', text, quoted, length: at };
}
