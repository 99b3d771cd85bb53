/** What one simple command means for the mount points of its file: it mounts, looks, writes below one, or nobody here can say. */

import type { ShellNode } from './shell-parse.ts';

type Simple = Extract<ShellNode, { kind: 'simple' }>;

export type Meaning =
  | { readonly kind: 'mounts' | 'checks' | 'unmounts'; readonly mountPoint: string }
  | { readonly kind: 'ends'; readonly isWell: boolean }
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
  'cd',
  'sleep',
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
  'rm',
  'truncate',
  'fallocate',
];

/** Where a command mounts a bucket: the last word of gcsfuse, s3fs, rclone mount and of mount itself. Null for any other. */
export function mountedBy(words: readonly string[]): string | null {
  const [name, ...args] = unwrapped(words);
  const isMount =
    name === 'gcsfuse' ||
    name === 's3fs' ||
    (name === 'rclone' && args[0] === 'mount') ||
    (name === 'mount' && args.length > 1);
  const last = args.filter((word) => !word.startsWith('-')).at(-1);
  return isMount && last?.includes('/') === true ? trimmed(last) : null;
}

/** The meaning of one command. */
export function commandMeaning({ words, writesTo }: Simple, mountPoints: readonly string[]): Meaning {
  const plain = unwrapped(words);
  const [name = '', ...args] = plain;
  const mounted = mountedBy(words);
  if (mounted !== null) return { kind: 'mounts', mountPoint: mounted };
  const redirected = mountPoints.filter((point) => writesTo.some((path) => isAtOrBelow(path, point)));
  if (redirected.length > 0) return { kind: 'writes', below: redirected };
  const at = mountPoints.find((point) => args.some((word) => trimmed(word) === point));
  if ((name === 'mountpoint' || name === 'findmnt') && at !== undefined)
    return { kind: 'checks', mountPoint: at };
  if ((name === 'umount' || name === 'fusermount' || name === 'fusermount3') && at !== undefined)
    return { kind: 'unmounts', mountPoint: at };
  if (name === 'exit' || name === 'return') return { kind: 'ends', isWell: (args[0] ?? '') === '0' };
  if (name === 'set') return { kind: 'succeeds', errexit: errexitOf(args) };
  if (name === 'true' || name === ':' || name === 'echo' || name === 'printf' || name === 'export')
    return name === 'export' ? pointedAt(args, mountPoints) : { kind: 'succeeds', errexit: null };
  if (name === 'false') return { kind: 'fails' };
  const named = mountPoints.filter((point) => args.some((word) => mentions(word, point)));
  if (named.length === 0 || READERS.includes(name)) return { kind: 'harmless' };
  // The point itself has to be made before anything is mounted there.
  if (name === 'mkdir' && args.every((word) => word.startsWith('-') || mountPoints.includes(trimmed(word))))
    return { kind: 'harmless' };
  return WRITERS.includes(name) ? { kind: 'writes', below: named } : { kind: 'unclear', names: named };
}

/** A variable that points below a mount point: what reads it later is not seen here. */
function pointedAt(args: readonly string[], mountPoints: readonly string[]): Meaning {
  const names = mountPoints.filter((point) => args.some((word) => mentions(word, point)));
  return names.length === 0 ? { kind: 'succeeds', errexit: null } : { kind: 'unclear', names };
}

function errexitOf(args: readonly string[]): boolean | null {
  if (args.some((word) => /^-[a-zA-Z]*e/.test(word)) || args.join(' ').includes('-o errexit')) return true;
  return args.some((word) => /^\+[a-zA-Z]*e/.test(word)) ? false : null;
}

/** Without `sudo`, `env`, `timeout 30`, `exec` and variables in front. */
function unwrapped(words: readonly string[]): readonly string[] {
  const [first = '', second] = words;
  if (/^[A-Za-z_]\w*=/.test(first))
    return words.length === 1 ? ['export', ...words] : unwrapped(words.slice(1));
  if (['sudo', 'env', 'exec', 'command', 'nohup', 'time'].includes(first)) {
    const rest = words.slice(1);
    const flags = rest.findIndex((word) => !word.startsWith('-'));
    return unwrapped(flags === -1 ? [] : rest.slice(flags));
  }
  return first === 'timeout' && second !== undefined ? unwrapped(words.slice(2)) : words;
}

function mentions(word: string, point: string): boolean {
  const at = word.indexOf(point);
  return at !== -1 && /^(?:$|[/:,\s"'])/.test(word.slice(at + point.length));
}

function isAtOrBelow(path: string, point: string): boolean {
  return trimmed(path) === point || path.startsWith(`${point}/`);
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}
