/** History of append-only files in a checkout. */

import { basename } from 'node:path';
import { limits } from '../../domain/limits.ts';
import { cutTextFromEnd } from '../../domain/text.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { gitEnvironment } from './environment.ts';

/**
 * `none`: no git checkout, or no commit. `versions`: by path relative to the folder, the texts that the file must start with: its committed
 * version, and every version that a commit shortened or changed.
 */
export type AppendOnlyHistory =
  | { readonly kind: 'none' }
  | { readonly kind: 'history'; readonly versions: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Reads the history of append-only files under `folder`. The checkout is untrusted, so transports, hooks, external diffs and signature
 * programs are off.
 */
export async function readAppendOnlyHistory(
  folder: string,
  { glob, isWanted }: { readonly glob: string; readonly isWanted: (name: string) => boolean },
  environment: Readonly<Record<string, string>>,
): Promise<AppendOnlyHistory> {
  const git = (args: readonly string[]): Promise<ProgramResult> => runInFolder(folder, args, environment);
  const inside = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!inside.ok) return { kind: 'none' };
  const prefix = await git(['rev-parse', '--show-prefix']);
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', 'HEAD']);
  const logged = await git(['log', ...LOG_FLAGS, '--', `:(glob)**/${glob}`]);
  const failed = [prefix, listed, logged].find((result) => !result.ok);
  if (failed !== undefined) return unreadable(failed);
  const root = prefix.stdout.replace(/\n$/, '');
  const committed = listed.stdout.split('\0').filter((path) => isWanted(basename(path)));
  const wanted = [
    ...committed.map((path) => ({ path, commit: 'HEAD' })),
    ...takenFrom(logged.stdout).filter(({ path }) => isWanted(basename(path))),
  ];
  const versions = new Map<string, string[]>();
  for (const { path, commit } of wanted) {
    const blob = await git(['cat-file', 'blob', `${commit}:${root}${path}`]);
    // A merge's parent may lack the file; HEAD must have it.
    if (!blob.ok && commit === 'HEAD') return unreadable(blob);
    if (blob.ok) versions.set(path, [...(versions.get(path) ?? []), blob.stdout]);
  }
  return { kind: 'history', versions };
}

/** Compares each commit with all parents, so that a merge cannot hide removals. */
const LOG_FLAGS = [
  '--full-history',
  '-m',
  '--numstat',
  '--relative',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
  '--no-color',
  '--format=commit %P',
] as const;

/** Files with removed lines, at each parent of the commit. */
function takenFrom(log: string): readonly { readonly path: string; readonly commit: string }[] {
  const found = new Map<string, { readonly path: string; readonly commit: string }>();
  let parents: readonly string[] = [];
  for (const line of log.split('\n')) {
    if (line.startsWith('commit '))
      parents = line
        .slice('commit '.length)
        .split(' ')
        .filter((id) => id !== '');
    const [added, deleted, path] = line.split('\t');
    if (added === undefined || deleted === undefined || path === undefined || deleted === '0') continue;
    for (const commit of parents) found.set(`${commit}:${path}`, { path, commit });
  }
  return [...found.values()];
}

function unreadable(result: ProgramResult): AppendOnlyHistory {
  return { kind: 'unreadable', message: cutTextFromEnd(result.stderr.trim(), limits.messageCharactersMax) };
}

function runInFolder(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  // The copy may belong to another user, which is safe because nothing in it is executed.
  const env = gitEnvironment(environment, [
    ['safe.directory', '*'],
    ['core.quotePath', 'false'],
  ]);
  return runProgram('git', ['-C', folder, ...args], {
    env: { ...env, GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' },
    timeoutMs: limits.gitNetworkTimeoutMs,
    outputBytesMax: limits.logbookFileBytesMax,
  });
}
