/** Routes of git objects (docs.github.com/rest/git): blobs, trees, commits, annotated tags. */

import * as z from 'zod';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  notFoundAnswer,
  okAnswer,
  rawAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import { type ActorCall, type RepoCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { github } from '../../limits/limits.ts';
import type { JsonObject } from '../../world/json.ts';
import { nodeId } from '../../world/node-id.ts';
import { resolveCommit, typeOfObject } from '../resolve-commit.ts';
import { shapeGitCommit, shapeSignature, userSignature } from '../shape-commit.ts';
import { repoApi } from '../shape-repo.ts';
import type { Signature, TreeEntry } from '../store/git-store.ts';
import { changeTree, listTree, type PathChange } from '../store/git-trees.ts';
import { isTreePath } from '../tree-path.ts';

const read = repoAccess('contents:read', 'public');
const write = repoAccess('contents:write', 'write');

const blob = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });
const mode = z.enum(['100644', '100755', '120000', '040000', '160000']);
const tree = z.object({
  base_tree: z.string().optional(),
  tree: z
    .array(
      z.object({
        path: z.string().min(1),
        mode: mode.default('100644'),
        type: z.enum(['blob', 'tree', 'commit']).optional(),
        sha: z.string().nullish(),
        content: z.string().optional(),
      }),
    )
    .max(github.treeEntries),
});
const person = z.object({ name: z.string(), email: z.string(), date: z.iso.datetime({ offset: true }).optional() });
const commit = z.object({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: person.optional(),
  committer: person.optional(),
});
const tag = z.object({
  tag: z.string(),
  message: z.string(),
  object: z.string(),
  type: z.enum(['commit', 'tree', 'blob']),
  tagger: person.optional(),
});

export const gitDataRoutes: readonly Route[] = [
  readRoute('/git/blobs/:sha', read, getBlob),
  writeRoute('POST', '/git/blobs', write, blob, async (call, body) => {
    const sha = await call.world.gitOf(call.repo).writeBlob(Buffer.from(body.content, body.encoding));
    return createdAnswer({ sha, url: `${repoApi(call.world, call.repo)}/git/blobs/${sha}` });
  }),
  readRoute('/git/trees/:sha*', read, getTree),
  writeRoute('POST', '/git/trees', write, tree, createTree),
  readRoute('/git/commits/:sha', read, async (call) => {
    const found = await call.world.gitOf(call.repo).readCommit(call.params['sha'] ?? '');
    return found === null ? notFoundAnswer() : okAnswer(shapeGitCommit(call.world, call.repo, found));
  }),
  writeRoute('POST', '/git/commits', write, commit, createCommit),
  readRoute('/git/tags/:sha', read, async (call) => {
    const sha = call.params['sha'] ?? '';
    return (await call.world.gitOf(call.repo).readTag(sha)) === null
      ? notFoundAnswer()
      : okAnswer(await shapeTag(call, sha));
  }),
  writeRoute('POST', '/git/tags', write, tag, createTag),
];

async function getBlob(call: RepoCall): Promise<Answer> {
  const sha = call.params['sha'] ?? '';
  const bytes = await call.world.gitOf(call.repo).readBlob(sha);
  if (bytes === null) return notFoundAnswer();
  if (call.accept.includes('raw')) return rawAnswer(bytes, 'application/vnd.github.raw; charset=utf-8');
  return okAnswer({
    sha,
    node_id: nodeId('B', `${call.repo.id}:${sha}`),
    size: bytes.length,
    url: `${repoApi(call.world, call.repo)}/git/blobs/${sha}`,
    content: base64Lines(bytes),
    encoding: 'base64',
  });
}

async function getTree(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const name = call.params['sha'] ?? '';
  const commitSha = await resolveCommit(store, call.repo, name);
  const sha = commitSha === null ? name : ((await store.readCommit(commitSha))?.tree ?? name);
  const listing = await listTree(store, sha, { recursive: call.query.has('recursive'), limit: github.treeEntries });
  return listing === null ? notFoundAnswer() : okAnswer(await shapeTree(call, sha, listing));
}

