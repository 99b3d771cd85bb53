/** Who signs: control decides, the runner submits, the watch observes. */
export const ROLES = ['control', 'runner', 'watch'] as const;
export type Role = (typeof ROLES)[number];

/** A public key from the config: raw Ed25519 in base64, valid from/until (RFC 3339). */
export type PublicKey = {
  readonly id: string;
  readonly role: Role;
  readonly public: string;
  readonly from: string;
  readonly until: string;
};
