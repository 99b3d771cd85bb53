/** A run's event files, chained one after another, so that an append never rewrites a long file. */

import { limits } from '../domain/limits.ts';
import type { LogbookEvent } from '../domain/logbook/define.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import { isRunId } from '../domain/values.ts';
import { formatLine, JOURNAL } from './chain.ts';
import type { Mark } from './mark.ts';

/** Entries per file: an append rewrites 64 on average, and a month of observations fills 23 files. */
export const LOGBOOK_FILE_ENTRIES_MAX = 128;
/** The limit for long entries; 128 observations have about 130,000 characters. */
const LOGBOOK_FILE_CHARS_MAX = 256 * 1024;

/** Verified events. `ends`: number of entries up to the end of each file. */
export type GoodFile = {
  readonly run: string;
  readonly folder: string;
  readonly events: readonly LogbookEvent[];
  readonly ends: readonly number[];
};

/** The position of an event file. `part` counts from 1. */
export type RecordFileRef = { readonly folder: string; readonly run: string; readonly part: number };

/** Path of an event file in a run's folder. */
export function eventsPath(folder: string, part = 1): string {
  return `${folder}/${eventsName(part)}`;
}

/** File name of the events of this part, from 1. */
export function eventsName(part: number): string {
  return numberedFileName('events', part, 'jsonl');
}

/** The number of the event file with this name; null for any other name. */
export function eventsPart(name: string): number | null {
  const part = Number(/-(\d{4,9})\./.exec(name)?.[1] ?? 1);
  return eventsName(part) === name ? part : null;
}

/** Path of the Markdown file with the same entries. */
export function markdownPath(folder: string, part = 1): string {
  return `${folder}/${markdownName(part)}`;
}

/** File name of the Markdown of this part, from 1. */
export function markdownName(part: number): string {
  return numberedFileName('logbook', part, 'md');
}

/** Path of the run's state file, which the policy requires. */
export function monitoringPath(folder: string): string {
  return `${folder}/monitoring_state.json`;
}

/** The folder of the journal or of a run. `firstEntryAt`: time of the run's first event (RFC 3339, UTC). A run never moves. */
export function runFolder(run: string, firstEntryAt: string): string {
  return run === JOURNAL ? JOURNAL : `runs/${monthOfTime(firstEntryAt)}/${run}`;
}

/** `YYYY/MM` of a time (RFC 3339, UTC). */
export function monthOfTime(at: string): string {
  return at.slice(0, 7).replace('-', '/');
}

/** `YYYY/MM` of the folder of a run; null for any other path. */
export function monthOfFolder(folder: string): string | null {
  return /(?:^|\/)runs\/(\d{4}\/\d\d)\/[^/]+$/.exec(folder)?.[1] ?? null;
}

/** Null if the path is not that of an event file. */
export function parseRecordPath(path: string): RecordFileRef | null {
  const [, folder = '', name = ''] = /^(runs\/\d{4}\/\d\d\/[^/]+|journal)\/([^/]+)$/.exec(path) ?? [];
  const part = eventsPart(name);
  return part === null ? null : { folder, run: folder.slice(folder.lastIndexOf('/') + 1), part };
}

function numberedFileName(name: string, part: number, suffix: string): string {
  return `${name}${part === 1 ? '' : `-${String(part).padStart(4, '0')}`}.${suffix}`;
}

/** Number of entries before a file. */
export function firstEntryOfPart({ ends }: Pick<GoodFile, 'ends'>, part: number): number {
  return part === 1 ? 0 : (ends[part - 2] ?? ends.at(-1) ?? 0);
}

/** A file's text, regenerated because lines are canonical. */
export function textOfPart(file: GoodFile, part: number): string {
  return joinEventLines(file.events.slice(firstEntryOfPart(file, part), file.ends[part - 1]));
}

/** Events as lines, each with a newline. */
export function joinEventLines(events: readonly LogbookEvent[]): string {
  return events.map((event) => `${formatLine(event)}\n`).join('');
}

export type GrownFile = { readonly part: number; readonly before: string; readonly text: string };

/**
 * The files that change when `lines` are added after `open`, the last file's text, and the new ends. A full file is never rewritten; the
 * next line starts a new file, chained by its `prev`.
 */
