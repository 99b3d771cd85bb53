/** A GitStore for a bare repository on disk; the git program gives every answer. */

import { createGitProgram, type GitProgram, type RepositoryPlace } from './git-program.ts';
import type { CommitObject, FileChange, GitStore, Sha, TagObject, TreeEntry } from './git-store.ts';
import { createAnswerCache } from './kept-answers.ts';
import { literalPaths } from './literal-paths.ts';
import { encodeCommit, encodeTag } from './object-encoding.ts';
import { programDiff } from './program-diff.ts';
import { createProgramObjects, type ProgramObjects } from './program-objects.ts';
import { readRefs, updateProgramRef } from './program-refs.ts';
import { withRepositoryLock } from './repository-lock.ts';
import { orderedTreeEntries } from './tree-entries.ts';

/** The store of the bare repository in `directory`; it is created on first use if missing. */
export function createProgramStore(place: RepositoryPlace): GitStore {
  const git = createGitProgram(place);
  const objects = createProgramObjects(git);
  const logs = createAnswerCache<readonly Sha[]>((shas) => shas.length * SHA_CHARACTERS);
  const bases = createAnswerCache<Sha | null>(() => SHA_CHARACTERS);
  const descents = createAnswerCache<boolean>(() => 1);
  const diffs = createAnswerCache<readonly FileChange[]>(bytesOfChanges);
  return {
    refs: (prefix) => readRefs(git, prefix),
    updateRef: (update) => withRepositoryLock(place.directory, () => updateProgramRef(git, objects, update)),
    writeBlob: async (content) => parseSha(await git.read(['hash-object', '-w', '--stdin'], content)),
    writeTree: (entries) => writeTree(git, entries),
    writeCommit: (commit) => writeCommit(git, objects, commit),
    writeTag: (tag) => writeTag(git, objects, tag),
    readBlob: objects.blob,
    blobSizes: objects.blobSizes,
    readTree: objects.tree,
    readCommit: objects.commit,
    readTag: objects.tag,
    log: async (query) => {
      if ((await objects.commit(query.from)) === null) return [];
      if (query.not !== undefined) await objects.commits([query.not]);
      const { from, not, paths, limit } = query;
      const key = JSON.stringify([from, not, paths, limit]);
      return objects.commits(await logs(key, () => readLog(git, query)));
    },
    mergeBase: async (a, b) => {
      if (!(await areCommits(objects, a, b))) return null;
      return bases(`${a} ${b}`, () => mergeBase(git, a, b));
    },
    isAncestor: async (ancestor, descendant) =>
      (await areCommits(objects, ancestor, descendant)) &&
      descents(`${ancestor} ${descendant}`, () => isAncestor(git, ancestor, descendant)),
    diff: async (from, to) => {
      const [before, after] = [await resolveTree(objects, from), await resolveTree(objects, to)];
      return diffs(`${before} ${after}`, () => programDiff(git, before, after));
    },
  };
}

const SHA_CHARACTERS = 40;

function bytesOfChanges(changes: readonly FileChange[]): number {
  return changes.reduce((sum, { path, patch }) => sum + path.length + (patch?.length ?? 0) + SHA_CHARACTERS, 0);
}

async function isAncestor(git: GitProgram, ancestor: Sha, descendant: Sha): Promise<boolean> {
  const { code, stderr } = await git.run(['merge-base', '--is-ancestor', ancestor, descendant]);
  if (code > 1) throw new Error(`git merge-base --is-ancestor ended with ${code}: ${stderr.trim()}`);
  return code === 0;
}

async function mergeBase(git: GitProgram, a: Sha, b: Sha): Promise<Sha | null> {
  const { code, stdout, stderr } = await git.run(['merge-base', a, b]);
  if (code > 1) throw new Error(`git merge-base ended with ${code}: ${stderr.trim()}`);
  return code === 0 ? parseSha(stdout) : null;
}

async function writeTree(git: GitProgram, entries: readonly TreeEntry[]): Promise<Sha> {
  const lines = orderedTreeEntries(entries).map(({ mode, type, name, sha: id }) => `${mode} ${type} ${id}\t${name}\0`);
  return parseSha(await git.read(['mktree', '-z'], lines.join('')));
}

// hash-object, not commit-tree, which trims names by rules that differ between versions of git.
async function writeCommit(git: GitProgram, objects: ProgramObjects, commit: Omit<CommitObject, 'sha'>): Promise<Sha> {
  if ((await objects.tree(commit.tree)) === null) throw new Error(`no tree ${commit.tree} in this repository`);
  await objects.commits([...new Set(commit.parents)]);
  return parseSha(await git.read(['hash-object', '-t', 'commit', '-w', '--stdin'], encodeCommit(commit)));
}

async function writeTag(git: GitProgram, objects: ProgramObjects, tag: Omit<TagObject, 'sha'>): Promise<Sha> {
  const type = await objects.typeOf(tag.object);
  if (type === null) throw new Error(`no object ${tag.object} in this repository`);
  return parseSha(await git.read(['mktag'], encodeTag(tag, type)));
}

async function readLog(
  git: GitProgram,
  { from, not, paths, limit }: Parameters<GitStore['log']>[0],
): Promise<readonly Sha[]> {
  const output = await git.read([
    '--literal-pathspecs',
    'rev-list',
    `--max-count=${Math.max(0, limit)}`,
    from,
    ...(not === undefined ? [] : [`^${not}`]),
    '--',
    ...(literalPaths(paths) ?? []),
  ]);
  return output
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

async function areCommits(objects: ProgramObjects, a: Sha, b: Sha): Promise<boolean> {
  return (await objects.commit(a)) !== null && (await objects.commit(b)) !== null;
}

async function resolveTree(objects: ProgramObjects, id: Sha): Promise<Sha> {
  const tree = (await objects.commit(id))?.tree ?? id;
  if ((await objects.tree(tree)) === null) throw new Error(`no tree ${tree} in this repository`);
  return tree;
}

function parseSha(output: Buffer): Sha {
  return output.toString('latin1').trim();
}
