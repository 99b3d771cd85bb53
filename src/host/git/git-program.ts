/** Git access through the git program: pushes, tags, and one mirror per repository. */

import {
  type CommitRequest,
  GitError,
  type GitExporter,
  type GitReader,
  type GitWriter,
  type PushOutcome,
  type TagOutcome,
  type TagRequest,
} from '../../domain/git.ts';
import { brandAs, isSha, type Sha } from '../../domain/values.ts';
import { exportTree } from './export-tree.ts';
import { createFetcher } from './fetch.ts';
import { createMirror, type GitIdentity, type GitMirror, lastLines, type MirrorOptions } from './mirror.ts';
import { createReader, readTree, rootTree } from './read.ts';
import { FOLDER_MODE, formatTree, type TreeRow } from './tree-on-disk.ts';

/** A `GitWriter` on a mirror. The remote's compare-and-set (`--force-with-lease`) decides races. */
function createWriter(mirror: GitMirror, identity: GitIdentity): GitWriter {
  return {
    commitAndPush: async (request) => {
      const commit = await makeCommit(mirror, identity, request);
      const tags: Push[] = [];
      for (const tag of request.tags ?? []) {
        const object = await makeTag(mirror, identity, { ...tag, commit, atMs: request.atMs });
        tags.push({ ref: `refs/tags/${tag.name}`, object, expected: null });
      }
      return pushRef(mirror, { ref: request.ref, object: commit, expected: request.expected }, tags);
    },
    pushTag: (request) => pushTag(mirror, identity, request),
    deleteTags: (names) => deleteTags(mirror, names),
  };
}

type Push = { readonly ref: string; readonly object: Sha; readonly expected: Sha | null };

async function makeCommit(mirror: GitMirror, identity: GitIdentity, request: CommitRequest): Promise<Sha> {
  const parent = request.parent === 'expected' ? request.expected : request.parent;
  const root = parent === null ? null : await rootTree(mirror, parent);
  const changes = Object.entries(request.files).map(([path, text]) => ({ names: path.split('/'), text }));
  const tree = (await writeChangedTree(mirror, root, changes)) ?? (await writeTree(mirror, []));
  const parents = [...(parent === null ? [] : [parent]), ...(request.merges ?? [])];
  const who = formatSignature(identity, request.atMs);
  const lines = [
    `tree ${tree}`,
    ...parents.map((one) => `parent ${one}`),
    `author ${who}`,
    `committer ${who}`,
    '',
    endWithNewline(request.message),
  ];
  return brandAs(await mirror.objects.write('commit', Buffer.from(lines.join('\n'))), isSha);
}

type Change = { readonly names: readonly string[]; readonly text: string | null };

/** A tree with the changed files; null if nothing is left. Scripts keep their mode; links and submodules become files. */
async function writeChangedTree(
  mirror: GitMirror,
  tree: string | null,
  changes: readonly Change[],
): Promise<string | null> {
  const rows = new Map((tree === null ? [] : await readTree(mirror, tree)).map((row) => [row.name, row]));
  const byName = Map.groupBy(changes, ({ names: [name = ''] }) => name);
  for (const [name, ofName] of byName) {
    if (NOT_A_NAME.test(name)) throw new GitError('failed', `git has no file named ${JSON.stringify(name)}`);
    const own = ofName.find(({ names }) => names.length === 1);
    const below = ofName.flatMap(({ names: [, ...names], text }) => (names.length === 0 ? [] : [{ names, text }]));
    const before = rows.get(name);
    if (own !== undefined) rows.delete(name);
    if (own?.text != null) {
      const mode = before?.mode === '100755' ? before.mode : '100644';
      rows.set(name, { name, mode, id: await mirror.objects.write('blob', Buffer.from(own.text, 'utf8')) });
    }
    if (below.length === 0) continue;
    const folder = before?.mode === FOLDER_MODE ? before.id : null;
    const id = await writeChangedTree(mirror, folder, below);
    if (id !== null) rows.set(name, { name, mode: FOLDER_MODE, id });
    else if (folder !== null) rows.delete(name);
  }
  return rows.size === 0 ? null : writeTree(mirror, [...rows.values()]);
}

