/** One progress line of tqdm_loggable, as Levanter prints it, read without pretending to more than it says. */

/**
 * A count as the bar shows it: three significant digits, so `5.16kit` is 5155 ± 5. `exact` only where
 * no unit prefix was needed, that is below 1,000, or where the first line gives the bare total.
 */
export type ShownCount = { readonly value: number; readonly exact: boolean };

/** `current` null: the bar has not begun (after a resume it does not begin at 0 either). */
export type ProgressLine = {
  readonly bar: string;
  readonly current: ShownCount | null;
  readonly total: ShownCount | null;
  /** As printed without thousands separators; steps per second, or seconds per step on a slow run. */
  readonly rate: { readonly value: string; readonly unit: 'it/s' | 's/it' } | null;
  readonly elapsedSeconds: number | null;
  readonly remainingSeconds: number | null;
  /** As printed, `nan` and `inf` included; null where the bar shows none. */
  readonly loss: string | null;
};

// Every part is anchored by its own name, so a long hostile line costs one pass.
const LINE =
  /Progress on:([\w.-]+) (-|[\d.]+[kMGT]?it)(?:\/([\d.]+[kMGT]?)(?:it)?)?(?: rate:(\S+))?(?: remaining:(\S+))?(?: elapsed:(\S+))?(?: postfix:([\s\S]*))?$/;
// A job prints what it likes in the place of a number; what is none is recorded nowhere.
const LOSS = /(?:^|, )loss=([-+]?(?:\d{1,40}(?:\.\d{1,40})?(?:e[-+]?\d{1,4})?|nan|inf(?:inity)?))(?![^\s,])/i;
const FACTORS: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** The line's content, or null where it is no progress line (a log record's prefix may stand before it). */
export function parseProgressLine(line: string): ProgressLine | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, bar = '', current = '-', total, rate, remaining, elapsed, postfix] = match;
  return {
    bar,
    current: current === '-' ? null : parseCount(current.slice(0, -'it'.length)),
    total: total === undefined ? null : parseCount(total),
    rate: rate === undefined ? null : parseRate(rate),
    elapsedSeconds: elapsed === undefined ? null : parseClock(elapsed),
    remainingSeconds: remaining === undefined ? null : parseClock(remaining),
    loss: LOSS.exec(postfix ?? '')?.[1] ?? null,
  };
}

/** `5.16k`; null for what is no count, or one that is not told exactly any more. */
export function parseCount(text: string): ShownCount | null {
  const match = /^(\d+(?:\.\d+)?)([kMGT]?)$/.exec(text);
  if (match === null) return null;
  const [, digits = '', prefix = ''] = match;
  const value = Math.round(Number(digits) * (FACTORS[prefix] ?? 1));
  return Number.isSafeInteger(value) ? { value, exact: prefix === '' } : null;
}

function parseRate(text: string): ProgressLine['rate'] {
  const match = /^([\d,]+(?:\.\d+)?)(it\/s|s\/it)$/.exec(text);
  if (match === null) return null;
  const unit = match[2] === 'it/s' ? 'it/s' : 's/it';
  return { value: (match[1] ?? '').replaceAll(',', ''), unit };
}

/** `04:01` and `1:05:15`; tqdm lets the hours grow beyond a day. */
export function parseClock(text: string): number | null {
  if (!/^\d{1,9}(?::\d\d){1,2}$/.test(text)) return null;
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}
