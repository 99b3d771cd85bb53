/**
 * Checks a cluster file (policy AG-20): no setup command may write at or below a mount point unless an earlier command made sure that it
 * is mounted, by `mountpoint -q POINT` or the mount itself, with `&&` or `|| exit`.
 */

import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { fail, ok, type Result } from '../../domain/result.ts';
import { trimmedEnd } from '../../domain/text.ts';

/** A real cluster file has some pages. */
export const INFRA_CHARACTERS_MAX = 100_000;
/** Maximum nesting: Node's stack ends at about 1,000 levels of YAML. */
const INFRA_NESTING_MAX = 500;

/** One command; `line` is the 1-based line of its start. */
type SetupEntry = { readonly text: string; readonly line: number };
/** A part that could not be read, with its 1-based line. */
type Unread = { readonly line: number; readonly what: string };
/** `unread`: entries that are not text, or values that are not lists. */
type SetupLists = {
  readonly lists: readonly (readonly SetupEntry[])[];
  readonly unread: readonly Unread[];
};

/** Every list whose key ends in `_commands`, in file order. Aliases are not followed. */
export function setupLists(text: string): Result<SetupLists, Unread> {
  if (text.length > INFRA_CHARACTERS_MAX)
    return fail({ line: 1, what: `not judged: too large: more than ${INFRA_CHARACTERS_MAX} characters` });
  // The parser recurses.
  if (nestingSigns(text) > INFRA_NESTING_MAX)
    return fail({
      line: 1,
      what: 'a file with more brackets, or lists in lists on one line, than anybody writes',
    });
  const lines = new LineCounter();
  // yaml compares each key with all earlier ones, which takes seconds for thousands. With duplicate keys, both lists are checked.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined)
    return fail({ line: error.linePos?.[0].line ?? 1, what: error.message.split('\n')[0] ?? 'no YAML' });
  // Other content cannot be checked.
  if (!isMap(document.contents)) return fail({ line: 1, what: 'no map of keys, as a cluster file is' });
  const lists: SetupEntry[][] = [];
  const unread: Unread[] = [];
  const lineOf = (node: Node | null): number => lines.linePos(node?.range?.[0] ?? 0).line;
  visit(document, {
    Pair: (_key, { key, value }) => {
      const name = isScalar(key) ? String(key.value) : '';
      if (!name.endsWith('_commands')) return;
      if (!isSeq<Node>(value)) {
        if (!isScalar(value) || value.value !== null)
          unread.push({ line: lineOf(isScalar(key) ? key : null), what: `${name} is no list` });
        return;
      }
      const entries: SetupEntry[] = [];
      for (const item of value.items) {
        if (!isScalar(item)) unread.push({ line: lineOf(item), what: `an entry of ${name} that is no text` });
        else if (typeof item.value === 'string') {
          // A block's text starts on the next line.
          const isBlock = item.type === 'BLOCK_LITERAL' || item.type === 'BLOCK_FOLDED';
          entries.push({ text: item.value, line: lineOf(item) + (isBlock ? 1 : 0) });
        }
      }
      lists.push(entries);
    },
  });
  return ok({ lists, unread });
}

/** Counts brackets, and list or map markers that share a line. */
function nestingSigns(text: string): number {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(0, (line.match(/[-?:](?=\s)/g)?.length ?? 0) - 1), brackets);
}

/** `joined`: the operator before the command; a line break counts as `;`. `writesTo`: redirection targets. Lines count from 0. */
type ShellCommand = {
  readonly joined: '&&' | '||' | ';';
  readonly words: readonly string[];
  readonly writesTo: readonly string[];
  readonly line: number;
};
type ShellReading =
  | { readonly kind: 'read'; readonly commands: readonly ShellCommand[] }
  | { readonly kind: 'not-understood'; readonly line: number; readonly what: string };

