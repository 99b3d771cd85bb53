/** Reads the body of a ferry's PR, which a person may have edited, from its Markdown syntax tree. */

import type { Nodes, Root, RootContent } from 'mdast';
import { isWithinBounds } from '../../../commands/grammar/bounds.ts';
import { isMarker } from '../../../commands/grammar/fingerprint-text.ts';
import { parseMarkdown } from '../../../commands/grammar/parse-markdown.ts';
import { plainText } from '../../../commands/grammar/plain-text.ts';
import { type DeclaredRow, readDeltaTable } from './delta-table.ts';
import type { Part } from './part.ts';
import { type PartName, type Section, sectionsOf } from './sections.ts';

export type Box = { readonly text: string; readonly checked: boolean; readonly line: number };

export type PullBody = {
  readonly lastFerry: Part<References>;
  readonly objective: Part<{ readonly kind: 'integration' | 'regression'; readonly text: string }>;
  readonly interval: Part<string>;
  readonly delta: Part<readonly DeclaredRow[]>;
  readonly risk: Part<'low' | 'medium' | 'high'>;
  readonly checklist: Part<readonly Box[]>;
  /** The hidden lines that ferrybot left, as they stand. */
  readonly markers: readonly string[];
};

/**
 * Every part with its line (headings as in real ferries; parts: policy DF-15 to DF-19). Null: the body is
 * of a shape that is not parsed (too large, or nested so that parsing would take minutes), so nothing is known of it.
 */
export function readPullBody(markdown: string): PullBody | null {
  if (!isWithinBounds(markdown)) return null;
  const root = parseMarkdown(markdown);
  const sections = sectionsOf(root);
  const part = <Value>(name: PartName, read: (section: Section) => Part<Value>): Part<Value> => {
    const [section, again] = sections.filter((one) => one.part === name);
    if (section === undefined) return { kind: 'absent' };
    if (again !== undefined) return { kind: 'malformed', code: 'repeated', line: again.line };
    return read(section);
  };
  return {
    lastFerry: part('lastFerry', (section) => readReferences(section.content, section.line)),
    objective: part('objective', readObjective),
    interval: part('interval', readText),
    delta: part('delta', (section) => readDeltaTable(section.content, section.line)),
    risk: part('risk', readRisk),
    checklist: part('checklist', readChecklist),
    markers: markersOf(root),
  };
}

function readText({ content, line }: Section): Part<string> {
  const text = content.map(seenText).filter(Boolean).join('\n');
  return text === '' ? { kind: 'malformed', code: 'empty', line } : { kind: 'present', value: text, line };
}

// "Regression detection" is what every integration check is for, so that word pair declares nothing.
function readObjective(section: Section): PullBody['objective'] {
  const read = readText(section);
  if (read.kind !== 'present') return read;
  const words = read.value.toLowerCase().replace(/regression detection|detect(?:s|ing)? regressions?/g, '');
  const isRegression = /\bregressions?\b/.test(words);
  const isIntegration = /\b(?:integration|daily|normal)\b/.test(words);
  if (isRegression === isIntegration) return { kind: 'malformed', code: 'unclear', line: read.line };
  return { ...read, value: { kind: isRegression ? 'regression' : 'integration', text: read.value } };
}

// The level stands in the first line; what follows may speak of medium weights, and "medium-sized" is no level.
function readRisk({ content, line }: Section): PullBody['risk'] {
  const first = content.map(seenText).find(Boolean);
  if (first === undefined) return { kind: 'malformed', code: 'empty', line };
  const found = new Set(first.toLowerCase().match(/(?<![\w-])(?:low|medium|high)(?![\w-])/g) ?? []);
  const [only] = found;
  if (found.size !== 1 || !isRisk(only)) return { kind: 'malformed', code: 'not-one-of', line };
  return { kind: 'present', value: only, line };
}

function isRisk(word: string | undefined): word is 'low' | 'medium' | 'high' {
  return word === 'low' || word === 'medium' || word === 'high';
}

function readChecklist({ content, line }: Section): PullBody['checklist'] {
  const boxes = content
    .filter((node) => node.type === 'list')
    .flatMap((list) => list.children)
    .flatMap((item) =>
      typeof item.checked === 'boolean'
        ? [
            {
              text: item.children[0] === undefined ? '' : plainText(item.children[0]),
              checked: item.checked,
              line: item.position?.start.line ?? line,
            },
          ]
        : [],
    );
  return boxes.length === 0
    ? { kind: 'malformed', code: 'no-boxes', line }
    : { kind: 'present', value: boxes, line };
}

function markersOf(root: Root): readonly string[] {
  return root.children.flatMap((node) =>
    node.type === 'html' && isMarker(node.value) ? [node.value.trim()] : [],
  );
}

function seenText(node: RootContent): string {
  return node.type === 'list' ? node.children.map(plainText).join(' ') : plainText(node);
}

/** What a body refers to: links, issue and PR numbers, commits, or that there is no earlier ferry. */
type References = {
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
function readReferences(content: readonly RootContent[], line: number): Part<References> {
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
