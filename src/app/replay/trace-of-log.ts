/** Builds a trace from a plain log, with the times in the log, the times of its progress bars, or constant steps. */

import type { EndStatus } from '../../diagnosis/diagnose.ts';
import { readTrainingLine } from '../../diagnosis/training-line.ts';
import { limits } from '../../domain/limits.ts';
import { brandAs, cutText, type Instant, isInstant, toRfc3339 } from '../../domain/values.ts';
import { defaultHeader, type Trace, type TraceRecord } from './trace.ts';

/** Milliseconds since 1970, in an unknown zone unless the line names one. `day` is false for a time without a date. */
type LineTime = { readonly ms: number; readonly day: boolean };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Task, host, level or logger names may precede the time. */
const BEFORE = /^(?:[^\d]|\d(?!\d{3}[-/]|\d:|\d{3}\d{4} )){0,60}?/.source;
const CLOCK = /(?<h>\d\d):(?<m>\d\d):(?<s>\d\d)(?:[.,](?<fraction>\d{1,9}))?/.source;

/** ISO, American, compact, glog, syslog, and time of day without a date. The first match counts. */
const FORMATS: readonly RegExp[] = [
  new RegExp(
    `${BEFORE}(?<year>\\d{4})[-/](?<month>\\d\\d)[-/](?<day>\\d\\d)[T ]${CLOCK} ?(?<zone>Z|[+-]\\d\\d:?\\d\\d)?`,
  ),
  new RegExp(`^\\W{0,4}(?<month>\\d\\d)/(?<day>\\d\\d)/(?<year>\\d{4}|\\d\\d) ${CLOCK}`),
  new RegExp(`^(?:\\w{0,10} ?|.{0,40}? )[IWEFC]? ?(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d) ${CLOCK}`),
  new RegExp(`(?:^|[\\] ):])[IWEF](?<month>\\d\\d)(?<day>\\d\\d) ${CLOCK}`),
  new RegExp(`^\\W{0,2}(?:[A-Z][a-z]{2} )?(?<name>[A-Z][a-z]{2}) {1,2}(?<day>\\d{1,2}) ${CLOCK}`),
  new RegExp(`^[^\\d]{0,12}${CLOCK}\\b`),
];

/** The time of a line, or null. `thisYear` is used if the line has no year. */
function parseLineTime(line: string, thisYear: number): LineTime | null {
  const head = cutText(line, HEAD_CHARS);
  for (const format of FORMATS) {
    const found = format.exec(head)?.groups;
    if (found !== undefined) return parseTime(found, thisYear);
  }
  return null;
}

const HEAD_CHARS = 120;

function parseTime(groups: Readonly<Record<string, string | undefined>>, thisYear: number): LineTime | null {
  const { day: said, name, zone, fraction = '0' } = groups;
  const [h = 99, m = 99, s] = [groups['h'], groups['m'], groups['s']].map(Number);
  let [year, month, day] =
    said === undefined
      ? [1970, 1, 1]
      : [
          Number(groups['year'] ?? thisYear),
          name === undefined ? Number(groups['month']) : MONTHS.indexOf(name) + 1,
          Number(said),
        ];
  // Spark and others write `25/02/11`, year first.
  if (year < 100) [year, month, day] = month > 12 ? [2000 + month, day, year] : [2000 + year, month, day];
  const isTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && h < 24 && m < 60;
  if (!isTime || year < 1970 || year > 2200) return null;
  const ms = Date.UTC(year, month - 1, day, h, m, s) + Math.trunc(Number(`0.${fraction}`) * 1_000);
  return { ms: ms - parseZoneOffset(zone), day: said !== undefined };
}

