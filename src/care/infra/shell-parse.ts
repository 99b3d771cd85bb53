/** Shell text as a tree of what decides whether a later command runs: lists, && and ||, !, pipes, if, groups. */

import { type ShellToken, shellTokens } from './shell-tokens.ts';

/** Groups, negations and links of one chain of commands: no set-up script nests so deep, and the reader recurses. */
export const SHELL_NESTING_MAX = 200;

/** `writesTo`: targets of `>` and `>>`. */
export type ShellNode =
  | {
      readonly kind: 'simple';
      readonly words: readonly string[];
      readonly writesTo: readonly string[];
      readonly line: number;
    }
  | { readonly kind: 'and' | 'or'; readonly left: ShellNode; readonly right: ShellNode }
  /** `background`: nobody waits for it, so that nothing is known of its end. */
  | { readonly kind: 'not' | 'subshell' | 'background'; readonly of: ShellNode }
  | { readonly kind: 'pipe'; readonly parts: readonly ShellNode[] }
  | { readonly kind: 'list'; readonly items: readonly ShellNode[] }
  | {
      readonly kind: 'if';
      readonly test: ShellNode;
      readonly body: ShellNode;
      readonly otherwise: ShellNode;
    }
  | { readonly kind: 'while' | 'until'; readonly test: ShellNode; readonly body: ShellNode }
  /** The body as often as there are words, perhaps never. */
  | { readonly kind: 'each'; readonly body: ShellNode };

export type ShellReading =
  | { readonly kind: 'read'; readonly node: ShellNode }
  | { readonly kind: 'not-understood'; readonly what: string; readonly line: number };

const UNKNOWN_WORDS = ['case', 'function', 'select', 'eval', 'trap', 'source', '.'];

/**
 * Reads a shell text; functions, cases, programs that are handed over in a here-document, and commands in words that may
 * change something are not understood. `line`: the number of its first line.
 */
export function parseShell(text: string, line = 0): ShellReading {
  const read = shellTokens(text, line);
  if (read.kind === 'not-understood') return read;
  const input: Input = { tokens: read.tokens, at: 0, depth: 0 };
  try {
    const node = list(input, []);
    const left = input.tokens[input.at];
    if (left !== undefined) throw new NotUnderstood(`${left.text} in this place`, left.line);
    return { kind: 'read', node };
  } catch (error) {
    if (error instanceof NotUnderstood)
      return { kind: 'not-understood', what: error.message, line: error.line };
    throw error;
  }
}

/** A here-document is a program to these, and data to any other. */
const READS_PROGRAMS = ['sh', 'bash', 'dash', 'zsh', 'ssh', 'python', 'python3', 'su'];

class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
  readonly line: number;

  constructor(what: string, line: number) {
    super(what);
    this.line = line;
  }
}

type Input = { readonly tokens: readonly ShellToken[]; at: number; depth: number };

function list(input: Input, until: readonly string[]): ShellNode {
  const items: ShellNode[] = [];
  for (;;) {
    while (isSign(input, ';') || isSign(input, '\n')) input.at += 1;
    if (
      input.tokens[input.at] === undefined ||
      isSign(input, ')') ||
      until.some((word) => isWord(input, word))
    )
      return { kind: 'list', items };
    const item = andOr(input);
    const isBackground = isSign(input, '&');
    if (isBackground) input.at += 1;
    items.push(isBackground ? { kind: 'background', of: item } : item);
  }
}

function andOr(input: Input): ShellNode {
  let left = pipeline(input);
  for (let links = 1; ; links += 1) {
    if (links > SHELL_NESTING_MAX) throw tooDeep(input);
    const kind = isSign(input, '&&') ? 'and' : isSign(input, '||') ? 'or' : null;
    if (kind === null) return left;
    input.at += 1;
    while (isSign(input, '\n')) input.at += 1;
    left = { kind, left, right: pipeline(input) };
  }
}

function pipeline(input: Input): ShellNode {
  if (isWord(input, '!')) {
    input.at += 1;
    return { kind: 'not', of: deeper(input, () => pipeline(input)) };
  }
  const parts = [command(input)];
  while (isSign(input, '|')) {
    input.at += 1;
    parts.push(command(input));
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'pipe', parts };
}

