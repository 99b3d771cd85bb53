/** Binds an approval or a consent to what was shown: the digest that it names, and when it was written. */

import { limits } from './limits.ts';
import type { Instant } from './values.ts';

/** `short`: a correct prefix with too few digits to bind. */
export type Naming = 'named' | 'short' | 'missing' | 'other';

/** Compares a digest prefix from a comment (any case, `sha256:` optional) with the expected digest. */
export function namingOf(given: string | undefined, digest: string): Naming {
  if (given === undefined) return 'missing';
  const digits = given.toLowerCase().replace(/^sha256:/, '');
  if (!digest.slice('sha256:'.length).startsWith(digits)) return 'other';
  return digits.length >= limits.bindingHexDigits ? 'named' : 'short';
}

/** The digest prefix that people copy: just long enough to bind. */
export function bindingHex(digest: string): string {
  return digest
    .replace(/^sha256:/, '')
    .replace(/[^0-9a-f]/g, '')
    .slice(0, limits.bindingHexDigits);
}

/**
 * Whether a text had been visible for `shownForMs` when the comment was written. GitHub truncates `createdAt`
 * to the second, so the same second counts as visible.
 */
export function wasShownBefore(shownAt: Instant, createdAt: Instant, shownForMs = 0): boolean {
  return createdAt >= Math.floor((shownAt + shownForMs) / SECOND_MS) * SECOND_MS;
}

const SECOND_MS = 1_000;
