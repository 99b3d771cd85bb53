/** What one simple command means for the mount points of its file: it mounts, looks, writes below one, or nobody here can say. */

import { trimmedEnd } from '../../domain/trimmed-end.ts';
import type { ShellNode } from './shell-parse.ts';
import { unwrapped } from './unwrapped.ts';

type Simple = Extract<ShellNode, { kind: 'simple' }>;

export type Meaning =
  | { readonly kind: 'mounts' | 'checks' | 'unmounts'; readonly mountPoint: string }
  | { readonly kind: 'ends'; readonly isWell: boolean }
  /** Leaves a loop, or begins its next round. */
  | { readonly kind: 'breaks' }
  /** `to`: the mount point that the working directory is at or below from now on; null: none. */
  | { readonly kind: 'moves'; readonly to: string | null }
  /** `errexit`: what `set` made of it, or null. */
  | { readonly kind: 'succeeds'; readonly errexit: boolean | null }
  | { readonly kind: 'fails' }
  | { readonly kind: 'writes'; readonly below: readonly string[] }
  | { readonly kind: 'unclear'; readonly names: readonly string[] }
  | { readonly kind: 'harmless' };

/** Read, tell, or change only what is there; `chmod` and `chown` of the point itself prepare it. */
const READERS = [
  'ls',
  'cat',
  'test',
  '[',
  'du',
  'df',
  'stat',
  'chmod',
  'chown',
  'sleep',
  '[[',
  'rm',
  'rmdir',
  'find',
  'grep',
  'head',
  'tail',
  'wc',
  'docker',
];
const WRITERS = [
  'mkdir',
  'touch',
  'cp',
  'mv',
  'rsync',
  'wget',
  'curl',
  'tee',
  'dd',
  'tar',
  'unzip',
  'ln',
  'install',
  'git',
  'gsutil',
  'gcloud',
  'aws',
  'huggingface-cli',
  'hf',
  'pip',
  'uv',
  'rclone',
  'truncate',
  'fallocate',
];