async function createTree(call: ActorCall, body: z.infer<typeof tree>): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const changes = new Map<string, PathChange>();
  for (const entry of body.tree) {
    if (!isTreePath(entry.path)) return unprocessableAnswer('tree.path contains a malformed path component');
    const sha = entry.content === undefined ? entry.sha : await store.writeBlob(Buffer.from(entry.content));
    if (sha === undefined) return unprocessableAnswer('tree.sha or tree.content must be given');
    if (sha !== null && (await typeOfObject(store, sha)) === null && entry.mode !== '160000') {
      return unprocessableAnswer(`tree.sha ${sha} is not a valid ${entry.type ?? 'blob'}`);
    }
    changes.set(entry.path, sha === null ? null : { mode: entry.mode, sha });
  }
  const base = body.base_tree;
  const baseTree = base === undefined ? null : ((await store.readCommit(base))?.tree ?? base);
  if (baseTree !== null && (await store.readTree(baseTree)) === null) {
    return failedAnswer(404, 'base_tree is not a valid tree');
  }
  const sha = await changeTree(store, baseTree, changes);
  const listing = await listTree(store, sha, { recursive: false, limit: github.treeEntries });
  return listing === null ? notFoundAnswer() : createdAnswer(await shapeTree(call, sha, listing));
}

async function createCommit(call: ActorCall, body: z.infer<typeof commit>): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  if ((await store.readTree(body.tree)) === null) return unprocessableAnswer('Tree SHA does not exist');
  for (const parent of body.parents) {
    if ((await store.readCommit(parent)) === null)
      return unprocessableAnswer('Parent SHA does not exist or is not a commit object');
  }
  const author = signature(call, body.author);
  const committer = body.committer === undefined ? author : signature(call, body.committer);
  const sha = await store.writeCommit({
    tree: body.tree,
    parents: body.parents,
    author,
    committer,
    message: body.message,
  });
  const written = await store.readCommit(sha);
  return written === null ? notFoundAnswer() : createdAnswer(shapeGitCommit(call.world, call.repo, written));
}

async function createTag(call: ActorCall, body: z.infer<typeof tag>): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  if ((await typeOfObject(store, body.object)) !== body.type) return unprocessableAnswer('Object does not exist');
  const sha = await store.writeTag({
    name: body.tag,
    object: body.object,
    tagger: signature(call, body.tagger),
    message: body.message,
  });
  return createdAnswer(await shapeTag(call, sha));
}

function signature(call: ActorCall, given: z.infer<typeof person> | undefined): Signature {
  const now = call.world.clock.now();
  if (given === undefined) return userSignature(call.actor, now);
  return { name: given.name, email: given.email, atMs: given.date === undefined ? now : Date.parse(given.date) };
}

async function shapeTag(call: RepoCall, sha: string): Promise<JsonObject> {
  const store = call.world.gitOf(call.repo);
  const found = await store.readTag(sha);
  if (found === null) throw new Error(`tag ${sha} was not written`);
  const api = repoApi(call.world, call.repo);
  const type = (await typeOfObject(store, found.object)) ?? 'commit';
  return {
    node_id: nodeId('T', `${call.repo.id}:${sha}`),
    tag: found.name,
    sha,
    url: `${api}/git/tags/${sha}`,
    message: found.message.replace(/\n$/, ''),
    tagger: shapeSignature(found.tagger),
    object: { type, sha: found.object, url: `${api}/git/${type}s/${found.object}` },
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}

type Listing = NonNullable<Awaited<ReturnType<typeof listTree>>>;

async function shapeTree(call: RepoCall, sha: string, listing: Listing): Promise<JsonObject> {
  const store = call.world.gitOf(call.repo);
  const api = repoApi(call.world, call.repo);
  const blobs = listing.entries.filter(({ type }) => type === 'blob').map(({ sha: id }) => id);
  const sizes = await store.blobSizes(blobs);
  const shape = (entry: TreeEntry & { readonly path: string }): JsonObject => {
    const size = entry.type === 'blob' ? (sizes.get(entry.sha) ?? 0) : null;
    return {
      path: entry.path,
      mode: entry.mode,
      type: entry.type,
      sha: entry.sha,
      ...(size === null ? {} : { size }),
      url: `${api}/git/${entry.type}s/${entry.sha}`,
    };
  };
  const entries = listing.entries.map(shape);
  return { sha, url: `${api}/git/trees/${sha}`, tree: entries, truncated: listing.truncated };
}

/** Base64 in lines of 60 characters, as on GitHub. */
export function base64Lines(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,60}/g, '$&\n');
}
