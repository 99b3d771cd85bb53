/** What a checkout's own history knows of append-only files: every longer or other version that was ever there. */

import { basename } from 'node:path';
import { cutTextFromEnd } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { gitEnvironment } from './environment.ts';

/**
 * `none`: the folder is in no git checkout, or its branch has no commit. Else, by path relative to the folder,
 * the texts that the file must still begin with: its committed version, and each one that a commit took from.
 */
export type AppendOnlyHistory =
  | { readonly kind: 'none' }
  | { readonly kind: 'history'; readonly versions: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Reads the history of the files under `folder` with such a name. The checkout may be a stranger's:
 * nothing in it may start a program, so transports, hooks, external diffs and signature programs are off.
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
    // A parent of a merge need not have had the file; that it was committed is known of HEAD alone.
    if (!blob.ok && commit === 'HEAD') return unreadable(blob);
    if (blob.ok) versions.set(path, [...(versions.get(path) ?? []), blob.stdout]);
  }
  return { kind: 'history', versions };
}

/** Every commit of every side against each of its parents: a merge cannot hide what it dropped. */
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

/** Each file that a commit took lines from, at each of the commit's parents. */
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
  // A copy that another user made is what is to be verified; nothing in it is run, so its owner does not matter.
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
