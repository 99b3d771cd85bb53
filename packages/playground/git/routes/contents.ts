/** Routes of files (docs.github.com/rest/repos/contents): read, list, write, delete. Each write is one commit. */

import * as z from 'zod';
import {
  type Answer,
  failedAnswer,
  notFoundAnswer,
  okAnswer,
  rawAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import { type ActorCall, type RepoCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { github } from '../../limits/limits.ts';
import type { JsonObject } from '../../world/json.ts';
import { moveMessage, moveRef } from '../move-refs.ts';
import { branchTip, resolveCommit } from '../resolve-commit.ts';
import { shapeGitCommit, userSignature, webFlowSignature } from '../shape-commit.ts';
import { repoApi, repoPage } from '../shape-repo.ts';
import type { Sha, Signature } from '../store/git-store.ts';
import { changeTree, entryAt, listTree, type PathEntry } from '../store/git-trees.ts';
import { isTreePath } from '../tree-path.ts';
import { base64Lines } from './git-data.ts';
import { refuseMove } from './refs.ts';

const read = repoAccess('contents:read', 'public');
const write = repoAccess('contents:write', 'write');
const person = z.object({ name: z.string(), email: z.string(), date: z.iso.datetime({ offset: true }).optional() });
const fileWrite = z.object({
  message: z.string(),
  // Encoders add line breaks; GitHub accepts them.
  content: z
    .string()
    .transform((text) => text.replaceAll(/\s/g, ''))
    .pipe(z.base64()),
  sha: z.string().optional(),
  branch: z.string().optional(),
  committer: person.optional(),
  author: person.optional(),
});
const fileDelete = fileWrite.omit({ content: true }).extend({ sha: z.string() });

export const contentRoutes: readonly Route[] = [
  readRoute('/contents', read, getContents),
  readRoute('/contents/:path*', read, getContents),
  // Found by its name in the root folder, as GitHub finds most (docs: about READMEs).
  readRoute('/readme', read, async (call) => {
    for (const path of ['README.md', 'README', 'readme.md', '.github/README.md', 'docs/README.md']) {
      const answer = await getContents({ ...call, params: { ...call.params, path } });
      if (answer.status !== 404) return answer;
    }
    return notFoundAnswer();
  }),
  writeRoute('PUT', '/contents/:path*', write, fileWrite, (call, body) => {
    return changeFile(call, body, Buffer.from(body.content, 'base64'));
  }),
  writeRoute('DELETE', '/contents/:path*', write, fileDelete, (call, body) => changeFile(call, body, null)),
];

async function getContents(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const ref = call.query.get('ref') ?? call.repo.defaultBranch;
  const commit = await resolveCommit(store, call.repo, ref);
  if (commit === null) return failedAnswer(404, `No commit found for the ref ${ref}`);
  const root = (await store.readCommit(commit))?.tree ?? null;
  const entry = root === null ? null : await entryAt(store, root, call.params['path'] ?? '');
  if (entry === null) return notFoundAnswer();
  if (entry.type === 'tree') {
    const listing = await listTree(store, entry.sha, { recursive: false, limit: github.directoryEntries });
    const prefix = entry.path === '' ? '' : `${entry.path}/`;
    const rows = (listing?.entries ?? []).map((one) => ({ ...one, path: `${prefix}${one.path}` }));
    const sizes = await store.blobSizes(rows.filter(({ type }) => type === 'blob').map(({ sha }) => sha));
    return okAnswer(rows.map((one) => shapeContent(call, one, ref, { size: sizes.get(one.sha) ?? 0, bytes: null })));
  }
  const bytes = await store.readBlob(entry.sha);
  if (bytes === null) return notFoundAnswer();
  if (call.accept.includes('raw')) return rawAnswer(bytes, 'application/vnd.github.raw; charset=utf-8');
  return okAnswer(shapeContent(call, entry, ref, { size: bytes.length, bytes }));
}

type Change = z.infer<typeof fileDelete> | z.infer<typeof fileWrite>;

/** Writes (bytes) or deletes (null) a file in one commit; a wrong `sha` of the old file is a 409. */
async function changeFile(call: ActorCall, body: Change, bytes: Uint8Array | null): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const branch = body.branch ?? call.repo.defaultBranch;
  const path = call.params['path'] ?? '';
  const tip = await branchTip(store, branch);
  // The first file in an empty repository creates its first commit.
  const isFirst = tip === null && bytes !== null && (await store.refs('refs/heads/')).size === 0;
  if (tip === null && !isFirst) return failedAnswer(404, `Branch ${branch} not found`);
  const base = tip === null ? null : await store.readCommit(tip);
  if (tip !== null && base === null) return notFoundAnswer();
  const old = base === null ? null : await entryAt(store, base.tree, path);
  const problem = findShaProblem(path, old, body.sha, bytes === null);
  if (problem !== null) return problem;
  const blob = bytes === null ? null : await store.writeBlob(bytes);
  const tree = await changeTree(
    store,
    base?.tree ?? null,
    new Map([[path, blob === null ? null : { mode: old?.mode ?? ('100644' as const), sha: blob }]]),
  );
  const sha = await store.writeCommit({
    tree,
    parents: tip === null ? [] : [tip],
    ...signatures(call, body),
    message: body.message,
  });
  const ref = `refs/heads/${branch}`;
  const outcome = await moveRef(call, { ref, sha, expected: tip });
  if (outcome === 'stale') return failedAnswer(409, `${branch} is at another commit but expected ${tip ?? 'nothing'}`);
  if (outcome !== 'updated' && outcome.startsWith('rule/')) return failedAnswer(409, moveMessage(outcome, ref));
  if (outcome !== 'updated') return refuseMove(outcome, ref);
  return answerWritten(call, path, blob, sha, branch, old === null);
}

async function answerWritten(
  call: ActorCall,
  path: string,
  blob: Sha | null,
  sha: Sha,
  branch: string,
  isNew: boolean,
): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const commit = await store.readCommit(sha);
  if (commit === null) return notFoundAnswer();
  const name = path.split('/').at(-1) ?? path;
  const entry = blob === null ? null : ({ path, name, sha: blob, mode: '100644', type: 'blob' } as const);
  const size = (blob === null ? undefined : (await store.blobSizes([blob])).get(blob)) ?? 0;
  const answer = okAnswer({
    content: entry === null ? null : shapeContent(call, entry, branch, { size, bytes: null }),
    commit: shapeGitCommit(call.world, call.repo, commit),
  });
  return { ...answer, status: isNew ? 201 : 200 };
}