export function appendToFiles(
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

/** The journal's index of runs: its newest checkpoint, and the proposals recorded since then. */
export type RunIndex = Pick<JournalState, 'checkpoint' | 'proposingSince'>;

/**
 * Selects the runs to read: launched live runs, then launched ended runs, then the others. Each group takes the newest run of
 * every lane in turn. Gates sum a lane's monthly cost, so its newest ended runs are included. Limits per lane and group
 * protect live runs, which the runner's key has marked, from being crowded out.
 */
export function runsToRead(
  marks: readonly { readonly mark: Pick<Mark, 'run' | 'role' | 'isComplete'> }[],
  { checkpoint, proposingSince }: RunIndex,
): readonly string[] {
  // The journal also has marks and is read separately.
  const ofRuns = marks.map(({ mark }) => mark).filter(({ run }) => run !== JOURNAL && isRunId(run));
  const ended = [...(checkpoint?.ended.values() ?? [])];
  const covered = [...ended, ...(checkpoint?.live ?? [])];
  const over = new Set([...ended, ...ofRuns.filter((mark) => mark.isComplete === true)].map(({ run }) => run));
  const launched = new Set<string>(
    [...covered.filter((one) => one.launched), ...ofRuns.filter(({ role }) => role === 'runner')].map(({ run }) => run),
  );
  const known = new Set([...covered.map(({ run }) => run), ...ofRuns.map(({ run }) => run), ...proposingSince.keys()]);
  return [
    ...interleaveLanes([...launched].filter((run) => !over.has(run))).slice(0, limits.liveRunsReadMax),
    ...interleaveLanes(
      [...launched].filter((run) => over.has(run)),
      limits.runsReadMax,
    ).slice(0, limits.liveRunsReadMax),
    ...interleaveLanes([...known].filter((run) => !launched.has(run))).slice(0, limits.runsReadMax),
  ];
}

/** The possible folders by run. A run that was only proposed has two, because the month of its first entry is uncertain. */
export function listFolders(
  marks: readonly { readonly mark: Pick<Mark, 'run' | 'firstEntryAt'> }[],
  { checkpoint, proposingSince }: RunIndex,
): ReadonlyMap<string, readonly string[]> {
  const dated = [...(checkpoint?.ended.values() ?? []), ...(checkpoint?.live ?? []), ...marks.map(({ mark }) => mark)];
  return new Map<string, readonly string[]>([
    ...[...proposingSince].map(([run, at]) => [run, [runFolder(run, at), runFolder(run, nextMonth(at))]] as const),
    ...dated.map(({ run, firstEntryAt }) => [run, [runFolder(run, firstEntryAt)]] as const),
    [JOURNAL, [JOURNAL]],
  ]);
}

function nextMonth(at: string): string {
  const [year = 0, month = 0] = at.split('-', 2).map(Number);
  return new Date(Date.UTC(year, month)).toISOString();
}

function sortNewestFirst(runs: readonly string[]): readonly string[] {
  return runs
    .map((run) => ({ run, date: dateOfRun(run) }))
    .toSorted((a, b) => (a.date === b.date ? byNumber(b.run, a.run) : a.date < b.date ? 1 : -1))
    .map(({ run }) => run);
}

const byNumber = new Intl.Collator('en', { numeric: true }).compare;

/** The newest run of each lane, then the second newest of each lane, and so on. */
function interleaveLanes(runs: readonly string[], eachMax = Number.POSITIVE_INFINITY): readonly string[] {
  const lanes = [...Map.groupBy(sortNewestFirst(runs), (run) => run.replace(DATED, '')).values()];
  const longest = lanes.reduce((most, lane) => Math.max(most, lane.length), 0);
  return Array.from({ length: Math.min(longest, eachMax) }, (_, turn) =>
    lanes.flatMap((lane) => lane[turn] ?? []),
  ).flat();
}

/** Date and number in a run id; lane names may end in digits too. */
const DATED = /-(\d{8})(?:-\d{1,2})?$/;

/** Sorts a run without a date first. */
function dateOfRun(run: string): string {
  return DATED.exec(run)?.[1] ?? UNDATED;
}

const UNDATED = '99999999';
