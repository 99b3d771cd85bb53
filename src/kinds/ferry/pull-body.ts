/** Reads what a ferry's pull request declares: its sections, its before/after table, its checklist and its risk. */

import type { Nodes, Root, RootContent, Table, TableCell, TableRow } from 'mdast';
import { isWithinBounds, parseMarkdown, plainText } from '../../commands/grammar/markdown.ts';
import type { BodyFacts, Mismatch } from '../../domain/facts.ts';
import type { Delta, KnobChange } from '../../domain/launch/change-facts.ts';
import { memoize } from '../../domain/values.ts';
import type { BodyContext } from '../../run/kind.ts';
import { isSameValueText } from './edit.ts';
import { RISKS, type Risk } from './settings.ts';

/** The headings of real ferries and the checklist that policy DF-19 requires. */
export const PART_HEADINGS = {
  lastFerry: 'Last ferry references',
  objective: 'Objective for this interval',
  interval: 'Interval boundary',
  delta: 'Config delta and rationale',
  risk: 'Risk level',
  checklist: 'Launch checklist',
} as const;
type PartName = keyof typeof PART_HEADINGS;

/** People shorten the headings; these prefixes are enough. */
const BEGINNINGS: Readonly<Record<PartName, readonly string[]>> = {
  lastFerry: ['last ferry'],
  objective: ['objective'],
  interval: ['interval'],
  delta: ['config delta', 'delta'],
  risk: ['risk'],
  checklist: ['launch checklist', 'checklist'],
};

type Section = { readonly part: PartName; readonly content: readonly RootContent[] };

/** The sections in the order of the body. A deeper heading inside a section belongs to it. */
function splitSections(root: Root): readonly Section[] {
  const sections: { part: PartName; content: RootContent[] }[] = [];
  let open: { part: PartName | null; depth: number } = { part: null, depth: 0 };
  for (const node of root.children) {
    if (node.type === 'heading') {
      const part = findPart(plainText(node));
      if (part !== null || open.part === null || node.depth <= open.depth) {
        open = { part, depth: node.depth };
        if (part !== null) sections.push({ part, content: [] });
        continue;
      }
    }
    if (open.part !== null) sections.at(-1)?.content.push(node);
  }
  return sections;
}

function findPart(heading: string): PartName | null {
  const text = heading
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .trim();
  for (const [part, beginnings] of Object.entries(BEGINNINGS))
    if (isPartName(part) && beginnings.some((start) => text === start || text.startsWith(`${start} `))) return part;
  return null;
}

function isPartName(name: string): name is PartName {
  return name in PART_HEADINGS;
}

/** One row of the table. A value is source text; null = absent. */
type DeclaredRow = { readonly knob: string; readonly before: string | null; readonly after: string | null };

// What people write for an absent value.
const ABSENT: ReadonlySet<string> = new Set(['', 'absent', '(absent)', 'not set', 'none yet', '-', '–', '—', 'n/a']);
const COLUMNS = ['knob', 'before', 'after'] as const;

/**
 * The rows of the only table with these columns at the top level of the section. A table in a quote, a list or code
 * may be another person's text. Other tables (metrics, for example) do not count.
 */
function readDeltaTable(content: readonly RootContent[]): readonly DeclaredRow[] | null {
  const tables = content.filter((node) => node.type === 'table');
  const [found, second] = tables.flatMap((table) => {
    const columns = findColumns(table);
    return columns === null ? [] : [{ table, columns }];
  });
  if (found === undefined || second !== undefined) return null;
  // An empty row of a template declares nothing.
  const rows = found.table.children.slice(1);
  const filled = rows.filter((row) => row.children.some((cell) => plainText(cell) !== ''));
  return filled.map((row) => readRow(row, found.columns));
}

function findColumns(table: Table): readonly [number, number, number] | null {
  const names = table.children[0]?.children.map((cell) => plainText(cell).toLowerCase()) ?? [];
  const [knob = -1, before = -1, after = -1] = COLUMNS.map((column) => names.indexOf(column));
  return knob < 0 || before < 0 || after < 0 ? null : [knob, before, after];
}

function readRow(row: TableRow, [knob, before, after]: readonly [number, number, number]): DeclaredRow {
  return {
    knob: cellSource(row.children[knob]) ?? '',
    before: cellSource(row.children[before]),
    after: cellSource(row.children[after]),
  };
}

