/** SHA-256 for the core, which has no access to a crypto library of its own. */

import { hash } from 'node:crypto';

/** SHA-256 of the UTF-8 bytes of `utf8`, as 64 lower-case hex digits (FIPS 180-4). */
export function sha256Hex(utf8: string): string {
  return hash('sha256', utf8, 'hex');
}
