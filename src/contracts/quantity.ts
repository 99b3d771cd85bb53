/** Parses numbers as people write them: `500_000`, `1e23`, `2.5 × 10^24`, `18T`, `18 trillion`. */

const SCALE: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  g: 1e9,
  billion: 1e9,
  t: 1e12,
  trillion: 1e12,
};

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A positive whole number; null for other text, such as *about 5k*. */
export function readCount(text: string): number | null {
  const value = readQuantity(text);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** A positive number with an optional unit; null for other text. */
export function readQuantity(text: string): number | null {
  // `100.000` means a hundred thousand in some countries and a hundred in others.
  if (/^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text.trim())) return null;
  const plain = asPower(text.trim().replace(/(?<=\d)[_,](?=\d{3}(?!\d))/g, ''));
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?(?:e\+?\d{1,2})?)\s*([a-z]{0,8})$/i.exec(plain) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits) * (SCALE[unit.toLowerCase()] ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** Normalizes powers of ten: `2.5 × 10^24` and `2.5×10²⁴` become `2.5e24`. */
function asPower(text: string): string {
  const flat = text.replace(/10([⁰¹²³⁴-⁹]+)$/, (_, raised: string) => {
    return `10^${Array.from(raised, (sign) => RAISED.indexOf(sign)).join('')}`;
  });
  const [, times = '1', power] =
    /^(?:(\d+(?:\.\d+)?)\s{0,3}[×x*·]\s{0,3})?10\s{0,3}(?:\^|\*\*)\s{0,3}(\d{1,2})$/i.exec(flat) ?? [];
  return power === undefined ? text : `${times}e${power}`;
}