// Inline code is verbatim source text: `None` in code is the literal, and a dash in plain text means absent.
function cellSource(cell: TableCell | undefined): string | null {
  const parts = cell?.children.filter((node) => node.type !== 'text' || node.value.trim() !== '') ?? [];
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'inlineCode') return only.value;
  const text = cell === undefined ? '' : plainText(cell);
  return ABSENT.has(text.toLowerCase()) ? null : text;
}

type ChecklistBox = { readonly text: string; readonly checked: boolean; readonly line: number };

/** A part that is missing, duplicated or malformed is null: it does not count. */
type PullBody = {
  /** Numbers of the issues and pull requests that the last ferry section names; empty for other references or "none". */
  readonly lastFerry: readonly number[] | null;
  readonly objective: { readonly kind: 'integration' | 'regression'; readonly text: string } | null;
  readonly delta: readonly DeclaredRow[] | null;
  readonly risk: Risk | null;
  readonly checklist: readonly ChecklistBox[];
};

/** Every part that a gate needs (policy DF-15 to DF-19). Null: the body is too large, or its nesting would take minutes to parse. */
export function readPullBody(markdown: string): PullBody | null {
  if (!isWithinBounds(markdown)) return null;
  const sections = splitSections(parseMarkdown(markdown));
  const readPart = <Value>(name: PartName, read: (content: Section['content']) => Value | null): Value | null => {
    const [section, again] = sections.filter((one) => one.part === name);
    return section === undefined || again !== undefined ? null : read(section.content);
  };
  return {
    lastFerry: readPart('lastFerry', readReferences),
    objective: readPart('objective', readObjective),
    delta: readPart('delta', readDeltaTable),
    risk: readPart('risk', readRisk),
    checklist: readPart('checklist', readChecklist) ?? [],
  };
}

// Every integration check is for "regression detection", so that word pair declares nothing.
function readObjective(content: Section['content']): PullBody['objective'] {
  const text = content.map(visibleText).filter(Boolean).join('\n');
  const words = text.toLowerCase().replace(/regression detection|detect(?:s|ing)? regressions?/g, '');
  const isRegression = /\bregressions?\b/.test(words);
  const isIntegration = /\b(?:integration|daily|normal)\b/.test(words);
  return isRegression === isIntegration ? null : { kind: isRegression ? 'regression' : 'integration', text };
}

// The first line has the level. Later lines may mention medium weights, and "medium-sized" is no level.
function readRisk(content: Section['content']): PullBody['risk'] {
  const first = content.map(visibleText).find(Boolean) ?? '';
  const found = new Set(first.toLowerCase().match(/(?<![\w-])(?:low|medium|high)(?![\w-])/g) ?? []);
  const [only, second] = RISKS.filter((level) => found.has(level));
  return second === undefined ? (only ?? null) : null;
}

function readChecklist(content: Section['content']): readonly ChecklistBox[] {
  return content
    .filter((node) => node.type === 'list')
    .flatMap((list) => list.children)
    .flatMap(({ checked, children, position }) =>
      typeof checked === 'boolean'
        ? [{ text: children[0] === undefined ? '' : plainText(children[0]), checked, line: position?.start.line ?? 1 }]
        : [],
    );
}

function visibleText(node: RootContent): string {
  return node.type === 'list' ? node.children.map(plainText).join(' ') : plainText(node);
}

const NONE = /^(?:[a-z ]*:)?\s*(?:none|n\/a|first ferry|no (?:last|earlier|previous|prior) ferry)\b/i;

