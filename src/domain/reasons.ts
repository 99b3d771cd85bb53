/** Closed vocabularies of what goes wrong: why an approval falls, and what a person must see. */

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

/** What went wrong in a way that a person must see. */
export const INCIDENTS = [
  'runner-refused',
  'submit-rejected',
  'submit-conflict',
  'submit-unknown',
  'dispatch-failed',
  'order-expired',
  'launch-unreadable',
  'engine-state-lost',
  'engine-unreadable',
  'stop-unconfirmed',
  'failure-signature',
  'run-degraded',
  'monitor-stale',
  'cluster-missing',
  'cluster-back',
  'logbook-broken',
  'logbook-restored',
  'card-edited',
  'proposal-edited',
  'seal-failed',
  'bad-node-unclear',
  'consent-unused',
  'relaunch-refused',
] as const;
export type IncidentCode = (typeof INCIDENTS)[number];
