/** SHA-256. */

import { hash } from 'node:crypto';

/** SHA-256 of bytes or UTF-8 text as 64 lower-case hex digits (FIPS 180-4). */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
