/** What ties an approval or a consent to exactly what was shown: the digest that it names, and when it was written. */

import type { Instant } from './ids.ts';
import { limits } from './limits.ts';

/** `short`: right as far as it goes, and not far enough to bind. */
export type Naming = 'named' | 'short' | 'missing' | 'other';

/** What somebody named, with or without `sha256:`, in whatever case, against the digest that is meant. */
export function namingOf(given: string | undefined, digest: string): Naming {
  if (given === undefined) return 'missing';
  const digits = given.toLowerCase().replace(/^sha256:/, '');
  if (!digest.slice('sha256:'.length).startsWith(digits)) return 'other';
  return digits.length >= limits.bindingHexDigits ? 'named' : 'short';
}

/** As many digits of a digest as bind: what people copy. */
export function bindingHex(digest: string): string {
  return digest
    .replace(/^sha256:/, '')
    .replace(/[^0-9a-f]/g, '')
    .slice(0, limits.bindingHexDigits);
}

/**
 * Whether something was on show, for so long at least, when a comment was written. GitHub tells the whole second that a
 * comment was written in: what was shown within that second may have been shown before it, and nothing later.
 */
export function wasShownBefore(shownAt: Instant, createdAt: Instant, shownForMs = 0): boolean {
  return createdAt >= Math.floor((shownAt + shownForMs) / SECOND_MS) * SECOND_MS;
}

const SECOND_MS = 1_000;
