/** Small words that every sentence needs: times, names, digests, commits, counts, tables. */

import type { Actor } from '../domain/actor.ts';
import { bindingHex } from '../domain/approval-binding.ts';
import { limits } from '../domain/limits.ts';
import type { Detail } from '../domain/payload.ts';
import { inlineCode, inlineText } from './escape.ts';

/** `2026-11-21 03:09:00 UTC` of an RFC 3339 moment in UTC. */
export function utc(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/** A person without a mention: naming somebody must not page them. */
export function person(actor: Actor): string {
  return inlineText(actor.login, limits.shownTextCharsMax);
}

/** The first 12 hex digits of a digest, by which people tell one from another; `bindingHex` is what they name in a command. */
export function digestHex(digest: string): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 12);
}

/** The line that approves a manifest, as it is copied. */
export function approvalLine(digest: string): string {
  return `/approve-launch ${bindingHex(digest)}`;
}

/** A link to a comment of the same repository by its `commentName`, relative to the page of any of its threads. */
export function commentLink(name: string, thread: number): string {
  const [, surface = '', id = ''] = /^([a-z-]+)-(\d+)$/.exec(name) ?? [];
  const anchor = (ANCHORS.get(surface) ?? 'issuecomment-') + id;
  return `[#${thread}, ${anchor}](../issues/${thread}#${anchor})`;
}

/** By surface, what GitHub's addresses have before the number. */
const ANCHORS: ReadonlyMap<string, string> = new Map([
  ['review', 'pullrequestreview-'],
  ['review-comment', 'discussion_r'],
]);

/** A commit as code, 12 hex digits. */
export function shortCommit(sha: string): string {
  return inlineCode(sha.slice(0, 12), 12);
}

/** `1 gate`, `2 gates`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Outside text as running text at the usual length. */
export function text(value: string): string {
  return inlineText(value, limits.shownTextCharsMax);
}

/** What another version of ferrybot recorded, and this one has no sentence for: as it stands. */
export function otherVersion(recorded: { readonly code: string; readonly detail: Detail }): string {
  const facts = Object.entries(recorded.detail).map(
    ([name, value]) => `${text(name)} ${code(String(value))}`,
  );
  const all = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `${code(recorded.code)} by another version of ferrybot${all}`;
}

/** Outside text as inline code at the usual length. */
export function code(value: string): string {
  return inlineCode(value, limits.shownTextCharsMax);
}

/** A list of as many points as a table has rows at most; how many more there are is said. Points are Markdown already. */
export function points(lines: readonly string[]): string {
  const more = lines.length - limits.shownRowsMax;
  const shown = lines.slice(0, limits.shownRowsMax).map((line) => `- ${line}`);
  return [...shown, ...(more > 0 ? [`- and ${more} more in the manifest`] : [])].join('\n');
}

/** A Markdown table of at most `max` rows; how many more there are is said. Cells are Markdown already. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  max: number = limits.shownRowsMax,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const shown = rows.slice(0, max);
  const more = rows.length - shown.length;
  const lines = [line(head), `|${head.map(() => '---').join('|')}|`, ...shown.map(line)];
  return more > 0 ? `${lines.join('\n')}\n\n${more} more in the logbook.` : lines.join('\n');
}

/** A part that is folded until somebody opens it. `summary` is Markdown without links. */
export function details(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** Paragraphs with a blank line between; empty ones are left out. */
export function paragraphs(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}

/** Said in another thread, the run is named first. */
export function ofRun({ run }: { readonly run?: string | undefined }): string {
  return run === undefined ? '' : `${code(run)}: `;
}
