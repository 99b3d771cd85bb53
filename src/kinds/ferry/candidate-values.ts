/** The values that a candidate may try: a list as it stands, or a range written out. */

/** Values that a configured range may stand for; more are no micro-tweak. */
const CANDIDATE_VALUES_MAX = 50;

/** From `from` to `to`, both included, by multiplying or by adding. Numbers, not source text. */
export type ValueRange = {
  readonly from: number;
  readonly to: number;
  readonly by: { readonly kind: 'factor' | 'step'; readonly amount: number };
};

/** Source texts in the order in which they are tried. A range that does not move towards its end gives its first value alone. */
export function candidateValues(values: readonly string[] | ValueRange): readonly string[] {
  if (!('from' in values)) return values;
  const { from, to, by } = values;
  const isInteger = Number.isInteger(from) && Number.isInteger(by.amount);
  const texts: string[] = [];
  for (let at = 0; at < CANDIDATE_VALUES_MAX; at += 1) {
    // Computed from the start each time, so that rounding does not add up.
    const value = by.kind === 'factor' ? from * by.amount ** at : from + by.amount * at;
    const isPast = from <= to ? value > to * (1 + SLACK) : value < to * (1 - SLACK);
    if (!Number.isFinite(value) || (at > 0 && isPast)) break;
    const text = sourceText(value, isInteger);
    if (texts.includes(text)) break;
    texts.push(text);
  }
  return texts;
}

// A tenth of 0.3 three times over is not quite 0.3.
const SLACK = 1e-9;
const DIGITS = 6;

function sourceText(value: number, isInteger: boolean): string {
  if (isInteger && Number.isSafeInteger(value)) return String(value);
  const short = String(Number(value.toPrecision(DIGITS)));
  return /[.e]/.test(short) ? short : `${short}.0`;
}
