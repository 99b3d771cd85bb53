/** What every sentence needs: escaped outside text, times, names, digests, commits, counts, tables, holds. */

import { type Actor, isIssueFirst } from '../domain/actor.ts';
import type { Facts, Fields } from '../domain/incidents.ts';
import { type HoldTarget, type TARGET_FIELDS, unholdCommand } from '../domain/launch/hold.ts';
import { limits } from '../domain/limits.ts';
import type { RunState, Submission } from '../domain/logbook/run-state.ts';
import { type Marker, markerText } from '../domain/marker.ts';
import { formatNumber, INVISIBLE, shortDigestHex } from '../domain/values.ts';

const CONTROL_SEQUENCE = /(?![\t\n\r])\p{Cc}\[[0-?]*[ -/]*[@-~]/gu;
const OPERATING_SYSTEM_COMMAND = /(?![\t\n\r])\p{Cc}\][^\p{Cc}]*/gu;
const UNSEEN = new RegExp(`[${INVISIBLE}]`, 'gu');
const BLANKS = /[\p{Cc}\p{Z}]+/gu;

/** One line, at most `max` characters (code points); a longer text ends in an ellipsis. */
export function cleanLine(text: string, max: number): string {
  return shortenText(showInvisible(text).replace(BLANKS, ' ').trim(), max);
}

/** Outside text as one line of plain text at the usual length. */
export function plainLine(text: string): string {
  return cleanLine(text, limits.shownTextCharsMax);
}

/** `cleanLine` over several lines: line breaks and tabs stay. */
export function cleanLines(text: string, max: number): string {
  const lines = showInvisible(text)
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}]/gu, '');
  return shortenText(lines.trimEnd(), max);
}

function showInvisible(text: string): string {
  return text.toWellFormed().replace(CONTROL_SEQUENCE, '').replace(OPERATING_SYSTEM_COMMAND, '').replace(UNSEEN, '');
}

function shortenText(text: string, max: number): string {
  // A code point is at most two units: do not spread megabytes of text into an array.
  const points = [...text.slice(0, 2 * (max + 1)).toWellFormed()];
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** Separates a sign from the next one: GitHub searches for mentions after it has parsed Markdown. Cleaned text contains none. */
const BREAK = '\u200b';
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '|': '&#124;',
  $: '&#36;',
};
const EMPTY_MARK = '(empty)';

