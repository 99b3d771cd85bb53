/**
 * The bot's git without processes: the same ports on the playground's store in memory, with the playground's
 * push rules.
 */

import { repoAccess } from '../../packages/playground/api/route.ts';
import { drawStrike } from '../../packages/playground/faults/strike.ts';
import { recordPush } from '../../packages/playground/git/pushes.ts';
import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { changeTree, entryAt, type PathChange } from '../../packages/playground/git/store/git-trees.ts';
import { readPath } from '../../packages/playground/git/store/memory-remote.ts';
import { findActor, identify } from '../../packages/playground/identity/identity.ts';
import { judgeAccess } from '../../packages/playground/identity/permissions.ts';
import type { World } from '../../packages/playground/world/world.ts';
import type { GitIdentity, LabGit } from '../../src/app/lab.ts';
import { type FolderEntry, GitError, type PushOutcome } from '../../src/domain/git.ts';
import { brandAs, isSha, isTreeId, type Sha } from '../../src/domain/values.ts';
import { memoryVersions } from './memory-versions.ts';

export type MemoryGitOptions = {
  readonly world: World;
  readonly token: () => Promise<string>;
  /** Counts what would be a request over the network. */
  readonly onTransport: () => void;
  /** Which disk has no space for a commit; by default none. */
  readonly fullDisk?: () => FullDisk;
};

/** `remote`: git's server cannot unpack a push. `local`: not even the commit can be created. */
export type FullDisk = 'none' | 'remote' | 'local';

const NO_SPACE = 'fatal: unable to write file: No space left on device';
const PUSH = { routes: ['push'], byPerson: false } as const;
const pushing = repoAccess('contents:write', 'write');

