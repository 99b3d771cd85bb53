/** What a body refers to: links, issue and PR numbers, commits, or that there is no earlier ferry. */

import type { Nodes, RootContent } from 'mdast';
import { plainText } from '../../../commands/grammar/plain-text.ts';
import type { Part } from './part.ts';

export type References = {
  readonly urls: readonly string[];
  /** Numbers of issues and PRs, from `#12` and from links that end in `/issues/12` or `/pull/12`. */
  readonly numbers: readonly number[];
  /** Full commit ids. */
  readonly commits: readonly string[];
  /** The text says that there was no ferry before. */
  readonly saysNone: boolean;
};

const NONE = /^(?:[a-z ]*:)?\s*(?:none|n\/a|first ferry|no (?:last|earlier|previous|prior) ferry)\b/i;

/** The references of a section. Malformed: it refers to nothing and does not say that there is nothing. */
export function readReferences(content: readonly RootContent[], line: number): Part<References> {
  const urls = content.flatMap(urlsIn);
  const text = content.map(plainText).filter(Boolean).join('\n');
  const linked = urls.flatMap((url) => [...url.matchAll(/\/(?:issues|pull)\/(\d{1,9})(?=$|[#?/])/g)]);
  const written = [...text.matchAll(/(?<![\p{L}\p{N}&])#(\d{1,9})\b/gu)];
  const numbers = [...new Set([...linked, ...written].map((match) => Number(match[1])))];
  const commits = [...new Set(text.match(/\b[0-9a-f]{40}\b/g) ?? [])];
  const saysNone = urls.length + numbers.length + commits.length === 0 && NONE.test(text);
  if (urls.length + numbers.length + commits.length === 0 && !saysNone)
    return { kind: 'malformed', code: 'empty', line };
  return { kind: 'present', value: { urls, numbers, commits, saysNone }, line };
}

// A link in a quote or code is somebody else's; one in struck text was taken back.
function urlsIn(node: Nodes): readonly string[] {
  if (node.type === 'link') return [node.url];
  if (node.type === 'blockquote' || node.type === 'delete') return [];
  return 'children' in node ? node.children.flatMap(urlsIn) : [];
}
