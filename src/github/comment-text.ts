/** What people wrote, without what looks like a token: a thread of thousands is looked at again and again, and each of its texts is searched once. */

import type { Digest } from '../domain/ids.ts';
import { withoutTokens } from '../host/redactor.ts';

/** Texts of comments of which a process remembers that nothing in them looks like a token: those of two full threads. */
const COMMENT_TEXTS_KEPT = 40_000;
/** Characters of texts without their tokens that a process keeps: 500 of the longest. */
export const COMMENT_CHARACTERS_KEPT = 32_000_000;

/** By the digest of the text as it was written; null: nothing in it looks like a token. */
const searched = new Map<Digest, string | null>();
let charactersKept = 0;

/**
 * A person's text as it may be recorded. `digest` stands for the text, so that an edit is searched anew. A clean text is kept
 * as that alone; of the others those asked for last, so that nobody fills the memory with tokens.
 */
export function textWithoutTokens(text: string, digest: Digest): string {
  const before = searched.get(digest);
  const found = before === undefined ? withoutTokens(text) : (before ?? text);
  const kept = found === text ? null : found;
  forget(digest);
  searched.set(digest, kept);
  charactersKept += kept?.length ?? 0;
  for (const oldest of searched.keys()) {
    if (searched.size <= COMMENT_TEXTS_KEPT && charactersKept <= COMMENT_CHARACTERS_KEPT) break;
    forget(oldest);
  }
  return found;
}

function forget(digest: Digest): void {
  charactersKept -= searched.get(digest)?.length ?? 0;
  searched.delete(digest);
}
