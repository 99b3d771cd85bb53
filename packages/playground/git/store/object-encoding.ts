/** Git's loose-object encoding: the exact bytes of trees, commits and tags, and the SHA-1 id over them. */

import { hash } from 'node:crypto';
import type { CommitObject, Sha, Signature, TagObject, TreeEntry } from './git-store.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

/** The empty tree; git knows it in every repository, even if it was never written. */
export const emptyTreeSha: Sha = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** SHA-1 over `<type> <length>\0<body>`, lower-case hex (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects). */
export function objectId(type: ObjectType, body: Uint8Array): Sha {
  return hash('sha1', Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]));
}

/** True for a full object id: 40 lower-case hex digits. */
export function isSha(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** Bytes of a tree whose entries are already in git's order (`orderedTreeEntries`). */
export function encodeTree(entries: readonly TreeEntry[]): Uint8Array {
  return Buffer.concat(
    entries.flatMap(({ mode, name, sha }) => [
      Buffer.from(`${mode === '040000' ? '40000' : mode} ${name}\0`),
      Buffer.from(sha, 'hex'),
    ]),
  );
}

/** Bytes of a commit; the message is kept exactly, a repeated parent counts once. */
export function encodeCommit(commit: Omit<CommitObject, 'sha'>): Uint8Array {
  const parents = [...new Set(commit.parents)].map((parent) => `parent ${parent}\n`).join('');
  return Buffer.from(
    `tree ${commit.tree}\n${parents}author ${encodeSignature(commit.author)}\n` +
      `committer ${encodeSignature(commit.committer)}\n\n${withoutNul(commit.message)}`,
  );
}

/** Bytes of an annotated tag of an object of type `objectType`. */
export function encodeTag(tag: Omit<TagObject, 'sha'>, objectType: ObjectType): Uint8Array {
  return Buffer.from(
    `object ${tag.object}\ntype ${objectType}\ntag ${tag.name}\n` +
      `tagger ${encodeSignature(tag.tagger)}\n\n${withoutNul(tag.message)}`,
  );
}

/** The signature as git returns it: no angle brackets or line breaks in names, whole seconds. */
export function storedSignature(signature: Signature): Signature {
  const seconds = Math.floor(signature.atMs / 1000);
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw new Error(`no git time: ${signature.atMs} ms`);
  const name = withoutBrackets(signature.name);
  if (name === '') throw new Error('git needs a name for an author, committer or tagger');
  return { name, email: withoutBrackets(signature.email), atMs: seconds * 1000 };
}

function encodeSignature(signature: Signature): string {
  const { name, email, atMs } = storedSignature(signature);
  return `${name} <${email}> ${atMs / 1000} +0000`;
}

// These characters would end a name or a header line early; git refuses or drops them too.
function withoutBrackets(text: string): string {
  return text.replace(/[<>\n\r\0]/g, '').trim();
}

function withoutNul(message: string): string {
  if (message.includes('\0')) throw new Error('a git message cannot contain NUL');
  return message;
}
