/**
 * Checks a cluster file (policy AG-20): no setup command may write at or below a mount point unless an earlier command made sure that it
 * is mounted, by `mountpoint -q POINT` or the mount itself, with `&&` or `|| exit`. The check parses lists of simple commands. Any other
 * text that names a mount point is reported as not understood.
 */

import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { findTooDeepOffset } from '../../config/read-yaml.ts';
import { fail, ok, type Result, trimEndCharacters } from '../../domain/values.ts';

/** A real cluster file has a few pages. */
export const INFRA_CHARACTERS_MAX = 100_000;
/** Each command is compared with each mount point; real clusters have one or two. */
const INFRA_MOUNT_POINTS_MAX = 20;

/** `write-unguarded`: writes although nothing may be mounted. `not-understood`: it may write, but this check is not sure. */
export type InfraFinding = {
  readonly code: 'write-unguarded' | 'not-understood';
  readonly mountPoint: string;
  readonly line: number;
  readonly what: string;
};

/** One command of a list, or a part that could not be read; `line` is the 1-based line of its start. */
type SetupEntry = { readonly text: string; readonly line: number };
type UnreadPart = { readonly line: number; readonly what: string };
type SetupLists = { readonly lists: readonly (readonly SetupEntry[])[]; readonly unread: readonly UnreadPart[] };

/** Every list with a key that ends in `_commands`, in file order. Aliases are not followed. */
export function readSetupLists(text: string): Result<SetupLists, UnreadPart> {
  if (text.length > INFRA_CHARACTERS_MAX)
    return fail({ line: 1, what: `not judged: too large: more than ${INFRA_CHARACTERS_MAX} characters` });
  if (findTooDeepOffset(text) !== null) return fail({ line: 1, what: 'not judged: nested too deep' });
  const lines = new LineCounter();
  // yaml compares each key with all earlier ones, which takes seconds for thousands. With duplicate keys, both lists are checked.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined)
    return fail({ line: error.linePos?.[0].line ?? 1, what: error.message.split('\n')[0] ?? 'no YAML' });
  if (!isMap(document.contents)) return fail({ line: 1, what: 'no map of keys, as a cluster file is' });
  const lists: SetupEntry[][] = [];
  const unread: UnreadPart[] = [];
  const lineNumberOf = (node: Node): number => lines.linePos(node.range?.[0] ?? 0).line;
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || !String(key.value).endsWith('_commands')) return;
      if (isScalar(value) && value.value === null) return;
      const items = isSeq<Node>(value) ? value.items : [key];
      const entries: SetupEntry[] = [];
      for (const item of items) {
        if (item === key || !isScalar(item))
          unread.push({ line: lineNumberOf(item), what: `${String(key.value)} is no list of texts` });
        else if (typeof item.value === 'string') {
          // A block's text starts on the next line.
          const isBlock = item.type === 'BLOCK_LITERAL' || item.type === 'BLOCK_FOLDED';
          entries.push({ text: item.value, line: lineNumberOf(item) + (isBlock ? 1 : 0) });
        }
      }
      lists.push(entries);
    },
  });
  return ok({ lists, unread });
}

/** Findings in file order. `known`: mount points in addition to those that the file mounts. */
export function lintClusterFile(text: string, known: readonly string[]): readonly InfraFinding[] {
  const read = readSetupLists(text);
  if (!read.ok) return [unreadFinding(read.error)];
  const lists = read.value.lists.map((list) => list.map((entry) => ({ ...entry, text: plainText(entry.text) })));
  const mounted = lists.flat().flatMap((entry) => entry.text.split(/[;&|\n()]/).flatMap(mountPointsIn));
  const points = [...new Set([...known.map(trimSlashes), ...mounted])];
  if (points.length > INFRA_MOUNT_POINTS_MAX) {
    const what = `not judged: too large: more than ${INFRA_MOUNT_POINTS_MAX} mount points`;
    return [unreadFinding({ line: 1, what })];
  }
  const findings = [...lists.flatMap((list) => lintList(list, points)), ...read.value.unread.map(unreadFinding)];
  return findings.toSorted((a, b) => a.line - b.line);
}

/** The finding for a part that the check does not understand. */
export function unreadFinding({ line, what }: UnreadPart): InfraFinding {
  return { code: 'not-understood', mountPoint: '(unknown)', line, what };
}

