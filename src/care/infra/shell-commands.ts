/** Shell text as simple commands joined by `&&`, `||`, `;` and line breaks. Any other construct is not understood. */

/** `joined`: the sign before the command; a line break counts as `;`. `writesTo`: targets of redirections. Lines count from 0. */
export type ShellCommand = {
  readonly joined: '&&' | '||' | ';';
  readonly words: readonly string[];
  readonly writesTo: readonly string[];
  readonly line: number;
};
export type ShellReading =
  | { readonly kind: 'read'; readonly commands: readonly ShellCommand[] }
  | { readonly kind: 'not-understood'; readonly line: number; readonly what: string };

const BLANK = /(?:[ \t\r]|\\\n)+|#[^\n]*/y;
const SIGN = /&&|\|\||;|\n|<(?!<)|&>>?|\d?>[>&|]?/y;
/** A part of a word; it has no command in it. */
const PART = /'[^']*'|"(?:[^"\\`$]|\\[\s\S]|\$(?!\())*"|\\[\s\S]|\$(?![('"])|[^\s;&|()<>'"\\`$]+/y;

/** First words after which more than this one command decides what runs. */
const CONSTRUCTS = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'select'],
  ...['{', '}', '!', '[[', 'function', 'eval', 'source', '.', 'trap', 'exec', 'alias', 'time'],
  ...['sh', 'bash', 'dash', 'zsh', 'su', 'ssh'],
]);

/** The commands of a shell text in their order, or the first construct that is not one of them. */
export function readCommands(text: string): ShellReading {
  const commands: ShellCommand[] = [];
  let [at, line] = [0, 0];
  let joined: ShellCommand['joined'] = ';';
  let words: string[] = [];
  let writesTo: string[] = [];
  let firstLine = 0;
  let redirection: string | null = null;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    line += found?.split('\n').slice(1).length ?? 0;
    return found;
  };
  const notUnderstood = (what: string): ShellReading => ({ kind: 'not-understood', line: firstLine, what });
  while (at <= text.length) {
    if (take(BLANK) !== null) continue;
    if (words.length + writesTo.length === 0) firstLine = line;
    const sign = at === text.length ? ';' : take(SIGN);
    if (sign === null) {
      const word = takeWord(take);
      if (word === null) return notUnderstood(text.slice(at).split('\n')[0] ?? '');
      if (redirection === null) words.push(word);
      else if (redirection !== '<') writesTo.push(word);
      redirection = null;
    } else if (redirection !== null) return notUnderstood(sign);
    else if (sign.includes('>') || sign === '<') redirection = sign;
    else {
      const isEmpty = words.length + writesTo.length === 0;
      if (isEmpty && (sign === '&&' || sign === '||')) return notUnderstood(sign);
      const [first = ''] = withoutSudo(words);
      if (CONSTRUCTS.has(first)) return notUnderstood(words.join(' '));
      if (!isEmpty) commands.push({ joined, words, writesTo, line: firstLine });
      // A line may end behind `&&`: what it joins comes on the next.
      if (!isEmpty || sign !== '\n') joined = sign === '&&' || sign === '||' ? sign : ';';
      words = [];
      writesTo = [];
      if (at === text.length && sign === ';') break;
    }
  }
  return { kind: 'read', commands };
}

/** The word that begins here without its quotes, or null where none does that is understood. */
function takeWord(take: (pattern: RegExp) => string | null): string | null {
  let word: string | null = null;
  for (let part = take(PART); part !== null; part = take(PART)) {
    const isQuoted = part.startsWith('"') || part.startsWith("'");
    const bare = isQuoted ? part.slice(1, -1) : part;
    word = (word ?? '') + (part.startsWith("'") ? bare : bare.replaceAll(/\\([\s\S])/g, '$1'));
  }
  return word;
}

/** The words without a leading `sudo` and those of its options that change nothing about the command. */
export function withoutSudo(words: readonly string[]): readonly string[] {
  if (words[0] !== 'sudo') return words;
  let at = 1;
  for (let word = words[at]; word !== undefined && ['-E', '-H', '-n', '-u'].includes(word); word = words[at])
    at += word === '-u' ? 2 : 1;
  return words.slice(at);
}
