/** The words and signs of a shell text, as far as a small honest reader goes: what it does not know it says, and reads no further. */

/** `quoted`: some part of the word was quoted, so that it is no keyword. Lines count from 0 within the text. */
export type ShellToken =
  | { readonly kind: 'word'; readonly text: string; readonly quoted: boolean; readonly line: number }
  | { readonly kind: 'sign'; readonly text: string; readonly line: number };

export type ShellTokens =
  | { readonly kind: 'read'; readonly tokens: readonly ShellToken[] }
  | { readonly kind: 'not-understood'; readonly what: string; readonly line: number };

const SIGNS = ['&&', '||', ';;', '>>', '>&', '<', '>', ';', '|', '&', '(', ')', '\n'] as const;
/** A here-document, whose lines come after the next line break. `<<<` is a word that is read. */
const HERE = /^<<-?[ \t]*(['"]?)([A-Za-z_]\w*)\1/;

/**
 * Splits a text of a POSIX shell into words and signs. Variables stay as they are written, and so does a command in a word
 * that only looks. `line`: the number of the first line.
 */
export function shellTokens(text: string, firstLine = 0): ShellTokens {
  const tokens: ShellToken[] = [];
  const waiting: string[] = [];
  let line = firstLine;
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
    if (rest.startsWith(';;')) return { kind: 'not-understood', what: 'a case', line };
    if (rest.startsWith('<<') && !rest.startsWith('<<<')) {
      const here = HERE.exec(rest);
      if (here === null) return { kind: 'not-understood', what: 'a here-document', line };
      waiting.push(here[2] ?? '');
      tokens.push(
        { kind: 'sign', text: '<<', line },
        { kind: 'word', text: here[2] ?? '', quoted: true, line },
      );
      at += here[0].length;
      continue;
    }
    const sign = rest.startsWith('<<<') ? '<' : SIGNS.find((one) => rest.startsWith(one));
    if (sign !== undefined) {
      tokens.push({ kind: 'sign', text: sign, line });
      line += sign === '\n' ? 1 : 0;
      at += rest.startsWith('<<<') ? 3 : sign.length;
      for (let end = sign === '\n' ? waiting.shift() : undefined; end !== undefined; end = waiting.shift()) {
        const body = new RegExp(`^(?:.*\\n)*?[ \\t]*${end}[ \\t]*(?=\\n|$)`).exec(text.slice(at));
        if (body === null) return { kind: 'not-understood', what: 'a here-document', line };
        at += body[0].length;
        line += body[0].split('\n').length - 1;
      }
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
    const looking = substitution(rest.slice(at));
    if (looking !== null) {
      if (!looking.isHarmless) return { kind: 'not-understood', what: 'a command in a word' };
      text += rest.slice(at, at + looking.length);
      at += looking.length;
      continue;
    }
    const part =
      /^(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\$\{[^}'"`]*\})|((?:[^\s;&|()<>'"\\`$]|\$(?!\())+))/.exec(
        rest.slice(at),
      );
    if (part === null) break;
    const [whole, single, double, escaped, variable, plain] = part;
    const value = single ?? double ?? escaped ?? variable ?? plain ?? '';
    if (single === undefined && !onlyLooks(value))
      return { kind: 'not-understood', what: 'a command in a word' };
    quoted ||= single !== undefined || double !== undefined;
    text += value;
    at += whole.length;
  }
  return at === 0
    ? { kind: 'not-understood', what: 'a quote that does not end' }
    : { kind: 'word', text, quoted, length: at };
}

/** Programs that print something and change nothing. */
const LOOKERS = [
  ...['cat', 'curl', 'date', 'hostname', 'whoami', 'uname', 'id', 'dirname', 'basename', 'pwd', 'nproc'],
  ...['echo', 'printf', 'head', 'tail', 'grep', 'awk', 'jq', 'cut', 'tr', 'sed', 'stat', 'mount', 'findmnt'],
  ...['lsb_release', 'dpkg', 'getent', 'wc', 'seq', 'which', 'df', 'du', 'ls', 'realpath', 'readlink'],
];

/** The command in a word that begins here, or null where none does; arithmetic is one that only looks. */
function substitution(rest: string): { readonly length: number; readonly isHarmless: boolean } | null {
  if (rest.startsWith('`')) {
    const end = rest.indexOf('`', 1);
    return end === -1 ? UNENDED : { length: end + 1, isHarmless: isLooking(rest.slice(1, end)) };
  }
  if (!rest.startsWith('$(')) return null;
  const end = closing(rest);
  if (end === null) return UNENDED;
  const inner = rest.slice(2, end);
  return { length: end + 1, isHarmless: inner.startsWith('(') || isLooking(inner) };
}

const UNENDED = { length: 0, isHarmless: false } as const;

/** Whether every command in this text only looks. */
function onlyLooks(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const found = substitution(text.slice(at));
    if (found === null) continue;
    if (!found.isHarmless) return false;
    at += found.length - 1;
  }
  return true;
}

/** Where the bracket of `$(` is closed, outside of quotes. */
function closing(rest: string): number | null {
  let depth = 0;
  let quote = '';
  for (let at = 1; at < rest.length; at += 1) {
    const sign = rest[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '(') depth += 1;
    else if (sign === ')') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return null;
}

function isLooking(command: string): boolean {
  const told = command.replaceAll(/\d?>\s*(?:\/dev\/null|&\d)/g, '').replaceAll(/'[^']*'|"[^"$`]*"/g, 'x');
  if (/[;&>`]|\$\(|\n/.test(told)) return false;
  return told.split('|').every((part) => LOOKERS.includes(part.trim().split(/\s+/)[0] ?? ''));
}
