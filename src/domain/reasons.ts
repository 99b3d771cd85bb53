/** Why a recorded approval no longer counts. */

export const DROP_REASONS = [
  'manifest-changed',
  'body-edited',
  'gate-fails',
  'comment-edited',
  'comment-gone',
  'permission-lost',
  'runner-refused',
  'revoked',
  'held',
  'approval-expired',
  'other-commit',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];