function parseZoneOffset(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

type LogInput = {
  readonly lines: readonly string[];
  /** When the job was submitted; null: at the first line. */
  readonly start: Instant | null;
  /** Null: still running. */
  readonly end: EndStatus | null;
  /** How long the job was observed after its last line. */
  readonly until: Instant | null;
};

/** Times without a zone count as UTC; with `start`, they are relative to it. */
export function traceFromLog({ lines, start, end, until }: LogInput): Trace {
  const year = findYear(lines) ?? new Date(start ?? NO_TIME).getUTCFullYear();
  const written = parseTimes(lines, year);
  const zero = written.find((ms) => ms !== null) ?? NO_TIME;
  // A time of day without a date: use a fixed day.
  const first = start ?? toInstant(zero < DAY_MS ? NO_TIME + zero : zero);
  const times = estimateTimes(lines, written, zero);
  const records: TraceRecord[] = [{ at: first, engine: engineStatus('RUNNING') }];
  lines.forEach((line, index) => {
    const at = toInstant(first + (times[index] ?? zero) - zero);
    records.push({ at, log: cutText(line, limits.logLineCharsMax) });
  });
  const over = toInstant(Math.max(records.at(-1)?.at ?? first, until ?? 0));
  if (end !== null) records.push({ at: over, engine: engineStatus(end) });
  else records.push({ at: over, until: true });
  return { header: defaultHeader(toRfc3339(first), 'a plain log'), records };
}

function engineStatus(status: 'RUNNING' | EndStatus): Extract<TraceRecord, { engine: unknown }>['engine'] {
  return { status, message: '', errorType: null, exitCode: null, details: {} };
}

/** The year from the first dated line, because some loggers omit it. */
function findYear(lines: readonly string[]): number | null {
  const said = lines.find((line) => YEAR.test(line));
  return said === undefined ? null : Number(YEAR.exec(said)?.[1]);
}

const YEAR = /\b(20\d\d)[-/](?:0\d|1[0-2])[-/][0-3]\d[T ][0-2]\d:/;

/** Start time for a log without times. */
const NO_TIME = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;
/** If only one line matches, it may be ordinary text. */
const TIMED_MIN = 2;
/** A longer jump comes from ordinary text or from another log. */
const JUMP_MAX_MS = 3 * DAY_MS;

/** Times never go back, because the clocks of ranks and hosts differ slightly. */
function parseTimes(lines: readonly string[], year: number): readonly (number | null)[] {
  const said = lines.map((line) => parseLineTime(line, year));
  const known = said.filter((one) => one !== null);
  if (known.length < TIMED_MIN) return lines.map(() => null);
  const isDated = known[0]?.day === true;
  let [now, days]: [number | null, number] = [null, 0];
  return said.map((time) => {
    if (time === null || time.day !== isDated) return null;
    let ms = time.ms + days * DAY_MS;
    // The clock passed midnight.
    if (!isDated && now !== null && now - ms > DAY_MS / 2) {
      days += 1;
      ms += DAY_MS;
    }
    if (now !== null && ms - now > JUMP_MAX_MS) return null;
    now = Math.max(now ?? ms, ms);
    return now;
  });
}

/** Lines without a time get the time of the line before. Training lines advance by their own times or in equal parts. */
function estimateTimes(lines: readonly string[], written: readonly (number | null)[], zero: number): readonly number[] {
  const steps = readStepping(lines, written);
  const hasTimes = written.some((ms) => ms !== null);
  const times: number[] = [];
  let now = zero;
  let share = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const said = written[index] ?? null;
    if (said !== null) {
      now = Math.max(now, said);
      share = timeShareAfter(index, written, steps, now);
    } else now += steps[index]?.ownMs ?? (steps[index] === null ? 0 : hasTimes ? share : LINE_MS);
    times.push(now);
  }
  return times;
}

/** Time per training line in a log without times. */
const LINE_MS = 10_000;

/** `byItself`: how far the line itself advances the time, in ms; null if it shows no time. */
type Stepping = { readonly ownMs: number | null } | null;

function readStepping(lines: readonly string[], written: readonly (number | null)[]): readonly Stepping[] {
  let [shown, step]: [number | null, number | null] = [null, null];
  return lines.map((line, index) => {
    const training = readTrainingLine(line);
    if (training === null || training.work === 'eval' || training.work === 'other') return null;
    const elapsed = training.elapsedSeconds ?? parseElapsed(line);
    const current = training.step?.value ?? null;
    const moved = current === null || step === null ? 1 : Math.max(current - step, 0);
    step = current ?? step;
    if (elapsed !== null) {
      // If the log starts in the middle of a run, the time before is not idle time.
      const isCut = shown === null && (current ?? 0) > 1;
      const since = isCut ? elapsed : shown !== null && shown <= elapsed ? shown : 0;
      shown = elapsed;
      return written[index] === null ? { ownMs: (elapsed - since) * 1_000 } : null;
    }
    if (written[index] !== null) return null;
    const { secondsPerStep } = training;
    return { ownMs: secondsPerStep === null ? null : moved * secondsPerStep * 1_000 };
  });
}

/** The time for each training line without its own time, until the next known time. */
function timeShareAfter(
  index: number,
  written: readonly (number | null)[],
  steps: readonly Stepping[],
  now: number,
): number {
  let [count, said] = [0, 0];
  for (let next = index + 1; next < written.length; next += 1) {
    const until = written[next] ?? null;
    if (until !== null) return count === 0 ? 0 : Math.max(0, until - now - said) / (count + 1);
    const one = steps[next] ?? null;
    if (one === null) continue;
    if (one.ownMs === null) count += 1;
    else said += one.ownMs;
  }
  return 0;
}

function parseElapsed(line: string): number | null {
  const clock = /\[(\d{1,4}(?::\d\d){1,2})</.exec(line)?.[1];
  return clock?.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0) ?? null;
}

function toInstant(ms: number): Instant {
  return brandAs(Math.trunc(ms), isInstant);
}