const NOT_A_NAME = /^(?:|\.|\.\.|\.git)$|\0/i;

function writeTree({ objects }: GitMirror, rows: readonly TreeRow[]): Promise<string> {
  return objects.write('tree', formatTree(rows));
}

/** Author, committer or tagger. Git has no way to quote these characters. */
function formatSignature({ name, email }: GitIdentity, atMs: number): string {
  const [who, where] = [name, email].map((text) => text.replaceAll(/[<>\n\0]/g, '').trim());
  return `${who} <${where}> ${Math.floor(atMs / 1000)} +0000`;
}

/** Pushes an object if the ref is still `expected`; `others` are pushed atomically with it. */
async function pushRef(mirror: GitMirror, wanted: Push, others: readonly Push[] = []): Promise<PushOutcome> {
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
  if (result.ok) return pushAndVerify(mirror, wanted, others);
  return checkAfterPush(mirror, wanted, others, result);
}

async function pushAndVerify(mirror: GitMirror, wanted: Push, others: readonly Push[]): Promise<PushOutcome> {
  for (const { ref, object } of [wanted, ...others]) await mirror.refs.note(ref, object);
  return { kind: 'pushed', sha: wanted.object };
}

/**
 * Resolves an unconfirmed push by the remote's ref. Our object: pushed. Another object: rejected. Still `expected`: refused if the remote
 * reported that, otherwise unknown. The push may still arrive; the lease lets only it or a retry win. For atomic pushes, one ref suffices.
 */
async function checkAfterPush(
  mirror: GitMirror,
  wanted: Push,
  others: readonly Push[],
  result: Awaited<ReturnType<GitMirror['run']>>,
): Promise<PushOutcome> {
  const { ref, object, expected } = wanted;
  const above = parentRefs(ref);
  const looked = await mirror.run({ args: ['ls-remote', '--quiet', 'origin', ref, ...above, `${ref}/*`] });
  if (!looked.ok) return { kind: 'unknown', message: `${lastLines(result)}; then ${lastLines(looked)}` };
  const now = findRemoteId(looked.stdout, ref);
  if (now === object) return pushAndVerify(mirror, wanted, others);
  if (now !== expected) return { kind: 'rejected', sha: object };
  const saidNo = /^!\t/m.test(result.stdout) && !/\[remote failure\]/.test(result.stdout);
  const line = findRefusedLine(result.stdout, others);
  if (line !== null && saidNo) return { kind: 'refused', message: `${line} (${lastLines(result)})` };
  const names = looked.stdout.split('\n').map((text) => text.split('\t')[1] ?? '');
  const inTheWay = names.find((name) => above.includes(name) || name.startsWith(`${ref}/`));
  if (inTheWay !== undefined && saidNo)
    return { kind: 'refused', message: `${inTheWay} is there and leaves no room for ${ref}: delete it` };
  if (LOST_RACE.test(result.stdout)) return { kind: 'rejected', sha: object };
  return { kind: saidNo ? 'refused' : 'unknown', message: describeRefusal(result) };
}

/** Git stores refs like files, so a ref cannot be a folder of another. */
function parentRefs(ref: string): readonly string[] {
  const parts = ref.split('/');
  return parts.flatMap((_, at) => (at < 3 ? [] : [parts.slice(0, at).join('/')]));
}

/** The remote's refusal of one of `others`; their names are unique, so it was not a race. */
function findRefusedLine(stdout: string, others: readonly Push[]): string | null {
  const line = stdout
    .split('\n')
    .find((text) => text.startsWith('!\t') && others.some(({ ref }) => text.includes(`:${ref}\t`)));
  return line === undefined || /atomic/.test(line) ? null : line.split('\t').slice(1).join(' ');
}

