/** Reads what a ferry's pull request declares: its sections, its before/after table, its checklist and its risk. */

import type { Nodes, Root, RootContent, Table, TableCell, TableRow } from 'mdast';
import { isWithinBounds } from '../../../commands/grammar/bounds.ts';
import { isMarker } from '../../../commands/grammar/fingerprint-text.ts';
import { parseMarkdown } from '../../../commands/grammar/parse-markdown.ts';
import { plainText } from '../../../commands/grammar/plain-text.ts';

type Part<Value> =
  | { readonly kind: 'present'; readonly value: Value; readonly line: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly code: MalformedCode; readonly line: number };

type MalformedCode = 'repeated' | 'empty' | 'not-one-of' | 'unclear' | 'no-table' | 'two-tables' | 'no-boxes';

/** The value of a part that is there, else null. */
export function presentValue<Value>(part: Part<Value>): Value | null {
  return part.kind === 'present' ? part.value : null;
}

/** The headings of real ferries and the checklist that policy DF-19 asks for. */
export const PART_HEADINGS = {
  lastFerry: 'Last ferry references',
  objective: 'Objective for this interval',
  interval: 'Interval boundary',
  delta: 'Config delta and rationale',
  risk: 'Risk level',
  checklist: 'Launch checklist',
} as const;
type PartName = keyof typeof PART_HEADINGS;

/** People shorten the headings; these beginnings are enough. */
const BEGINNINGS: Readonly<Record<PartName, readonly string[]>> = {
  lastFerry: ['last ferry'],
  objective: ['objective'],
  interval: ['interval'],
  delta: ['config delta', 'delta'],
  risk: ['risk'],
  checklist: ['launch checklist', 'checklist'],
};

type Section = {
  readonly part: PartName;
  /** 1-based line of the heading. */
  readonly line: number;
  readonly content: readonly RootContent[];
};

/** The sections in the order of the body. A deeper heading inside a section belongs to it. */
function sectionsOf(root: Root): readonly Section[] {
  const sections: { part: PartName; line: number; content: RootContent[] }[] = [];
  let open: { part: PartName | null; depth: number } = { part: null, depth: 0 };
  for (const node of root.children) {
    if (node.type === 'heading') {
      const part = partOf(plainText(node));
      if (part !== null || open.part === null || node.depth <= open.depth) {
        open = { part, depth: node.depth };
        if (part !== null) sections.push({ part, line: node.position?.start.line ?? 1, content: [] });
        continue;
      }
    }
    if (open.part !== null) sections.at(-1)?.content.push(node);
  }
  return sections;
}

function partOf(heading: string): PartName | null {
  const text = heading
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .trim();
  for (const [part, beginnings] of Object.entries(BEGINNINGS))
    if (isPart(part) && beginnings.some((start) => text === start || text.startsWith(`${start} `)))
      return part;
  return null;
}

function isPart(name: string): name is PartName {
  return name in PART_HEADINGS;
}

/** One row. A value is source text; null = absent. `line` is the row's in the body. */
export type DeclaredRow = {
  readonly knob: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly line: number;
};

// What people write where there is no value.
const ABSENT: ReadonlySet<string> = new Set([
  '',
  'absent',
  '(absent)',
  'not set',
  'none yet',
  '-',
  '–',
  '—',
  'n/a',
]);
const COLUMNS = ['knob', 'before', 'after'] as const;

/**
 * The rows of the one table with these columns that stands directly in the section: one in a quote, a list or code
 * is somebody else's words. Other tables (metrics, say) do not count.
 */
function readDeltaTable(content: readonly RootContent[], sectionLine: number): Part<readonly DeclaredRow[]> {
  const tables = content.filter((node) => node.type === 'table').filter((table) => columnsOf(table) !== null);
  const [table, second] = tables;
  if (table === undefined) return { kind: 'malformed', code: 'no-table', line: sectionLine };
  if (second !== undefined)
    return { kind: 'malformed', code: 'two-tables', line: second.position?.start.line ?? sectionLine };
  const columns = columnsOf(table) ?? [0, 1, 2];
  const line = table.position?.start.line ?? sectionLine;
  // A row of a template that nobody filled in says nothing.
  const filled = table.children.slice(1).filter((row) => row.children.some((cell) => plainText(cell) !== ''));
  return { kind: 'present', value: filled.map((row) => readRow(row, columns)), line };
}

function columnsOf(table: Table): readonly [number, number, number] | null {
  const names = table.children[0]?.children.map((cell) => plainText(cell).toLowerCase()) ?? [];
  const [knob = -1, before = -1, after = -1] = COLUMNS.map((column) => names.indexOf(column));
  return knob < 0 || before < 0 || after < 0 ? null : [knob, before, after];
}

function readRow(row: TableRow, [knob, before, after]: readonly [number, number, number]): DeclaredRow {
  return {
    knob: sourceText(row.children[knob]) ?? '',
    before: sourceText(row.children[before]),
    after: sourceText(row.children[after]),
    line: row.position?.start.line ?? 1,
  };
}

// Inline code is source text as it stands, so `None` in code is the literal and a dash in plain text is nothing.
function sourceText(cell: TableCell | undefined): string | null {
  const parts = cell?.children.filter((node) => node.type !== 'text' || node.value.trim() !== '') ?? [];
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'inlineCode') return only.value;
  const text = cell === undefined ? '' : plainText(cell);
  return ABSENT.has(text.toLowerCase()) ? null : text;
}

type Box = { readonly text: string; readonly checked: boolean; readonly line: number };

type PullBody = {
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