function command(input: Input): ShellNode {
  const token = input.tokens[input.at];
  if (token === undefined) throw new NotUnderstood('a text that ends too early', 0);
  if (token.kind === 'sign' && token.text === '(')
    return { kind: 'subshell', of: deeper(input, () => grouped(input, ')')) };
  if (isWord(input, '{')) return deeper(input, () => grouped(input, '}'));
  if (isWord(input, 'if')) return deeper(input, () => conditional(input));
  if (isWord(input, 'while') || isWord(input, 'until')) return deeper(input, () => loop(input));
  if (isWord(input, 'for')) return deeper(input, () => each(input));
  if (token.kind === 'word' && !token.quoted && UNKNOWN_WORDS.includes(token.text))
    throw new NotUnderstood(token.text, token.line);
  return simple(input, token.line);
}

function deeper(input: Input, read: () => ShellNode): ShellNode {
  if (input.depth >= SHELL_NESTING_MAX) throw tooDeep(input);
  input.depth += 1;
  const node = read();
  input.depth -= 1;
  return node;
}

function tooDeep({ tokens, at }: Input): NotUnderstood {
  return new NotUnderstood('commands nested so deep', tokens[at]?.line ?? 0);
}

function grouped(input: Input, close: ')' | '}'): ShellNode {
  input.at += 1;
  const inner = list(input, close === '}' ? ['}'] : []);
  expect(input, close);
  return inner;
}

function conditional(input: Input): ShellNode {
  input.at += 1;
  const test = list(input, ['then']);
  expect(input, 'then');
  const body = list(input, ['else', 'elif', 'fi']);
  let otherwise: ShellNode = { kind: 'list', items: [] };
  if (isWord(input, 'else')) {
    input.at += 1;
    otherwise = list(input, ['fi']);
  } else if (isWord(input, 'elif'))
    return { kind: 'if', test, body, otherwise: deeper(input, () => conditional(input)) };
  expect(input, 'fi');
  return { kind: 'if', test, body, otherwise };
}

function loop(input: Input): ShellNode {
  const kind = isWord(input, 'until') ? 'until' : 'while';
  input.at += 1;
  const test = list(input, ['do']);
  return { kind, test, body: bodyOf(input) };
}

/** `for NAME in WORDS; do BODY; done`; the words decide nothing here. */
function each(input: Input): ShellNode {
  while (input.tokens[input.at] !== undefined && !isWord(input, 'do')) input.at += 1;
  return { kind: 'each', body: bodyOf(input) };
}

function bodyOf(input: Input): ShellNode {
  expect(input, 'do');
  const body = list(input, ['done']);
  expect(input, 'done');
  return body;
}

function simple(input: Input, line: number): ShellNode {
  const words: string[] = [];
  const writesTo: string[] = [];
  for (let token = input.tokens[input.at]; token !== undefined; token = input.tokens[input.at]) {
    if (token.kind === 'word') words.push(token.text);
    else if (['>', '>>', '<', '>&', '<<'].includes(token.text)) {
      if (token.text === '<<' && words.some((word) => READS_PROGRAMS.includes(word)))
        throw new NotUnderstood('a here-document', token.line);
      // The number of what is redirected, as in `2>`.
      if (/^\d$/.test(words.at(-1) ?? '')) words.pop();
      const target = input.tokens[input.at + 1];
      if (target?.kind !== 'word') throw new NotUnderstood(token.text, token.line);
      if (token.text.startsWith('>') && token.text !== '>&') writesTo.push(target.text);
      input.at += 1;
    } else if (words[0] === '[[' && !words.includes(']]') && token.text !== '\n') {
      // Signs of a test, up to its end.
    } else break;
    input.at += 1;
  }
  if (words.length === 0 && writesTo.length === 0)
    throw new NotUnderstood(input.tokens[input.at]?.text ?? 'nothing', line);
  return { kind: 'simple', words, writesTo, line };
}

function expect(input: Input, text: string): void {
  const token = input.tokens[input.at];
  if (token?.text !== text) throw new NotUnderstood(`no ${text}`, token?.line ?? 0);
  input.at += 1;
}

function isSign({ tokens, at }: Input, text: string): boolean {
  const token = tokens[at];
  return token?.kind === 'sign' && token.text === text;
}

function isWord({ tokens, at }: Input, text: string): boolean {
  const token = tokens[at];
  return token?.kind === 'word' && !token.quoted && token.text === text;
}