/** The winner may hold the ref's lock without having moved it yet. */
const LOST_RACE =
  /stale info|fetch first|non-fast-forward|already exists|failed to update ref|cannot lock ref|failed to lock|incorrect old value/;

function describeRefusal(result: Awaited<ReturnType<GitMirror['run']>>): string {
  const line = result.stdout.split('\n').find((text) => text.startsWith('!\t'));
  return line === undefined ? lastLines(result) : `${line.split('\t').slice(2).join(' ')} (${lastLines(result)})`;
}

function findRemoteId(listing: string, ref: string): string | null {
  for (const line of listing.split('\n')) {
    const [id, name] = line.split('\t');
    if (name === ref && id !== undefined) return id;
  }
  return null;
}

async function pushTag(mirror: GitMirror, identity: GitIdentity, request: TagRequest): Promise<TagOutcome> {
  const ref = `refs/tags/${request.name}`;
  const object = await makeTag(mirror, identity, request);
  const outcome = await pushRef(mirror, { ref, object, expected: null });
  if (outcome.kind !== 'rejected') return outcome;
  const call = { args: ['ls-remote', '--quiet', 'origin', ref, `${ref}^{}`] };
  const looked = await mirror.run(call);
  if (!looked.ok) return { kind: 'unknown', message: lastLines(looked) };
  // A lightweight tag has no peeled line and points to the commit itself.
  const commit = findRemoteId(looked.stdout, `${ref}^{}`) ?? findRemoteId(looked.stdout, ref);
  return commit === null ? outcome : { kind: 'exists', commit: brandAs(commit, isSha) };
}

/** Tags per deleting push, so that the names stay far below the limit of a command line. */
const TAGS_DELETED_AT_ONCE = 200;

async function deleteTags(mirror: GitMirror, names: readonly string[]): Promise<string | null> {
  let refused: string | null = null;
  for (let at = 0; at < names.length; at += TAGS_DELETED_AT_ONCE) {
    const refs = names.slice(at, at + TAGS_DELETED_AT_ONCE).map((name) => `:refs/tags/${name}`);
    const result = await mirror.run({ args: ['push', '--quiet', '--no-verify', 'origin', ...refs] });
    if (!result.ok) refused = lastLines(result);
  }
  return refused;
}

/** The same request gives the same tag object, so that a retry after a lost answer recognizes its own tag. */
async function makeTag(mirror: GitMirror, identity: GitIdentity, request: TagRequest): Promise<Sha> {
  const { name, commit, message, atMs } = request;
  const lines = [
    `object ${commit}`,
    'type commit',
    `tag ${name}`,
    `tagger ${formatSignature(identity, atMs)}`,
    '',
    endWithNewline(message),
  ];
  return brandAs(await mirror.objects.write('tag', Buffer.from(lines.join('\n'))), isSha);
}

function endWithNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Git access through one bare mirror per directory, shared by all identities. Ref changes are serialized: git rejects concurrent ones. */
export function createGitProgram(
  options: MirrorOptions,
): (identity: GitIdentity) => GitReader & GitWriter & GitExporter {
  const mirror = createMirror(options);
  const inTurn = createQueue();
  const reader = createReader(mirror, createFetcher(mirror, inTurn));
  return (identity) => {
    const writer = createWriter(mirror, identity);
    return {
      ...reader,
      commitAndPush: (request) => inTurn(() => writer.commitAndPush(request)),
      exportTree: (commit, paths, directory) => inTurn(() => exportTree(mirror, commit, paths, directory)),
      pushTag: (request) => inTurn(() => writer.pushTag(request)),
      deleteTags: (names) => inTurn(() => writer.deleteTags(names)),
    };
  };
}

/** A failed task does not stop the next one. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task, task);
    last = next;
    return next;
  };
}