/** Git for one repository of the world, as the owner of the token. */
export function memoryGit(options: MemoryGitOptions): (identity: GitIdentity) => LabGit {
  const { world } = options;
  const repo = (): ReturnType<typeof onlyRepo> => onlyRepo(world);
  const store = (): GitStore => world.gitOf(repo());
  const resolve = async (ref: string): Promise<Sha | null> => {
    const found = (await store().refs(ref)).get(ref);
    if (found === undefined) return null;
    const tag = await store().readTag(found);
    return brandAs(tag?.object ?? found, isSha);
  };
  const tree = async (commit: Sha): Promise<string> => {
    const read = await store().readCommit(commit);
    if (read === null) throw new GitError('unreadable', `there is no commit ${commit}`);
    return read.tree;
  };
  /** Git keeps refs like files. */
  const noRoom = async (ref: string): Promise<PushOutcome | null> => {
    const names = [...(await store().refs('refs/')).keys()];
    const by = names.find((name) => ref.startsWith(`${name}/`) || name.startsWith(`${ref}/`));
    return by === undefined
      ? null
      : { kind: 'refused', message: `${by} is there and leaves no room for ${ref}: delete it` };
  };
  return (identity) => ({
    fetch: async () => options.onTransport(),
    resolve,
    readText: async (commit, path) => {
      await tree(commit);
      const bytes = await readPath(store(), commit, path);
      return bytes === null ? null : Buffer.from(bytes).toString('utf8');
    },
    listFiles: async (commit, folder) => listFiles(store(), await tree(commit), folder),
    entriesIn: async (commit, folders) => {
      const root = await tree(commit);
      const found = await Promise.all(folders.map((folder) => entriesIn(store(), root, folder)));
      return found.flat();
    },
    treeId: async (commit, path, isLeftOut) => {
      if (path === '.' && isLeftOut?.('docs/a') === true)
        throw new Error('patterns of a whole tree are not modelled here');
      const root = await tree(commit);
      const entry = path === '' || path === '.' ? { sha: root } : await entryAt(store(), root, path);
      return entry === null ? null : brandAs(entry.sha, isTreeId);
    },
    log: async (query) => {
      const found = await store().log({
        from: query.from,
        ...(query.not === null ? {} : { not: query.not }),
        paths: query.paths,
        limit: query.limit,
      });
      return found
        .filter((c) => query.sinceMs === null || c.committer.atMs >= query.sinceMs)
        .map((c) => ({
          sha: brandAs(c.sha, isSha),
          subject: c.message.split('\n')[0] ?? '',
          authorName: c.author.name,
          atMs: c.committer.atMs,
        }));
    },
    mergeBase: async (a, b) => {
      const found = await store().mergeBase(a, b);
      return found === null ? null : brandAs(found, isSha);
    },
    isOnBranch: async (commit) => {
      if ((await store().readCommit(commit)) === null) return false;
      const tips = [...(await store().refs('refs/heads/')).values()];
      for (const tip of tips) if (await store().isAncestor(commit, tip)) return true;
      return false;
    },
    changedPaths: async (from, to) =>
      [
        ...new Set(
          (await store().diff(from, to)).flatMap((c) =>
            c.previousPath === null ? [c.path] : [c.previousPath, c.path],
          ),
        ),
      ].sort(),
    ...memoryVersions(store),
    commitAndPush: async (request): Promise<PushOutcome> => {
      options.onTransport();
      const act = await actAs(options, repo());
      if (act === null) return { kind: 'refused', message: 'this token may not push' };
      const fullDisk = options.fullDisk?.() ?? 'none';
      if (fullDisk === 'local') throw new GitError('failed', `git hash-object: ${NO_SPACE}`);
      if (fullDisk === 'remote') return { kind: 'refused', message: `unpacker error (${NO_SPACE})` };
      const parent = request.parent === 'expected' ? request.expected : request.parent;
      const changes = new Map<string, PathChange>();
      for (const [path, text] of Object.entries(request.files)) {
        changes.set(path, text === null ? null : { mode: '100644', sha: await store().writeBlob(Buffer.from(text)) });
      }
      const who = { ...identity, atMs: request.atMs };
      const written = await store().writeCommit({
        tree: await changeTree(store(), parent === null ? null : await tree(parent), changes),
        parents: [...(parent === null ? [] : [parent]), ...(request.merges ?? [])],
        author: who,
        committer: who,
        message: request.message,
      });
      const tags: { readonly ref: string; readonly sha: string }[] = [];
      for (const { name, message } of request.tags ?? []) {
        const sha = await store().writeTag({ name, object: written, tagger: who, message: `${message}\n` });
        tags.push({ ref: `refs/tags/${name}`, sha });
      }
      // All or nothing, like git's atomic push; if the branch has moved, the push fails regardless of the
      // tags.
      const outcome = await store().updateRef({ ref: request.ref, sha: written, expected: request.expected });
      // If the branch has this process's own object, the push succeeded, as the git program would see. Not
      // for a new branch or the logbook: two processes write the same object there only on a shared virtual
      // clock, and then one of them has failed.
      const isShared = request.expected === null || request.ref.endsWith('/logbook');
      if (outcome !== 'updated' && !isShared && (await resolve(request.ref)) === written)
        return { kind: 'pushed', sha: brandAs(written, isSha) };
      if (outcome !== 'updated')
        return (await noRoom(request.ref)) ?? { kind: 'rejected', sha: brandAs(written, isSha) };
      const made: typeof tags = [];
      for (const { ref, sha } of tags) {
        const created = await store().updateRef({ ref, sha, expected: null });
        if (created === 'updated') {
          made.push({ ref, sha });
          continue;
        }
        for (const tag of made) await store().updateRef({ ref: tag.ref, sha: null, expected: tag.sha });
        await store().updateRef({ ref: request.ref, sha: request.expected, expected: written });
        return { kind: 'refused', message: `${ref}: ${created}` };
      }
      await recordPush(act, [
        { ref: request.ref, before: request.expected, after: written },
        ...tags.map(({ ref, sha }) => ({ ref, before: null, after: sha })),
      ]);
      if (drawStrike(world, ['push-answer-lost'], PUSH) !== null)
        return { kind: 'unknown', message: 'the answer was lost' };
      return { kind: 'pushed', sha: brandAs(written, isSha) };
    },
    pushTag: async (request) => {
      options.onTransport();
      const act = await actAs(options, repo());
      if (act === null) return { kind: 'refused', message: 'this token may not push' };
      const ref = `refs/tags/${request.name}`;
      const standing = await resolve(ref);
      if (standing !== null) return { kind: 'exists', commit: standing };
      const sha = await store().writeTag({
        name: request.name,
        object: request.commit,
        tagger: { ...identity, atMs: request.atMs },
        message: request.message,
      });
      const outcome = await store().updateRef({ ref, sha, expected: null });
      if (outcome !== 'updated') return (await noRoom(ref)) ?? { kind: 'rejected', sha: brandAs(sha, isSha) };
      await recordPush(act, [{ ref, before: null, after: sha }]);
      if (drawStrike(world, ['push-answer-lost'], PUSH) !== null)
        return { kind: 'unknown', message: 'the answer was lost' };
      return { kind: 'pushed', sha: brandAs(sha, isSha) };
    },
    deleteTags: async (names) => {
      options.onTransport();
      const act = await actAs(options, repo());
      if (act === null) return 'this token may not push';
      const refs = await store().refs('refs/tags/');
      for (const ref of names.map((name) => `refs/tags/${name}`)) {
        const sha = refs.get(ref);
        if (sha === undefined) continue;
        await store().updateRef({ ref, sha: null, expected: sha });
        await recordPush(act, [{ ref, before: sha, after: null }]);
      }
      return null;
    },
    exportTree: async () => {
      options.onTransport();
      return { files: [], submodules: [], ids: {} };
    },
  });
}

