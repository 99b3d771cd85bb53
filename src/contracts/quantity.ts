/** Numbers as people write them in a contract: `500_000`, `1e23`, `18T`. */

const SCALE: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, B: 1e9, G: 1e9, T: 1e12 };

/** A whole number of something; null where the text is anything else, such as *about 5k*. */
export function readCount(text: string): number | null {
  const value = readQuantity(text);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** A positive number with an optional unit of thousands; null where the text is anything else. */
export function readQuantity(text: string): number | null {
  const plain = text.trim().replace(/(?<=\d)[_,](?=\d{3})/g, '');
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?(?:e\+?\d{1,2})?)\s*([KMBGT]?)$/i.exec(plain) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits) * (SCALE[unit.toUpperCase()] ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}