const BLANK = /(?:[ \t\r]|\\\n)+|#[^\n]*/y;
const SIGN = /&&|\|\||;|\n|<(?!<)|&>>?|\d?>[>&|]?/y;
/** A part of a word without a command substitution. */
const PART = /'[^']*'|"(?:[^"\\`$]|\\[\s\S]|\$(?!\())*"|\\[\s\S]|\$(?![('"])|[^\s;&|()<>'"\\`$]+/y;

/** First words of constructs that this parser does not support. */
const CONSTRUCTS = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'select'],
  ...['{', '}', '!', '[[', 'function', 'eval', 'source', '.', 'trap', 'exec', 'alias', 'time'],
  ...['sh', 'bash', 'dash', 'zsh', 'su', 'ssh'],
]);

/** The commands of a shell text, or its first unsupported construct. */
function readCommands(text: string): ShellReading {
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
      // A line may end with `&&`; the next line continues it.
      if (!isEmpty || sign !== '\n') joined = sign === '&&' || sign === '||' ? sign : ';';
      words = [];
      writesTo = [];
      if (at === text.length && sign === ';') break;
    }
  }
  return { kind: 'read', commands };
}

/** The unquoted word at this position, or null if it is not understood. */
function takeWord(take: (pattern: RegExp) => string | null): string | null {
  let word: string | null = null;
  for (let part = take(PART); part !== null; part = take(PART)) {
    const isQuoted = part.startsWith('"') || part.startsWith("'");
    const bare = isQuoted ? part.slice(1, -1) : part;
    word = (word ?? '') + (part.startsWith("'") ? bare : bare.replaceAll(/\\([\s\S])/g, '$1'));
  }
  return word;
}

/** Removes a leading `sudo` and its harmless options. */
function withoutSudo(words: readonly string[]): readonly string[] {
  if (words[0] !== 'sudo') return words;
  let at = 1;
  for (let word = words[at]; word !== undefined && ['-E', '-H', '-n', '-u'].includes(word); word = words[at])
    at += word === '-u' ? 2 : 1;
  return words.slice(at);
}

/** Each command is compared with each mount point; real clusters have one or two. */
const INFRA_MOUNT_POINTS_MAX = 20;
/** Mount point of a finding about the whole file. */
const ANY_MOUNT_POINT = '(unknown)';

/** `write-unguarded`: writes although nothing may be mounted. `not-understood`: it may write, but this check is not sure. */
export type InfraFinding = {
  readonly code: 'write-unguarded' | 'not-understood';
  readonly mountPoint: string;
  readonly line: number;
  readonly what: string;
};

/** Commands that read, or only change what exists. All others that name a mount point count as writes. */
const READERS = new Set([
  ...['ls', 'cat', 'test', '[', 'du', 'df', 'stat', 'grep', 'head', 'tail', 'wc', 'findmnt', 'mountpoint'],
  ...['echo', 'printf', 'true', 'false', ':', 'sleep', 'chmod', 'chown', 'rm', 'rmdir'],
]);
const UNMOUNTERS = ['umount', 'fusermount', 'fusermount3'];

/** Mount points that are certainly mounted; null: never reached. */
type Sure = ReadonlySet<string> | null;
type Ends = { readonly ok: Sure; readonly failed: Sure };
const NONE: ReadonlySet<string> = new Set();

/** Findings in file order. `known`: mount points in addition to those that the file mounts. */
export function lintClusterFile(text: string, known: readonly string[]): readonly InfraFinding[] {
  const read = setupLists(text);
  if (!read.ok) return [unreadFinding(read.error)];
  const { lists, unread } = read.value;
  const named = lists.flat().flatMap((entry) => mountPointsIn(plainNames(entry.text)));
  const mountPoints = [...new Set([...known.map(trimmed), ...named])];
  if (mountPoints.length > INFRA_MOUNT_POINTS_MAX)
    return [
      unreadFinding({
        line: 1,
        what: `not judged: too large: more than ${INFRA_MOUNT_POINTS_MAX} mount points`,
      }),
    ];
  return [...lists.flatMap((list) => lintList(list, mountPoints)), ...unread.map(unreadFinding)].toSorted(
    (a, b) => a.line - b.line,
  );
}

/** The finding for a construct that the check does not understand. */
export function unreadFinding({ line, what }: Unread): InfraFinding {
  return { code: 'not-understood', mountPoint: ANY_MOUNT_POINT, line, what };
}

/** Ray runs each entry in its own shell and stops at the first failure. */
function lintList(list: readonly SetupEntry[], mountPoints: readonly string[]): readonly InfraFinding[] {
  const findings: InfraFinding[] = [];
  /** Mounts that no entry verified: jobs may write there later. */
  const unchecked = new Map<string, InfraFinding>();
  let sure = NONE;
  for (const entry of list) {
    const text = plainNames(entry.text);
    const reading = readCommands(text);
    if (reading.kind === 'not-understood') {
      const point = mountPoints.find((one) => mentions(text, one));
      const { what } = reading;
      if (point !== undefined)
        findings.push({ code: 'not-understood', mountPoint: point, line: entry.line + reading.line, what });
      if (text.includes('mount')) sure = NONE;
      continue;
    }
    let ends: Ends = { ok: sure, failed: null };
    for (const command of reading.commands) {
      const { joined } = command;
      const before = joined === '&&' ? ends.ok : joined === '||' ? ends.failed : inBoth(ends.ok, ends.failed);
      const at = { line: entry.line + command.line, what: [...command.words, ...command.writesTo].join(' ') };
      if (before !== null)
        findings.push(...judge(command, before, mountPoints).map((one) => ({ ...one, ...at })));
      const mounted = mountedBy(command.words);
      if (mounted !== null) unchecked.set(mounted, { code: 'not-understood', mountPoint: mounted, ...at });
      const after = before === null ? { ok: null, failed: null } : endsOf(command, before, mountPoints);
      ends = {
        ok: joined === '||' ? inBoth(ends.ok, after.ok) : after.ok,
        failed: joined === '&&' ? inBoth(ends.failed, after.failed) : after.failed,
      };
    }
    // An `exit` that may succeed ends this entry, and the next one runs. After `||`, a plain `exit` keeps the failure.
    const mayLeave = reading.commands.some(
      ({ joined, words: [name, status = joined === '||' ? '1' : '0'] }) =>
        name === 'exit' && !isFailure(status),
    );
    sure = mayLeave ? NONE : (ends.ok ?? new Set(mountPoints));
    // A folder in a variable may change before the next command.
    for (const point of sure) if (!point.replace(/^\$HOME\b/, '').includes('$')) unchecked.delete(point);
  }
  return [...findings, ...unchecked.values()];
}

/** How a command uses mount points that are not certainly mounted. */
function judge(
  { words, writesTo }: ShellCommand,
  sure: ReadonlySet<string>,
  mountPoints: readonly string[],
): readonly Pick<InfraFinding, 'code' | 'mountPoint'>[] {
  const [name = '', ...args] = withoutSudo(words);
  const isPrepared =
    name === 'mkdir' && args.every((word) => word.startsWith('-') || mountPoints.includes(trimmed(word)));
  const isHarmless =
    READERS.has(name) || UNMOUNTERS.includes(name) || isPrepared || mountedBy(words) !== null;
  const used = isHarmless ? writesTo : [...words, ...writesTo];
  const isVariable = name === 'export' || name.includes('=');
  const code = isVariable ? ('not-understood' as const) : ('write-unguarded' as const);
  return (
    mountPoints
      // rule AG-20
      .filter((point) => !sure.has(point) && used.some((word) => mentions(word, point)))
      .map((mountPoint) => ({ code, mountPoint }))
  );
}

/** What is certainly mounted after the command succeeded or failed. */
function endsOf({ words }: ShellCommand, sure: ReadonlySet<string>, mountPoints: readonly string[]): Ends {
  if (words[0] === 'exit') return { ok: null, failed: null };
  if (words.some((word) => UNMOUNTERS.includes(word) || word.endsWith('.mount')))
    return { ok: NONE, failed: NONE };
  const mounted = mountedBy(words) ?? checkedBy(words);
  const isNew = mounted !== null && mountPoints.includes(mounted);
  return { ok: isNew ? new Set([...sure, mounted]) : sure, failed: sure };
}

/** The folder of `mountpoint [-q] FOLDER`, which fails if nothing is mounted. */
function checkedBy(words: readonly string[]): string | null {
  const [name, ...args] = withoutSudo(words);
  const [folder, ...more] = args.filter((word) => word !== '-q' && word !== '--quiet');
  return name === 'mountpoint' && folder !== undefined && more.length === 0 ? trimmed(folder) : null;
}

/** The target of gcsfuse, s3fs, `rclone mount` or `mount`: the last path. */
function mountedBy(words: readonly string[]): string | null {
  const [name = '', ...args] = withoutSudo(words);
  const isMount = ['gcsfuse', 's3fs', 'mount'].includes(name) || (name === 'rclone' && args[0] === 'mount');
  const last = args.findLast((word, index) => isPath(word) && args[index - 1] !== '-o');
  return isMount && last !== undefined ? trimmed(last) : null;
}

/** Mount points in a text, even in unsupported constructs, and in names of systemd units. */
function mountPointsIn(text: string): readonly string[] {
  return text.split(/[;&|\n()<>]/).flatMap((part) => {
    const words = part.split(/[\s"'`]+/);
    const unit = words.find((word) => word.endsWith('.mount') && !word.includes('/'));
    if (unit !== undefined) return [`/${unit.slice(0, -'.mount'.length).replaceAll('-', '/')}`];
    const at = words.findIndex((word) => ['gcsfuse', 's3fs', 'mount'].includes(word));
    return at === -1 ? [] : (mountedBy(['mount', ...words.slice(at + 1)]) ?? []);
  });
}

/** Writes `${NAME}` as `$NAME`. */
function plainNames(text: string): string {
  return text.replaceAll(/\$\{(\w+)\}(?!\w)/g, '$$$1');
}

function isPath(word: string): boolean {
  return !word.startsWith('-') && /^[/~$.]|^[^=:]*\//.test(word);
}

function isFailure(status: string): boolean {
  return /^[1-9]\d?$/.test(status);
}

/** Whether the text names the folder or a path below it, but no longer name. */
function mentions(text: string, point: string): boolean {
  for (let at = text.indexOf(point); at !== -1; at = text.indexOf(point, at + 1))
    if (!/[\w.-]/.test(text[at + point.length] ?? '')) return true;
  return false;
}

function trimmed(path: string): string {
  return path.length > 1 ? trimmedEnd(path, '/') : path;
}

function inBoth(a: Sure, b: Sure): Sure {
  if (a === null) return b;
  if (b === null) return a;
  return new Set([...a].filter((point) => b.has(point)));
}
