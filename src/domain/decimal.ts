/** Exact decimals as text: events hold only integers, and costs must not pass through floats. */

import { trimmedEnd } from './text.ts';

/** Negative, 0 or positive, as for `sort`. Throws on text that is not a plain decimal. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const digits = Math.max(left.fraction.length, right.fraction.length);
  const difference = scaled(left, digits) - scaled(right, digits);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The exact sum, without trailing zeros. */
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
