/** SHA-256 for the core, which has no access to a crypto library of its own. */

import { hash } from 'node:crypto';

/** SHA-256 of bytes, or of the UTF-8 bytes of a text, as 64 lower-case hex digits (FIPS 180-4). */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