/** Numbers from `#12` and from links that end in `/issues/12` or `/pull/12`; null without any reference or "none". */
function readReferences(content: Section['content']): readonly number[] | null {
  const urls = content.flatMap(listUrls);
  const text = content.map(plainText).filter(Boolean).join('\n');
  const linked = urls.flatMap((url) => [...url.matchAll(/\/(?:issues|pull)\/(\d{1,9})(?=$|[#?/])/g)]);
  const written = [...text.matchAll(/(?<![\p{L}\p{N}&])#(\d{1,9})\b/gu)];
  const isSaid = urls.length > 0 || written.length > 0 || /\b[0-9a-f]{40}\b/.test(text) || NONE.test(text);
  return isSaid ? [...linked, ...written].map((match) => Number(match[1])) : null;
}

// Ignore a link in a quote or code, which may be another person's, and in struck text, which was withdrawn.
function listUrls(node: Nodes): readonly string[] {
  if (node.type === 'link') return [node.url];
  if (node.type === 'blockquote' || node.type === 'delete') return [];
  return 'children' in node ? node.children.flatMap(listUrls) : [];
}

export const DELTA_TABLE_HEAD = ['| Knob | Before | After |', '|---|---|---|'] as const;

/** The correct row for a change. `name` is the knob, or its path if two changed knobs share a name. */
export function declaredRow(change: Pick<KnobChange, 'before' | 'after'>, name: string): string {
  return `| ${formatCode(name)} | ${formatValue(change.before)} | ${formatValue(change.after)} |`;
}

/** The name of a change in the table: the knob, or the path if the knob is ambiguous. */
export function declaredName(change: KnobChange, all: readonly KnobChange[]): string {
  return all.filter((other) => other.knob === change.knob).length === 1 ? change.knob : change.path;
}

/** Source text on one line, for a table cell: layout is no part of a value. */
export function toOneLine(source: string): string {
  return source.replace(/\s+/g, ' ').trim();
}

function formatValue(source: string | null): string {
  return source === null ? 'absent' : formatCode(toOneLine(source));
}

// A fence longer than any run of backticks inside; a pipe ends the cell even in code (GFM, tables).
function formatCode(source: string): string {
  if (/\\\|/.test(source)) return formatHtmlCode(source);
  const longest = Math.max(0, ...(source.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = source.startsWith('`') || source.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${source.replaceAll('|', '\\|')}${pad}${fence}`;
}

// Parsers disagree on a backslash before a pipe, so write both as entities.
function formatHtmlCode(source: string): string {
  const signs = [...source].map((sign) => (/[A-Za-z0-9 ]/.test(sign) ? sign : `&#${sign.codePointAt(0)};`));
  return `<code>${signs.join('')}</code>`;
}

/**
 * Changes without a matching row, and rows without a matching change (policy DF-18). Returns nothing for an uncountable
 * delta, which `delta-readable` blocks.
 */
export function findMismatches(delta: Delta, rows: readonly DeclaredRow[]): readonly Mismatch[] {
  if (delta.kind === 'structural' || delta.kind === 'unparsable') return [];
  const changes = delta.kind === 'knobs' ? delta.changes : [];
  const spare = new Set(rows);
  const undeclared = changes.filter((change) => {
    const row = [...spare].find((one) => isRowOfChange(change, one) && hasSameValues(change, one));
    return row === undefined || !spare.delete(row);
  });
  // The correct row replaces a row with a wrong value.
  const needless = [...spare].filter((row) => !undeclared.some((change) => isRowOfChange(change, row)));
  return [
    // rule DF-18
    ...undeclared.map((change) => ({
      kind: 'undeclared' as const,
      knob: change.knob,
      actual: `${change.before ?? 'absent'} -> ${change.after ?? 'absent'}`,
      fileLine: change.line,
      row: declaredRow(change, declaredName(change, changes)),
    })),
    ...needless.map(({ knob }) => ({ kind: 'unchanged' as const, knob, actual: null, fileLine: null, row: null })),
  ];
}

function isRowOfChange(change: KnobChange, row: DeclaredRow): boolean {
  return row.knob === change.path || row.knob === change.knob;
}

function hasSameValues(change: KnobChange, row: DeclaredRow): boolean {
  return isSameValueOrAbsent(change.before, row.before) && isSameValueOrAbsent(change.after, row.after);
}

function isSameValueOrAbsent(real: string | null, declared: string | null): boolean {
  if (real === null || declared === null) return real === declared;
  // `0.003` equals `3e-3`, but `1` differs from `1.0`.
  return toOneLine(real) === toOneLine(declared) || isSameValueText(real, declared);
}

const readPullBodyOnce = memoize(readPullBody, (markdown) => markdown);

/**
 * The declared facts; null if the text cannot be read. The last ferry counts as linked if the body names its issue or PR.
 * Without a last ferry, the body must name something or declare that there is none. A malformed part counts as missing.
 */
export function readBodyFacts(markdown: string, { delta, last }: BodyContext): Omit<BodyFacts, 'fingerprint'> | null {
  const body = readPullBodyOnce(markdown);
  if (body === null) return null;
  const { delta: rows, lastFerry } = body;
  return {
    risk: body.risk,
    objectiveKind: body.objective?.kind ?? null,
    linksLastFerry:
      lastFerry !== null && (last === null || lastFerry.includes(last.issue) || lastFerry.includes(last.pull)),
    hasDeltaTable: rows !== null,
    mismatches: findMismatches(delta, rows ?? []),
    boxes: body.checklist,
  };
}
