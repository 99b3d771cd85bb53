/** Numbers among the small facts of an engine. */

/** A whole number as an engine writes it, or null. */
export function wholeOf(said: string | undefined): number | null {
  return said !== undefined && /^\d{1,9}$/.test(said) ? Number(said) : null;
}
