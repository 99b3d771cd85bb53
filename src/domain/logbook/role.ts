/** The roles that sign entries, and their public keys. */

import * as z from 'zod';
import { text } from './parts.ts';

/** Who signs: control decides, the runner submits, the watch observes. */
export const ROLES = ['control', 'runner', 'watch'] as const;
export type Role = (typeof ROLES)[number];

/** A public key from the config: raw Ed25519 in base64, valid from/until (RFC 3339). */
export const publicKeySchema = z.object({
  id: text,
  role: z.enum(ROLES),
  public: text,
  from: text,
  until: text,
});
export type PublicKey = Readonly<z.infer<typeof publicKeySchema>>;