function onlyRepo(world: World): World['state']['repos'][string] {
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) throw new Error('the world has no repository');
  return repo;
}

type Act = Parameters<typeof recordPush>[0];

async function actAs(options: MemoryGitOptions, repo: ReturnType<typeof onlyRepo>): Promise<Act | null> {
  const { world } = options;
  const identity = identify(world, `Bearer ${await options.token()}`);
  if (!identity.ok) return null;
  const actor = findActor(world, identity.caller);
  if (actor === null || judgeAccess(world, identity.caller, repo, pushing) !== 'allowed') return null;
  return { world, repo, caller: identity.caller, actor };
}

async function entriesIn(store: GitStore, root: string, folder: string): Promise<readonly FolderEntry[]> {
  const start = await entryAt(store, root, folder);
  if (start === null || start.type !== 'tree') return [];
  const entries = (await store.readTree(start.sha)) ?? [];
  return entries.flatMap(({ name, type, sha, mode }): readonly FolderEntry[] =>
    type === 'tree' || type === 'blob'
      ? [
          {
            path: `${folder}/${name}`,
            type,
            id: brandAs(sha, isTreeId),
            ...(mode === '120000' ? { isLink: true } : {}),
            ...(mode === '100755' ? { isExecutable: true } : {}),
          },
        ]
      : [],
  );
}

async function listFiles(store: GitStore, root: string, folder: string): Promise<readonly string[]> {
  const start = folder === '' ? { type: 'tree', sha: root } : await entryAt(store, root, folder);
  if (start === null || start.type !== 'tree') return [];
  const found: string[] = [];
  const walk = async (tree: string, prefix: string): Promise<void> => {
    for (const entry of (await store.readTree(tree)) ?? []) {
      if (entry.type === 'tree') await walk(entry.sha, `${prefix}${entry.name}/`);
      else found.push(`${prefix}${entry.name}`);
    }
  };
  await walk(start.sha, folder === '' ? '' : `${folder}/`);
  return found.sort();
}
