/** Reads objects of a bare repository in batches with `git cat-file`; commits and trees are cached. */

import { git as limits } from '../../limits/limits.ts';
import type { GitProgram } from './git-program.ts';
import type { CommitObject, Sha, TagObject, TreeEntry } from './git-store.ts';
import { createAnswerCache } from './kept-answers.ts';
import { isSha, type ObjectType } from './object-encoding.ts';
import { parseCommit, parseTag, parseTree } from './object-parsing.ts';

export type ProgramObjects = {
  readonly typeOf: (sha: Sha) => Promise<ObjectType | null>;
  readonly blob: (sha: Sha) => Promise<Uint8Array | null>;
  /** Reads in one process; absent objects and non-blobs are omitted. */
  readonly blobSizes: (shas: readonly Sha[]) => Promise<ReadonlyMap<Sha, number>>;
  readonly tree: (sha: Sha) => Promise<readonly TreeEntry[] | null>;
  readonly commit: (sha: Sha) => Promise<CommitObject | null>;
  /** The commits in the requested order, in one process; throws when one is absent. */
  readonly commits: (shas: readonly Sha[]) => Promise<readonly CommitObject[]>;
  readonly tag: (sha: Sha) => Promise<TagObject | null>;
};

/** Readers of the repository. Their caches are keyed by content and therefore never outdated. */
export function createProgramObjects(git: GitProgram): ProgramObjects {
  const knownCommits = new Map<Sha, CommitObject>();
  const knownTrees = new Map<Sha, readonly TreeEntry[]>();
  // An absent object may be pushed later, so give it a size that is never cached.
  const knownBlobs = createAnswerCache<Buffer | null>((body) => body?.byteLength ?? Number.POSITIVE_INFINITY);
  const commits = async (shas: readonly Sha[]): Promise<readonly CommitObject[]> => {
    const found = new Map(shas.flatMap((sha) => pairsOfKnown(knownCommits, sha)));
    const missing = shas.filter((sha) => !found.has(sha));
    const bodies = await readBodies(git, 'commit', missing);
    for (const [index, sha] of missing.entries()) {
      const body = bodies[index];
      if (body === null || body === undefined) throw new Error(`no commit ${sha} in this repository`);
      found.set(sha, cacheObject(knownCommits, sha, parseCommit(sha, body)));
    }
    return shas.flatMap((sha) => found.get(sha) ?? []);
  };
  const one = async (type: ObjectType, sha: Sha): Promise<Buffer | null> =>
    (await readBodies(git, type, [sha]))[0] ?? null;
  return {
    typeOf: (sha) => readType(git, sha),
    blob: async (sha) => {
      const body = await knownBlobs(sha, () => one('blob', sha));
      return body === null ? null : Uint8Array.from(body);
    },
    blobSizes: (shas) => blobSizes(git, shas),
    tree: async (sha) => {
      const known = knownTrees.get(sha);
      if (known !== undefined) return known;
      const body = await one('tree', sha);
      return body === null ? null : cacheObject(knownTrees, sha, parseTree(body));
    },
    commit: async (sha) => {
      const known = knownCommits.get(sha);
      if (known !== undefined) return known;
      const body = await one('commit', sha);
      return body === null ? null : cacheObject(knownCommits, sha, parseCommit(sha, body));
    },
    commits,
    tag: async (sha) => {
      const body = await one('tag', sha);
      return body === null ? null : parseTag(sha, body);
    },
  };
}

/** Bodies in the requested order; null where the object is absent or of another type. */
async function readBodies(
  git: GitProgram,
  wanted: ObjectType,
  shas: readonly Sha[],
): Promise<readonly (Buffer | null)[]> {
  // Only full ids: `cat-file` would also resolve names and abbreviations.
  const ids = shas.filter(isSha);
  if (ids.length === 0) return shas.map(() => null);
  const output = await git.read(['cat-file', '--batch'], `${ids.join('\n')}\n`);
  const bodies = new Map<Sha, Buffer>();
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(0x0a, at);
    const [sha = '', type = '', size = ''] = output.toString('latin1', at, lineEnd).split(' ');
    at = lineEnd + 1;
    if (type === 'missing') continue;
    const end = at + Number(size);
    if (type === wanted) bodies.set(sha, output.subarray(at, end));
    at = end + 1;
  }
  return shas.map((sha) => bodies.get(sha) ?? null);
}

async function blobSizes(git: GitProgram, shas: readonly Sha[]): Promise<ReadonlyMap<Sha, number>> {
  const ids = shas.filter(isSha);
  if (ids.length === 0) return new Map();
  const output = await git.read(['cat-file', '--batch-check'], `${ids.join('\n')}\n`);
  return new Map(
    output
      .toString('latin1')
      .split('\n')
      .flatMap((line) => {
        const [sha = '', type = '', size = ''] = line.split(' ');
        return type === 'blob' ? [[sha, Number(size)] as const] : [];
      }),
  );
}

async function readType(git: GitProgram, sha: Sha): Promise<ObjectType | null> {
  if (!isSha(sha)) return null;
  const output = await git.read(['cat-file', '--batch-check=%(objecttype)'], `${sha}\n`);
  const type = output.toString('latin1').trim();
  return type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag' ? type : null;
}

function pairsOfKnown<T>(known: ReadonlyMap<Sha, T>, sha: Sha): readonly (readonly [Sha, T])[] {
  const value = known.get(sha);
  return value === undefined ? [] : [[sha, value]];
}

function cacheObject<T>(known: Map<Sha, T>, sha: Sha, value: T): T {
  const oldest = known.keys().next();
  if (known.size >= limits.objectsCached && oldest.done !== true) known.delete(oldest.value);
  known.set(sha, value);
  return value;
}
