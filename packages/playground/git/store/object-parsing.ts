/**
 * Parses git's raw tree, commit and tag bytes, including those of other clients (time zones, signatures, unusual
 * modes).
 */

import type { CommitObject, Sha, Signature, TagObject, TreeEntry } from './git-store.ts';

/** Entries of a raw tree body in git's order; throws when the bytes are not a tree. */
export function parseTree(body: Uint8Array): readonly TreeEntry[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > bytes.length) throw new Error(`torn tree at byte ${at}`);
    const { mode, type } = entryKind(bytes.toString('latin1', at, space));
    entries.push({
      mode,
      type,
      name: bytes.toString('utf8', space + 1, end),
      sha: bytes.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}

/** A raw commit body. The time zone is dropped because `atMs` is absolute; unused headers are skipped. */
export function parseCommit(sha: Sha, body: Uint8Array): CommitObject {
  const { headers, message } = splitHeaders(body);
  return {
    sha,
    tree: singleHeader(headers, 'tree'),
    parents: headers.filter(([key]) => key === 'parent').map(([, value]) => value),
    author: parseSignature(singleHeader(headers, 'author')),
    committer: parseSignature(singleHeader(headers, 'committer')),
    message,
  };
}

/** A raw annotated tag body. */
export function parseTag(sha: Sha, body: Uint8Array): TagObject {
  const { headers, message } = splitHeaders(body);
  return {
    sha,
    name: singleHeader(headers, 'tag'),
    object: singleHeader(headers, 'object'),
    tagger: parseSignature(singleHeader(headers, 'tagger')),
    message,
  };
}

/**
 * Mode and type of an entry from its octal mode; old group-writable files (100664) count as regular ones, as in git.
 */
function entryKind(octal: string): Pick<TreeEntry, 'mode' | 'type'> {
  const bits = Number.parseInt(octal, 8);
  switch (bits & 0o170000) {
    case 0o040000:
      return { mode: '040000', type: 'tree' };
    case 0o120000:
      return { mode: '120000', type: 'blob' };
    case 0o160000:
      return { mode: '160000', type: 'commit' };
    case 0o100000:
      return { mode: bits & 0o100 ? '100755' : '100644', type: 'blob' };
    default:
      throw new Error(`unknown file mode ${octal}`);
  }
}

type Header = readonly [key: string, value: string];

function splitHeaders(body: Uint8Array): { readonly headers: readonly Header[]; readonly message: string } {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const headers = head
    .split('\n')
    .filter((line) => !line.startsWith(' '))
    .map((line): Header => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), line.slice(space + 1)];
    });
  return { headers, message: end < 0 ? '' : text.slice(end + 2) };
}

function singleHeader(headers: readonly Header[], key: string): string {
  const found = headers.find(([name]) => name === key);
  if (found === undefined) throw new Error(`git object without ${key}`);
  return found[1];
}

function parseSignature(text: string): Signature {
  const match = /^(?<name>.*?) ?<(?<email>.*)> (?<seconds>\d+) [+-]\d{4}$/.exec(text);
  const { name, email, seconds } = match?.groups ?? {};
  if (name === undefined || email === undefined || seconds === undefined) throw new Error(`no git signature: ${text}`);
  return { name, email, atMs: Number(seconds) * 1000 };
}
