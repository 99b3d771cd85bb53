/** The files in which a run's events lie: one after another under one chain, so that an append never rewrites what is long. */

import type { LogbookEvent } from '../domain/logbook/event.ts';
import { lineOf } from './chain.ts';
import { JOURNAL } from './rules.ts';

/** Entries after which a run's events go on in another file: an append rewrites 64 on average, and a month of looks is 23 files. */
export const LOGBOOK_FILE_ENTRIES_MAX = 128;
/** The same for long entries: 128 looks are some 130,000 characters, a proposal of a large lab alone may be more. */
const LOGBOOK_FILE_CHARS_MAX = 256 * 1024;

/** A run's events as far as they verify. `ends`: of each file, in order, how many entries there are up to its end. */
export type GoodFile = {
  readonly run: string;
  readonly folder: string;
  readonly events: readonly LogbookEvent[];
  readonly ends: readonly number[];
};

/** Where a file of events lies; its number counts from 1. */
export type Place = { readonly folder: string; readonly run: string; readonly part: number };

/** Where the events of a run's folder lie, file by file. */
export function eventsPath(folder: string, part = 1): string {
  return `${folder}/${eventsName(part)}`;
}

/** The name of a file of events. */
export function eventsName(part: number): string {
  return `${numbered('events', part)}.jsonl`;
}

/** The number of a file of events by its name; null: it is none. */
export function eventsPart(name: string): number | null {
  const found = /^events(?:-(\d{4,9}))?\.jsonl$/.exec(name);
  const part = Number(found?.[1] ?? 1);
  return found !== null && eventsName(part) === name ? part : null;
}

/** Where the Markdown of the same entries lies. */
export function markdownPath(folder: string, part = 1): string {
  return `${folder}/${markdownName(part)}`;
}

/** The name of a file of Markdown, for a link from the file beside it. */
export function markdownName(part: number): string {
  return `${numbered('logbook', part)}.md`;
}

/** Where the policy's state file of a run lies. */
export function monitoringPath(folder: string): string {
  return `${folder}/monitoring_state.json`;
}

/** The folder of the journal, or of a run whose first event has this time (RFC 3339, UTC). A run never moves. */
export function folderOf(run: string, began: string): string {
  return run === JOURNAL ? JOURNAL : `runs/${monthOf(began)}/${run}`;
}

/** `YYYY/MM` of a time (RFC 3339, UTC). */
export function monthOf(at: string): string {
  return at.slice(0, 7).replace('-', '/');
}

/** `YYYY/MM` of the folder of a run; null for any other path. */
export function monthIn(folder: string): string | null {
  return /(?:^|\/)runs\/(\d{4}\/\d\d)\/[^/]+$/.exec(folder)?.[1] ?? null;
}

/** The file of events at this path; null where it is something else, or a name that no file of ours has. */
export function placeAt(path: string): Place | null {
  const [, folder = '', name = ''] = /^(runs\/\d{4}\/\d\d\/[^/]+|journal)\/([^/]+)$/.exec(path) ?? [];
  const part = eventsPart(name);
  return part === null ? null : { folder, run: folder.slice(folder.lastIndexOf('/') + 1), part };
}

/** The number of a file of Markdown by its name. */
export function markdownPart(name: string): number | null {
  const found = /^logbook(?:-(\d{4,9}))?\.md$/.exec(name);
  const part = Number(found?.[1] ?? 1);
  return found !== null && markdownName(part) === name ? part : null;
}

function numbered(name: string, part: number): string {
  return part === 1 ? name : `${name}-${String(part).padStart(4, '0')}`;
}

/** How many entries stand before a file. */
export function startOf({ ends }: Pick<GoodFile, 'ends'>, part: number): number {
  return part === 1 ? 0 : (ends[part - 2] ?? ends.at(-1) ?? 0);
}

/** The text of one file. A line is the canonical text of its event, so that none has to be kept. */
export function textOf(file: GoodFile, part: number): string {
  return textOfEvents(file.events.slice(startOf(file, part), file.ends[part - 1]));
}

/** Events as lines, each with its end. */
export function textOfEvents(events: readonly LogbookEvent[]): string {
  return events.map((event) => `${lineOf(event)}\n`).join('');
}

/** A file that grows: its number, and its text before and after. */
export type GrownFile = { readonly part: number; readonly before: string; readonly text: string };

/**
 * The files that change where these lines are added behind `open`, the text of the last file; and the new ends. A file
 * that is full is never written again: the next line begins another, which stands on it by its `prev`.
 */
export function grown(
  ends: readonly number[],
  open: string,
  lines: readonly string[],
): { readonly files: readonly GrownFile[]; readonly ends: readonly number[] } {
  const after = [...ends];
  const files: { part: number; before: string; text: string }[] = [];
  let last = { part: Math.max(1, ends.length), before: open, text: open };
  for (const line of lines) {
    const total = after.at(-1) ?? 0;
    const entries = total - (after.at(-2) ?? 0);
    const isFull = entries >= LOGBOOK_FILE_ENTRIES_MAX || last.text.length >= LOGBOOK_FILE_CHARS_MAX;
    if (isFull) last = { part: last.part + 1, before: '', text: '' };
    if (isFull || after.length === 0) after.push(total);
    last.text += `${line}\n`;
    after[after.length - 1] = total + 1;
    if (!files.includes(last)) files.push(last);
  }
  return { files, ends: after };
}
