/** Creates and pushes commits and tags. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitRequest, GitWriter, PushOutcome, TagOutcome, TagRequest } from '../../domain/git.ts';
import { branded, isSha, type Sha } from '../../domain/ids.ts';
import { type GitIdentity, identityEnvironment } from './environment.ts';
import { type GitMirror, lastWords } from './mirror.ts';

/** A `GitWriter` on a mirror. The remote's compare-and-set (`--force-with-lease`) decides races. */
export function createWriter(mirror: GitMirror, identity: GitIdentity): GitWriter {
  return {
    commitAndPush: async (request) => {
      const commit = await makeCommit(mirror, identity, request);
      const tags: Push[] = [];
      for (const tag of request.tags ?? []) {
        const object = await makeTag(mirror, identity, { ...tag, commit, atMs: request.atMs });
        tags.push({ ref: `refs/tags/${tag.name}`, object, expected: null });
      }
      return push(mirror, { ref: request.ref, object: commit, expected: request.expected }, tags);
    },
    pushTag: (request) => pushTag(mirror, identity, request),
    deleteTags: (names) => deleteTags(mirror, names),
  };
}

type Push = { readonly ref: string; readonly object: Sha; readonly expected: Sha | null };

async function makeCommit(mirror: GitMirror, identity: GitIdentity, request: CommitRequest): Promise<Sha> {
  const parent = request.parent === 'expected' ? request.expected : request.parent;
  const tree = await makeTree(mirror, parent, request.files);
  const parents = [...(parent === null ? [] : [parent]), ...(request.merges ?? [])];
  const args = ['commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-F', '-'];
  const env = identityEnvironment(identity, request.atMs);
  const commit = await mirror.output({ args, input: withNewline(request.message), env }, 'failed');
  return branded(commit.trim(), isSha);
}

/** The parent's tree with the changed files, in a private index. */
async function makeTree(
  mirror: GitMirror,
  parent: Sha | null,
  files: CommitRequest['files'],
): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'ferrybot-commit-'));
  try {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    await mirror.output(
      { args: parent === null ? ['read-tree', '--empty'] : ['read-tree', parent], env },
      'unreadable',
    );
    const input = await indexLines(mirror, files, env, scratch);
    await mirror.output({ args: ['update-index', '-z', '--index-info'], input, env }, 'failed');
    return (await mirror.output({ args: ['write-tree', '--missing-ok'], env }, 'failed')).trim();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function indexLines(
  mirror: GitMirror,
  files: CommitRequest['files'],
  env: Readonly<Record<string, string>>,
  scratch: string,
): Promise<string> {
  const modes = await modesInIndex(mirror, Object.keys(files), env);
  const written = Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [{ path, text }]));
  const ids = await hashObjects(
    mirror,
    written.map((file) => file.text),
    scratch,
  );
  mirror.here.note(ids);
  const idOf = new Map(written.map((file, index) => [file.path, ids[index]]));
  return Object.keys(files)
    .map((path) => {
      const id = idOf.get(path);
      return id === undefined
        ? `0 ${'0'.repeat(40)}\t${path}\0`
        : `${modes.get(path) ?? '100644'} ${id}\t${path}\0`;
    })
    .join('');
}

/** Scripts keep their mode; links and submodules become files. */
async function modesInIndex(
  mirror: GitMirror,
  paths: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', ...paths];
  const listed = await mirror.output({ args, env }, 'failed');
  const entries = listed.split('\0').flatMap((line) => {
    const match = /^(100644|100755) [0-9a-f]{40} 0\t([\s\S]+)$/.exec(line);
    return match === null ? [] : [[match[2] ?? '', match[1] ?? ''] as const];
  });
  return new Map(entries);
}

/** One process for all files. */
async function hashObjects(
  mirror: GitMirror,
  texts: readonly string[],
  scratch: string,
): Promise<readonly string[]> {
  const paths = texts.map((_, index) => join(scratch, String(index)));
  for (const [index, path] of paths.entries()) await writeFile(path, texts[index] ?? '', 'utf8');
  if (paths.length === 0) return [];
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const ids = await mirror.output({ args, input: paths.map((path) => `${path}\n`).join('') }, 'failed');
  return ids.trim().split('\n');
}

/** Pushes an object if the ref is still `expected`; `others` are pushed atomically with it. */
async function push(mirror: GitMirror, wanted: Push, others: readonly Push[] = []): Promise<PushOutcome> {
  const all = [wanted, ...others];
  const result = await mirror.run({
    args: [
      'push',
      '--quiet',
      '--porcelain',
      '--no-verify',
      ...(others.length === 0 ? [] : ['--atomic']),
      ...all.map(({ ref, expected }) => `--force-with-lease=${ref}:${expected ?? ''}`),
      'origin',
      ...all.map(({ ref, object }) => `${object}:${ref}`),
    ],
  });
  if (result.ok) return pushed(mirror, wanted, others);
  return lookAfterwards(mirror, wanted, others, result);
}

async function pushed(mirror: GitMirror, wanted: Push, others: readonly Push[]): Promise<PushOutcome> {
  for (const { ref, object } of [wanted, ...others])
    await mirror.output({ args: ['update-ref', ref, object] }, 'failed');
  return { kind: 'pushed', sha: wanted.object };
}