/** Where a command mounts a bucket: the last word of gcsfuse, s3fs, rclone mount and of mount itself. Null for any other. */
export function mountedBy(words: readonly string[]): string | null {
  const [name, ...args] = unwrapped(words);
  const isMount =
    name === 'gcsfuse' || name === 's3fs' || (name === 'rclone' && args[0] === 'mount') || name === 'mount';
  if (name === 'systemctl') return startedMount(args);
  const operands = args.filter(
    (word, index) => !word.startsWith('-') && !VALUED.includes(args[index - 1] ?? ''),
  );
  // `mount POINT` alone takes the rest from the table of file systems.
  const last = operands.findLast((word) => /^[/~$.]|^[^=:]*\//.test(word));
  return isMount && last !== undefined ? trimmed(last) : null;
}

/** Options of mounting programs that take a value of their own. */
const VALUED = ['-o', '-t', '-O', '--type', '--options'];

/** The mount point of a unit that is started: systemd names it after the path (systemd.mount(5)). */
function startedMount(args: readonly string[]): string | null {
  const isStart = args.some((word) => word === 'start' || word === 'restart' || word === '--now');
  return isStart ? (args.map(unitPath).find((path) => path !== null) ?? null) : null;
}

function unitPath(unit: string): string | null {
  if (!unit.endsWith('.mount')) return null;
  return `/${unit.slice(0, -'.mount'.length).replaceAll('-', '/')}`.replaceAll('\\x2d', '-');
}

/** The meaning of one command. `isBelow`: the mount point that the working directory is at or below. */
export function commandMeaning(
  { words, writesTo }: Simple,
  mountPoints: readonly string[],
  isBelow: string | null,
): Meaning {
  const plain = unwrapped(words);
  const [name = '', ...args] = plain;
  const mounted = mountedBy(words);
  if (mounted !== null) return { kind: 'mounts', mountPoint: mounted };
  const redirected = mountPoints.filter((point) =>
    writesTo.some((path) => isAtOrBelow(path, point) || (isBelow === point && isRelative(path))),
  );
  if (redirected.length > 0) return { kind: 'writes', below: redirected };
  const at = mountPoints.find((point) => args.some((word) => trimmed(word) === point));
  if ((name === 'mountpoint' || name === 'findmnt') && at !== undefined)
    return { kind: 'checks', mountPoint: at };
  if ((name === 'umount' || name === 'fusermount' || name === 'fusermount3') && at !== undefined)
    return { kind: 'unmounts', mountPoint: at };
  if (name === 'systemctl' && args[0] === 'is-active') {
    const unit = args.map(unitPath).find((path) => path !== null && mountPoints.includes(path));
    if (unit != null) return { kind: 'checks', mountPoint: unit };
  }
  if (
    name === 'grep' &&
    at !== undefined &&
    !args.includes('-v') &&
    args.some((word) => TABLES.includes(word))
  )
    return { kind: 'checks', mountPoint: at };
  if (name === 'cd' || name === 'pushd') return { kind: 'moves', to: movedTo(args, mountPoints, isBelow) };
  if (name === 'break' || name === 'continue') return { kind: 'breaks' };
  if (name === 'exit' || name === 'return') return { kind: 'ends', isWell: (args[0] ?? '') === '0' };
  if (name === 'set') return { kind: 'succeeds', errexit: errexitOf(args) };
  if (name === 'true' || name === ':' || name === 'echo' || name === 'printf' || name === 'export')
    return name === 'export' ? pointedAt(args, mountPoints) : { kind: 'succeeds', errexit: null };
  if (name === 'false') return { kind: 'fails' };
  if (isBelow !== null && writesHere(name, args)) return { kind: 'writes', below: [isBelow] };
  const named = mountPoints.filter((point) => args.some((word) => mentions(word, point)));
  if (named.length === 0 || READERS.includes(name)) return { kind: 'harmless' };
  // The point itself has to be made before anything is mounted there.
  if (name === 'mkdir' && args.every((word) => word.startsWith('-') || mountPoints.includes(trimmed(word))))
    return { kind: 'harmless' };
  return WRITERS.includes(name) ? { kind: 'writes', below: named } : { kind: 'unclear', names: named };
}

const TABLES = ['/proc/mounts', '/proc/self/mounts', '/proc/self/mountinfo', '/etc/mtab'];

/** Where `cd` goes, as far as mount points are concerned. */
function movedTo(
  args: readonly string[],
  mountPoints: readonly string[],
  isBelow: string | null,
): string | null {
  const [to = ''] = args.filter((word) => word !== '--' && word !== '-P');
  if (isRelative(to)) return to === '' || to.startsWith('-') || to.startsWith('..') ? null : isBelow;
  return mountPoints.find((point) => isAtOrBelow(to, point)) ?? null;
}

/** Whether a program that writes does so in the working directory: its last operand is not a place elsewhere. */
function writesHere(name: string, args: readonly string[]): boolean {
  if (!WRITERS.includes(name) || ['pip', 'uv', 'install'].includes(name)) return false;
  const last = args.filter((word) => !word.startsWith('-')).at(-1) ?? '';
  const isSource = ['wget', 'curl', 'git', 'tar', 'unzip'].includes(name);
  return isSource || (isRelative(last) && !last.includes('://'));
}

function isRelative(path: string): boolean {
  return !/^[/~$]/.test(path);
}

/** A variable that points below a mount point: what reads it later is not seen here. The point itself is a name for it. */
function pointedAt(args: readonly string[], mountPoints: readonly string[]): Meaning {
  const names = mountPoints.filter((point) =>
    args.some((word) => mentions(word, point) && trimmed(word.slice(word.indexOf('=') + 1)) !== point),
  );
  return names.length === 0 ? { kind: 'succeeds', errexit: null } : { kind: 'unclear', names };
}

function errexitOf(args: readonly string[]): boolean | null {
  if (args.some((word) => /^-[a-zA-Z]*e/.test(word)) || args.join(' ').includes('-o errexit')) return true;
  return args.some((word) => /^\+[a-zA-Z]*e/.test(word)) ? false : null;
}

/** Whether a path in the word is the point or below it: a neighbour with a longer name is another folder. */
function mentions(word: string, point: string): boolean {
  for (let at = word.indexOf(point); at !== -1; at = word.indexOf(point, at + 1)) {
    const isWhole = !/[\w.-]/.test(word[at + point.length] ?? '');
    if (isWhole && !/[\w./-]/.test(at === 0 ? '' : (word[at - 1] ?? ''))) return true;
  }
  return false;
}

function isAtOrBelow(path: string, point: string): boolean {
  return trimmed(path) === point || path.startsWith(`${point}/`);
}

function trimmed(path: string): string {
  return path.length > 1 ? trimmedEnd(path, '/') : path;
}