function findShaProblem(
  path: string,
  old: PathEntry | null,
  given: string | undefined,
  deleting: boolean,
): Answer | null {
  if (!isTreePath(path)) return unprocessableAnswer('path contains a malformed path component');
  if (old === null) return deleting ? notFoundAnswer() : null;
  if (old.type !== 'blob') return unprocessableAnswer(`${path} is a directory`);
  if (given === undefined) return unprocessableAnswer('Invalid request.\n\n"sha" wasn\'t supplied.');
  return given === old.sha ? null : failedAnswer(409, `${path} does not match ${given}`);
}

function signatures(call: ActorCall, body: Change): { readonly author: Signature; readonly committer: Signature } {
  const now = call.world.clock.now();
  const of = (one: z.infer<typeof person>): Signature => ({
    name: one.name,
    email: one.email,
    atMs: one.date === undefined ? now : Date.parse(one.date),
  });
  const committer = body.committer === undefined ? webFlowSignature(now) : of(body.committer);
  const fallback = body.committer === undefined ? userSignature(call.actor, now) : committer;
  return { committer, author: body.author === undefined ? fallback : of(body.author) };
}

/** `bytes` null: an entry of a directory, without its content. */
function shapeContent(
  call: RepoCall,
  entry: PathEntry,
  ref: string,
  { size, bytes }: { readonly size: number; readonly bytes: Uint8Array | null },
): JsonObject {
  const path = entry.path.split('/').map(encodeURIComponent).join('/');
  const url = `${repoApi(call.world, call.repo)}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  const kind = entry.type === 'tree' ? 'tree' : 'blob';
  const at = ref.split('/').map(encodeURIComponent).join('/');
  const page = `${repoPage(call.world, call.repo)}/${kind}/${at}/${path}`;
  const small = bytes !== null && bytes.length <= github.contentBytes;
  return {
    name: entry.name,
    path: entry.path,
    sha: entry.sha,
    size,
    url,
    html_url: page,
    git_url: `${repoApi(call.world, call.repo)}/git/${kind}s/${entry.sha}`,
    download_url: entry.type === 'blob' ? `${repoPage(call.world, call.repo)}/raw/${at}/${path}` : null,
    type: entry.type === 'tree' ? 'dir' : entry.type === 'commit' ? 'submodule' : 'file',
    ...(bytes !== null ? { content: small ? base64Lines(bytes) : '', encoding: small ? 'base64' : 'none' } : {}),
    _links: { self: url, git: `${repoApi(call.world, call.repo)}/git/${kind}s/${entry.sha}`, html: page },
  };
}