/**
 * Resolves an unconfirmed push. Our object: it arrived. Another one: rejected. Still `expected`: refused if the remote said so, otherwise
 * unknown, since it may still arrive; the lease lets only one of it and a retry win. Atomic pushes need only one ref checked.
 */
async function lookAfterwards(
  mirror: GitMirror,
  wanted: Push,
  others: readonly Push[],
  result: Awaited<ReturnType<GitMirror['run']>>,
): Promise<PushOutcome> {
  const { ref, object, expected } = wanted;
  const above = foldersOf(ref);
  const looked = await mirror.run({ args: ['ls-remote', '--quiet', 'origin', ref, ...above, `${ref}/*`] });
  if (!looked.ok) return { kind: 'unknown', message: `${lastWords(result)}; then ${lastWords(looked)}` };
  const now = remoteId(looked.stdout, ref);
  if (now === object) return pushed(mirror, wanted, others);
  if (now !== expected) return { kind: 'rejected', sha: object };
  const saidNo = /^!\t/m.test(result.stdout) && !/\[remote failure\]/.test(result.stdout);
  const line = refusedLine(result.stdout, others);
  if (line !== null && saidNo) return { kind: 'refused', message: `${line} (${lastWords(result)})` };
  const names = looked.stdout.split('\n').map((text) => text.split('\t')[1] ?? '');
  const inTheWay = names.find((name) => above.includes(name) || name.startsWith(`${ref}/`));
  if (inTheWay !== undefined && saidNo)
    return { kind: 'refused', message: `${inTheWay} is there and leaves no room for ${ref}: delete it` };
  if (LOST_RACE.test(result.stdout)) return { kind: 'rejected', sha: object };
  return { kind: saidNo ? 'refused' : 'unknown', message: refusalOf(result) };
}

/** Git stores refs like files, so a ref cannot be a folder of another. */
function foldersOf(ref: string): readonly string[] {
  const parts = ref.split('/');
  return parts.flatMap((_, at) => (at < 3 ? [] : [parts.slice(0, at).join('/')]));
}

/** The remote's refusal of one of `others`; their names are unique, so it was not a race. */
function refusedLine(stdout: string, others: readonly Push[]): string | null {
  const line = stdout
    .split('\n')
    .find((text) => text.startsWith('!\t') && others.some(({ ref }) => text.includes(`:${ref}\t`)));
  return line === undefined || /atomic/.test(line) ? null : line.split('\t').slice(1).join(' ');
}

/** The winner may hold the ref's lock without having moved it yet. */
const LOST_RACE =
  /stale info|fetch first|non-fast-forward|already exists|failed to update ref|cannot lock ref|failed to lock|incorrect old value/;

function refusalOf(result: Awaited<ReturnType<GitMirror['run']>>): string {
  const line = result.stdout.split('\n').find((text) => text.startsWith('!\t'));
  return line === undefined
    ? lastWords(result)
    : `${line.split('\t').slice(2).join(' ')} (${lastWords(result)})`;
}

function remoteId(listing: string, ref: string): string | null {
  for (const line of listing.split('\n')) {
    const [id, name] = line.split('\t');
    if (name === ref && id !== undefined) return id;
  }
  return null;
}

async function pushTag(mirror: GitMirror, identity: GitIdentity, request: TagRequest): Promise<TagOutcome> {
  const ref = `refs/tags/${request.name}`;
  const object = await makeTag(mirror, identity, request);
  const outcome = await push(mirror, { ref, object, expected: null });
  if (outcome.kind !== 'rejected') return outcome;
  const call = { args: ['ls-remote', '--quiet', 'origin', ref, `${ref}^{}`] };
  const looked = await mirror.run(call);
  if (!looked.ok) return { kind: 'unknown', message: lastWords(looked) };
  // A lightweight tag has no peeled line and points to the commit itself.
  const commit = remoteId(looked.stdout, `${ref}^{}`) ?? remoteId(looked.stdout, ref);
  return commit === null ? outcome : { kind: 'exists', commit: branded(commit, isSha) };
}

/** Tags that one push deletes: their names stay far below what a command line may have. */
const TAGS_DELETED_AT_ONCE = 200;

async function deleteTags(mirror: GitMirror, names: readonly string[]): Promise<string | null> {
  let refused: string | null = null;
  for (let at = 0; at < names.length; at += TAGS_DELETED_AT_ONCE) {
    const refs = names.slice(at, at + TAGS_DELETED_AT_ONCE).map((name) => `:refs/tags/${name}`);
    const result = await mirror.run({ args: ['push', '--quiet', '--no-verify', 'origin', ...refs] });
    if (!result.ok) refused = lastWords(result);
  }
  return refused;
}

/** The same request gives the same tag object, so that a tag whose answer was lost is known as ours. */
async function makeTag(mirror: GitMirror, identity: GitIdentity, request: TagRequest): Promise<Sha> {
  const { name, commit, message, atMs } = request;
  const input = [
    `object ${commit}`,
    'type commit',
    `tag ${name}`,
    `tagger ${identity.name} <${identity.email}> ${Math.floor(atMs / 1000)} +0000`,
    '',
    withNewline(message),
  ].join('\n');
  return branded((await mirror.output({ args: ['mktag'], input }, 'failed')).trim(), isSha);
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
