/** Quantities as people read them, for every text of the bot: figures, durations and money. */

/** Four significant digits: `3.468`, `0.002594`, `1235000`. A text that is not a number stays as it is. */
export function figure(value: number | string): string {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(4))) : String(value);
}

/** From the smallest; each is used up to the start of the next. The first value is in milliseconds. */
const UNITS = [
  [1_000, 's', 60_000],
  [60_000, 'min', 3_600_000],
  [3_600_000, 'h', 48 * 3_600_000],
  [86_400_000, 'd', Number.POSITIVE_INFINITY],
] as const;

/** One unit of time: `45 s`, `12.5 min`, `2.5 h`, `3.2 d`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([, , below]) => ms < below) ?? UNITS[3];
  return `${Number((ms / size).toFixed(unit === 's' ? 0 : 1))} ${unit}`;
}

export const MICRODOLLARS = 1_000_000;

/** `$0.35`. A text that is not a number stays as it is. */
export function money(dollars: number | string): string {
  return `$${Number.isFinite(Number(dollars)) ? Number(dollars).toFixed(2) : dollars}`;
}

/** The same of the record's microdollars. */
export function moneyOf(microdollars: number): string {
  return money(microdollars / MICRODOLLARS);
}
