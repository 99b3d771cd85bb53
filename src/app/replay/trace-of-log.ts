/** A trace from a plain log: its own times where it has some, those of its bars, or made-up ones in which nothing stands still. */

import type { EndStatus } from '../../diagnosis/diagnose.ts';
import { cutText } from '../../domain/cut-text.ts';
import { branded, type Instant, isInstant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { toRfc3339 } from '../../domain/time.ts';
import { parseProgressLine } from '../../watch/progress-line.ts';
import { parseTrainingLine, trainingOfBar } from '../../watch/training-line.ts';
import { lineTime } from './line-time.ts';
import { headerFor, type Trace, type TraceRecord } from './trace.ts';

export type LogInput = {
  readonly lines: readonly string[];
  /** When the job was submitted; null: with the first line. */
  readonly start: Instant | null;
  /** How it ended; null: it was still running. */
  readonly end: EndStatus | null;
  /** Until when it was seen, beyond its last line. */
  readonly until: Instant | null;
};

/** The trace. Times of a zone that nobody knows count as UTC, or from `start` on. */
export function traceOfLog({ lines, start, end, until }: LogInput): Trace {
  const year = yearOf(lines) ?? new Date(start ?? NO_TIME).getUTCFullYear();
  const written = writtenTimes(lines, year);
  const zero = written.find((ms) => ms !== null) ?? NO_TIME;
  // A time of day alone belongs to no day.
  const first = start ?? instant(zero < DAY_MS ? NO_TIME + zero : zero);
  const times = allTimes(lines, written, zero);
  const records: TraceRecord[] = [{ at: first, engine: says('RUNNING') }];
  lines.forEach((line, index) => {
    const at = instant(first + (times[index] ?? zero) - zero);
    records.push({ at, log: cutText(line, limits.logLineCharsMax) });
  });
  const over = instant(Math.max(records.at(-1)?.at ?? first, until ?? 0));
  if (end !== null) records.push({ at: over, engine: says(end) });
  else records.push({ at: over, until: true });
  return { header: headerFor(toRfc3339(first), 'a plain log'), records };
}

function says(status: 'RUNNING' | EndStatus): Extract<TraceRecord, { engine: unknown }>['engine'] {
  return { status, message: '', errorType: null, exitCode: null, details: {} };
}

/** Some loggers of one log say the year, and others do not. */
function yearOf(lines: readonly string[]): number | null {
  const said = lines.find((line) => YEAR.test(line));
  return said === undefined ? null : Number(YEAR.exec(said)?.[1]);
}

const YEAR = /\b(20\d\d)[-/](?:0\d|1[0-2])[-/][0-3]\d[T ][0-2]\d:/;

/** A log that says nothing of its time begins here. */
const NO_TIME = Date.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;
/** One line that looks as if it had a time may be text. */
const TIMED_MIN = 2;
/** A longer jump is text, or another log. */
const JUMP_MAX_MS = 3 * DAY_MS;

/** The times that lines say themselves; they never go back: another rank's or host's clock is a little behind. */
function writtenTimes(lines: readonly string[], year: number): readonly (number | null)[] {
  const said = lines.map((line) => lineTime(line, year));
  const known = said.filter((one) => one !== null);
  if (known.length < TIMED_MIN) return lines.map(() => null);
  const isDated = known[0]?.day === true;
  let [now, days]: [number | null, number] = [null, 0];
  return said.map((time) => {
    if (time === null || time.day !== isDated) return null;
    let ms = time.ms + days * DAY_MS;
    // Past midnight.
    if (!isDated && now !== null && now - ms > DAY_MS / 2) {
      days += 1;
      ms += DAY_MS;
    }
    if (now !== null && ms - now > JUMP_MAX_MS) return null;
    now = Math.max(now ?? ms, ms);
    return now;
  });
}

/** Those of the other lines: with the line before, but training lines move on, as far as they say or in equal parts. */
function allTimes(
  lines: readonly string[],
  written: readonly (number | null)[],
  zero: number,
): readonly number[] {
  const steps = stepping(lines, written);
  const hasTimes = written.some((ms) => ms !== null);
  const times: number[] = [];
  let now = zero;
  let share = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const said = written[index] ?? null;
    if (said !== null) {
      now = Math.max(now, said);
      share = shareAfter(index, written, steps, now);
    } else now += steps[index]?.byItself ?? (steps[index] === null ? 0 : hasTimes ? share : LINE_MS);
    times.push(now);
  }
  return times;
}

/** A training line that says nothing of time counts as so much; others as nothing. */
const LINE_MS = 10_000;

/** `byItself`: how far the line says that it has moved on; null: it does not say. */
type Stepping = { readonly byItself: number | null } | null;

function stepping(lines: readonly string[], written: readonly (number | null)[]): readonly Stepping[] {
  let [shown, step]: [number | null, number | null] = [null, null];
  return lines.map((line, index) => {
    const bar = parseProgressLine(line);
    const training = bar === null ? parseTrainingLine(line) : bar.bar === 'train' ? trainingOfBar(bar) : null;
    if (training === null) return null;
    const elapsed = bar?.elapsedSeconds ?? elapsedIn(line);
    const current = training.step?.value ?? null;
    const moved = current === null || step === null ? 1 : Math.max(current - step, 0);
    step = current ?? step;
    if (elapsed !== null) {
      // A log that begins in the middle of a run has not stood still until then.
      const isCut = shown === null && (current ?? 0) > 1;
      const since = isCut ? elapsed : shown !== null && shown <= elapsed ? shown : 0;
      shown = elapsed;
      return written[index] === null ? { byItself: (elapsed - since) * 1_000 } : null;
    }
    if (written[index] !== null) return null;
    const { secondsPerStep } = training;
    return { byItself: secondsPerStep === null ? null : moved * secondsPerStep * 1_000 };
  });
}

/** How far each training line behind this one moves on that does not say it, up to the next time that is written. */
function shareAfter(
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
    if (one.byItself === null) count += 1;
    else said += one.byItself;
  }
  return 0;
}

function elapsedIn(line: string): number | null {
  const clock = /\[(\d{1,4}(?::\d\d){1,2})</.exec(line)?.[1];
  return clock?.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0) ?? null;
}

function instant(ms: number): Instant {
  return branded(Math.trunc(ms), isInstant);
}
