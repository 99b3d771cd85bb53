/** Decimals as text: events hold integers only, and a cost is compared exactly as it is written, never through floats. */

import { trimmedEnd } from './trimmed-end.ts';

/** Below 0 where `a` is less than `b`, 0 where they are the same amount, else above. Throws on text that is no plain decimal. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const digits = Math.max(left.fraction.length, right.fraction.length);
  const difference = scaled(left, digits) - scaled(right, digits);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The exact sum, without zeros at its end. */
export function addDecimals(a: string, b: string): string {
  const [left, right] = [partsOf(a), partsOf(b)];
  const digits = Math.max(left.fraction.length, right.fraction.length);
  const sum = scaled(left, digits) + scaled(right, digits);
  const text = String(sum < 0n ? -sum : sum).padStart(digits + 1, '0');
  const whole = `${sum < 0n ? '-' : ''}${text.slice(0, text.length - digits)}`;
  const fraction = digits === 0 ? '' : trimmedEnd(text.slice(-digits), '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

type Parts = { readonly sign: bigint; readonly whole: string; readonly fraction: string };

function partsOf(text: string): Parts {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new Error(`no decimal: ${text}`);
  return { sign: match[1] === '-' ? -1n : 1n, whole: match[2] ?? '0', fraction: match[3] ?? '' };
}

function scaled({ sign, whole, fraction }: Parts, digits: number): bigint {
  return sign * BigInt(whole + fraction.padEnd(digits, '0'));
}