/** Running text on one line, safe also in a table cell and at the start of a line. `max` counts characters. */
export function inlineText(text: string, max: number): string {
  const line = cleanLine(text, max);
  if (line === '') return EMPTY_MARK;
  // Times such as 12:30:00 are no emoji; every other word between colons may be one.
  return line
    .replace(/[@#]/g, `$&${BREAK}`)
    .replace(/(GH)-(?=\d)/gi, `$1-${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/(www)\.(?=\S)/gi, `$1${BREAK}.`)
    .replace(/:(?!\d\d:)(?=[\w+-]+:)/g, `:${BREAK}`)
    .replace(/(mailto|xmpp):/gi, `$1${BREAK}:`)
    .replace(/[&<>|$]/g, (sign) => ENTITIES[sign] ?? sign)
    .replace(/[\\`*_[\]~!]/g, '\\$&')
    .replaceAll(BREAK, '&#8203;')
    .replace(/^[-+=/]/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** Inline code in running text. Its fence is longer than any run of backticks inside. */
export function inlineCode(text: string, max: number): string {
  const line = cleanLine(text, max);
  if (line === '') return EMPTY_MARK;
  // Parsers disagree on how to escape a bar in code inside a table, so it is written as HTML.
  if (line.includes('|'))
    return `<code>${[...line].map((sign) => (/[\p{L}\p{N} ]/u.test(sign) ? sign : `&#${sign.codePointAt(0)};`)).join('')}</code>`;
  const fence = '`'.repeat(longestBacktickRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A block of code; `max` counts characters. */
export function fenced(text: string, max: number): string {
  const lines = cleanLines(text, max);
  const fence = '`'.repeat(Math.max(3, longestBacktickRun(lines) + 1));
  return `${fence}text\n${lines}\n${fence}`;
}

/** A link that shows `label`, or the address as code if a browser should not follow it. */
export function link(label: string, address: string): string {
  const url = safeUrl(address);
  return url === null ? code(address) : `[${text(label)}](${url})`;
}

/** The address without characters that could end a link, or null unless it is http(s) without a password. */
export function safeUrl(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return null;
  return url.href.replace(
    /[^A-Za-z0-9/:.?=&%_#+,-]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function longestBacktickRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

/** `2026-11-21 03:09:00 UTC` of an RFC 3339 moment in UTC. */
export function utc(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/** `seq:hash` of the newest event with this many hex digits of the hash. It reveals a record that was reset to an older version. */
export function formatHead({ head }: RunState, digits: number): string {
  return `${head.seq}:${head.hash.slice(0, digits)}`;
}

/** A person without a mention: a name must not page anyone. */
export function person(actor: Actor): string {
  return inlineText(actor.login, limits.shownTextCharsMax);
}

/** The first 12 hex digits of a digest, for display; `shortDigestHex` is for commands. */
export function shortDigest(digest: string): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 12);
}

/** The line that approves an action, to copy. */
export function approveLine(digest: string): string {
  return `/approve ${shortDigestHex(digest)}`;
}

/** A link to a comment of the same repository by its `commentId`, relative to the page of any of its threads. */
export function commentLink(name: string, thread: number): string {
  const [, surface = '', id = ''] = /^([a-z-]+)-(\d+)$/.exec(name) ?? [];
  const anchor = (ANCHORS.get(surface) ?? 'issuecomment-') + id;
  return `[#${thread}, ${anchor}](../issues/${thread}#${anchor})`;
}

/** A line that leads from a comment of any thread of the run to its status card. */
export function cardLink({ thread, id }: { readonly thread: number; readonly id: number }): string {
  return `[Status card](../issues/${thread}#issuecomment-${id})`;
}

/** By surface, the prefix of the number in GitHub's addresses. */
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
export function joinAnd(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Outside text as running text at the usual length. */
export function text(value: string): string {
  return inlineText(value, limits.shownTextCharsMax);
}

/** Outside text as inline code at the usual length. */
export function code(value: string): string {
  return inlineCode(value, limits.shownTextCharsMax);
}

/** A list with at most as many points as a table has rows, and the number of the others. Points are Markdown already. */
export function bullets(lines: readonly string[]): string {
  const more = lines.length - limits.shownRowsMax;
  const shown = lines.slice(0, limits.shownRowsMax).map((line) => `- ${line}`);
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

/** A Markdown table of at most `max` rows, and the number of the others. Cells are Markdown already. */
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

/** A folded part. `summary` is Markdown without links. */
export function folded(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** Paragraphs with a blank line between; empty ones are left out. */
export function paragraphs(...parts: readonly (string | null)[]): string {
  return nonEmpty(...parts).join('\n\n');
}

/** Omits parts that are empty, null or false. */
export function nonEmpty(...parts: readonly (string | false | null)[]): readonly string[] {
  return parts.flatMap((part) => (part === null || part === false || part === '' ? [] : [part]));
}

/** A measured value from outside, as a figure. */
export function measured(value: string): string {
  return text(formatNumber(value));
}

/** A job with the name of its engine: Ray job `…`. */
export function jobWords({ engine, jobId }: Pick<Submission, 'engine' | 'jobId'>): string {
  return `${engineTitle(engine)} job ${code(jobId)}`;
}

/** The engine's own name. */
export function engineTitle(engine: string): string {
  return ENGINE_TITLES[engine] ?? text(engine);
}

const ENGINE_TITLES: Readonly<Record<string, string>> = { iris: 'Iris', ray: 'Ray', slurm: 'Slurm', vast: 'Vast.ai' };

/** Used after *the* or *this*. */
export type ThreadKind = 'pull request' | 'issue';

/** The word for a run's proposal (docs/decisions/0125-evaluate-gates-on-current-facts.md). */
export function threadKind({ proposal }: Pick<RunState, 'proposal'>): ThreadKind {
  return isIssueFirst(proposal) ? 'issue' : 'pull request';
}

/** Ferries have a pull request; every other run starts from an issue. */
export function isFerry({ proposal }: Pick<RunState, 'proposal'>): boolean {
  return !isIssueFirst(proposal);
}

/** The next action after a run that cannot continue, as a clause. */
export function nextRunWords(place: ThreadKind): string {
  return place === 'issue'
    ? 'close this issue, and open another one for the next run'
    : 'close this pull request, and propose the next ferry';
}

type Target = HoldTarget | Facts<typeof TARGET_FIELDS>;

/** What a hold blocks. */
export function scopeText({ scope, lane, date }: Target): string {
  if (scope === 'run') return 'this run';
  if (lane == null) return 'the repository';
  return date == null ? `the lane ${code(lane)}` : `${text(date)} of the lane ${code(lane)}`;
}

/** Appended to what is blocked; empty without a reason. */
export function reasonText(reason: string): string {
  return reason === '' ? '' : `: ${text(reason)}`;
}

/** Who holds what, and why. `by` is Markdown. */
export function holdText(target: Target, by: string, reason: string): string {
  return `${scopeText(target)} is on hold by ${by}${reasonText(reason)}`;
}

/** The command that lifts a hold, to copy. */
export function unholdText({ scope, lane, date }: Target): string {
  return code(unholdCommand({ scope, lane: lane ?? null, date: date ?? null }));
}

type Format = (value: string) => string;

const moment: Format = (value) => text(/^\d{4}-\d\d-\d\dT/.test(value) ? utc(value) : value);
const asIs: Format = (value) => value;

function named(format: Format, names: string): Readonly<Record<string, Format>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, format]));
}

/** A fact that is not listed is a name, shown as code. The sentence formats the facts that `asIs` keeps. */
const FORMATS: Readonly<Record<string, Format>> = {
  ...named(moment, 'at baseAt changedAt toldAt since until'),
  ...named(asIs, 'asked date diff digest lane reason scope url'),
  ...named(text, 'beyond bound by cost credit dollars flops from inferred login measured message'),
  ...named(text, 'missing most needed observations parameters part percent price region risk says secrets seen side'),
  ...named(text, 'small spent target there tolerance total unclear who why workflows'),
};

/** Texts and lists of them as Markdown; numbers, words of a closed list and empty texts stay as they are. */
export function format<F extends Fields>(fields: F, facts: Facts<F>): Facts<F> {
  const entries = Object.entries(facts).map(([name, value]) => {
    const format = FORMATS[name] ?? code;
    if (Array.isArray(value)) return [name, value.map(format)];
    const isText = fields[name] === 'text' || fields[name] === 'text?';
    return [name, isText && value ? format(String(value)) : value];
  });
  // Each value keeps its type: only texts change.
  return Object.fromEntries(entries) as Facts<F>;
}

/** One comment's source. `content` is Markdown; its first line follows the 🤖. */
export function comment(marker: Marker, content: string): string {
  // rule HR-24
  return `${markerText(marker)}\n🤖 ${content.trim()}\n`;
}
