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

/** Floating-point operations of training: six a parameter and token (policy HR, the 6ND heuristic). */
export function trainingFlops(parameters: number, tokens: number): number {
  return 6 * parameters * tokens;
}

/** From here on a run is a hero run, whatever it is called (policy HR). */
const HERO_FLOPS = 1e22;

/** Whether a run of so many operations is one without being asked. */
export function isHeroByCost(flops: number): boolean {
  return flops >= HERO_FLOPS;
}

/** A large number as a person writes it; integers only go into the record, so that it is text. */
export function scientific(value: number): string {
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}