/** Without comments, quotes and `sudo`, `${NAME}` as `$NAME`; a continued line stays one line, with `\r` where it was broken. */
function plainText(text: string): string {
  return text
    .replaceAll(/(?<=^|\s)#[^\n]*/g, '')
    .replaceAll('\\\n', ' \r')
    .replaceAll(/\$\{(\w+)\}(?!\w)/g, '$$$1')
    .replaceAll(/["']/g, '')
    .replaceAll(/\bsudo(?: -[EHn]| -u \S+)* /g, '');
}

/** Substitutions, groups, pipes, background jobs and here-documents: the check does not follow them. */
const CONSTRUCT = /[`(){}]|<<|(?<![&>|])[&|](?![&|>])/;
/** The check does not follow commands with these first words either. */
const KEYWORDS = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'function'],
  ...['eval', 'source', '.', 'trap', 'exec', 'alias', 'time', '!', '[[', 'sh', 'bash', 'dash', 'zsh', 'su', 'ssh'],
]);
/** Commands that read, or only change what exists. All others that name a mount point count as writes. */
const READ_ONLY_PROGRAMS = new Set([
  ...['ls', 'cat', 'test', '[', 'du', 'df', 'stat', 'grep', 'head', 'tail', 'wc', 'findmnt', 'mountpoint'],
  ...['echo', 'printf', 'true', 'false', ':', 'sleep', 'chmod', 'chown', 'rm', 'rmdir', 'umount', 'fusermount'],
]);

/** `joined`: the operator before the command; a line break counts as `;`. `line` counts from 0, `writesTo`: redirection targets. */
type ShellCommand = {
  readonly joined: string;
  readonly words: readonly string[];
  readonly writesTo: readonly string[];
  readonly line: number;
};

/** The commands of an entry; null if it is more than simple commands. */
function readCommands(text: string): readonly ShellCommand[] | null {
  if (CONSTRUCT.test(text)) return null;
  const commands: ShellCommand[] = [];
  let [joined, line] = [';', 0];
  const pieces = text.split(/(&&|\|\||;|\n)/);
  for (let at = 0; at < pieces.length; at += 2) {
    const [piece = '', sign = ';'] = pieces.slice(at, at + 2);
    const writesTo = [...piece.matchAll(/[\d&]?>[>|]? *([^\s>]+)/g)].map(([, target = '']) => target);
    const words = piece
      .replaceAll(/[\d&]?[<>][>|]? *[^\s>]+/g, ' ')
      .trim()
      .split(/\s+/);
    const [first = ''] = words;
    if (KEYWORDS.has(first)) return null;
    const isEmpty = first === '' && writesTo.length === 0;
    if (!isEmpty) commands.push({ joined, words, writesTo, line });
    // A line may end with `&&`; the next line continues it.
    if (!isEmpty || sign !== '\n') joined = sign === '\n' ? ';' : sign;
    line += piece.split('\r').length - 1 + (sign === '\n' ? 1 : 0);
  }
  return commands;
}

/** Mount points that are certainly mounted; null: never reached. */
type Mounted = ReadonlySet<string> | null;
const NONE: ReadonlySet<string> = new Set();

/** Ray runs each entry in its own shell and stops at the first failure. */
function lintList(list: readonly SetupEntry[], points: readonly string[]): readonly InfraFinding[] {
  const findings: InfraFinding[] = [];
  /** Mounts that no entry verified: jobs may write there later. */
  const unchecked = new Map<string, InfraFinding>();
  let sure = NONE;
  for (const entry of list) {
    const commands = readCommands(entry.text);
    if (commands === null) {
      const mountPoint = points.find((one) => mentions(entry.text, one));
      if (mountPoint !== undefined) {
        const before = entry.text.slice(0, entry.text.indexOf(mountPoint)).split(/[\r\n]/);
        const what = entry.text.split(/[\r\n]/)[before.length - 1] ?? '';
        findings.push({ code: 'not-understood', mountPoint, line: entry.line + before.length - 1, what });
      }
      if (entry.text.includes('mount')) sure = NONE;
      continue;
    }
    /** After success, and after failure. */
    let ends: readonly [Mounted, Mounted] = [sure, null];
    for (const command of commands) {
      const { joined, words, writesTo } = command;
      const before: Mounted = joined === '&&' ? ends[0] : joined === '||' ? ends[1] : intersect(...ends);
      const at = { line: entry.line + command.line, what: [...words, ...writesTo].join(' ') };
      if (before !== null) findings.push(...judgeCommand(command, before, points).map((one) => ({ ...one, ...at })));
      for (const mountPoint of mountTargets(words))
        unchecked.set(mountPoint, { code: 'not-understood', mountPoint, ...at });
      const after: readonly [Mounted, Mounted] = before === null ? [null, null] : mountedAfter(words, before);
      ends = [
        joined === '||' ? intersect(ends[0], after[0]) : after[0],
        joined === '&&' ? intersect(ends[1], after[1]) : after[1],
      ];
    }
    // An `exit` that may succeed ends this entry, and the next one runs. After `||`, a plain `exit` keeps the failure.
    const mayLeave = commands.some(
      ({ joined, words: [name, status = joined === '||' ? '1' : '0'] }) =>
        name === 'exit' && !/^[1-9]\d?$/.test(status),
    );
    sure = mayLeave ? NONE : (ends[0] ?? new Set(points));
    // A folder in a variable may change before the next command.
    for (const point of sure) if (!point.replace(/^\$HOME\b/, '').includes('$')) unchecked.delete(point);
  }
  return [...findings, ...unchecked.values()];
}

/** How a command uses mount points that are not certainly mounted. */
function judgeCommand(
  { words, writesTo }: ShellCommand,
  mounted: ReadonlySet<string>,
  points: readonly string[],
): readonly Pick<InfraFinding, 'code' | 'mountPoint'>[] {
  const [name = '', ...args] = words;
  const isPrepared =
    name === 'mkdir' && args.every((word) => word.startsWith('-') || points.includes(trimSlashes(word)));
  const isHarmless = READ_ONLY_PROGRAMS.has(name) || isPrepared || mountTargets(words).length > 0;
  const used = isHarmless ? writesTo : [...words, ...writesTo];
  const code = name === 'export' || name.includes('=') ? 'not-understood' : 'write-unguarded';
  return (
    points
      // rule AG-20
      .filter((point) => !mounted.has(point) && used.some((word) => mentions(word, point)))
      .map((mountPoint) => ({ code, mountPoint }))
  );
}

/** What is certainly mounted after the command succeeded or failed. */
function mountedAfter(words: readonly string[], sure: ReadonlySet<string>): readonly [Mounted, Mounted] {
  const [name, ...args] = words;
  if (name === 'exit') return [null, null];
  if (words.some((word) => /^(?:umount|fusermount3?)$/.test(word))) return [NONE, NONE];
  const [folder, ...more] = args.filter((word) => word !== '-q' && word !== '--quiet');
  const isCheck = name === 'mountpoint' && folder !== undefined && more.length === 0;
  const mounted = isCheck ? [trimSlashes(folder)] : mountTargets(words);
  return [new Set([...sure, ...mounted]), sure];
}

/** The target of gcsfuse, s3fs, `rclone mount` or `mount`: the last path. */
function mountTargets([name = '', ...args]: readonly string[]): readonly string[] {
  const isMount = ['gcsfuse', 's3fs', 'mount'].includes(name) || (name === 'rclone' && args[0] === 'mount');
  const isPath = (word: string): boolean => /^[/~$.]|^[^-=:][^=:]*\//.test(word);
  const last = args.findLast((word, index) => isPath(word) && args[index - 1] !== '-o');
  return isMount && last !== undefined ? [trimSlashes(last)] : [];
}

/** The same targets in any text, even in constructs. */
function mountPointsIn(text: string): readonly string[] {
  const words = text.split(/[\s`<>]+/);
  return mountTargets(words.slice(words.findIndex((word) => ['gcsfuse', 's3fs', 'rclone', 'mount'].includes(word))));
}

/** Whether the text names the folder or a path below it, but no longer name. */
function mentions(text: string, point: string): boolean {
  for (let at = text.indexOf(point); at !== -1; at = text.indexOf(point, at + 1))
    if (!/[\w.-]/.test(text[at + point.length] ?? '')) return true;
  return false;
}

function trimSlashes(path: string): string {
  return path.length > 1 ? trimEndCharacters(path, '/') : path;
}

function intersect(a: Mounted, b: Mounted): Mounted {
  if (a === null) return b;
  if (b === null) return a;
  return new Set([...a].filter((point) => b.has(point)));
}
