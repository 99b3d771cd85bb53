/** The slash commands by name and the closed list of what ferrybot may answer to one. */

export const COMMANDS = [
  'approve-launch',
  'revoke',
  'hold',
  'unhold',
  'skip',
  'freeze',
  'thaw',
  'status',
  'stop',
  'ack',
  'seal',
  'help',
] as const;
export type CommandName = (typeof COMMANDS)[number];

/** Outcome of a command, recorded in `command-answered`; `render/answers` has the sentence for each. */
export const ANSWER_CODES = [
  'approved',
  'approved-waiting-for-more',
  'already-approved',
  'approval-gates-blocked',
  'approval-digest-unknown',
  'approval-digest-changed',
  'approval-digest-needed',
  'approval-not-now',
  'approval-by-author',
  'revoked',
  'revoke-nothing',
  'revoke-too-late',
  'held',
  'hold-too-late',
  'unheld',
  'unhold-nothing',
  'skipped',
  'skip-too-late',
  'frozen',
  'thawed',
  'thaw-nothing',
  'status-shown',
  'lane-shown',
  'stop-requested',
  'stop-before-launch',
  'stop-not-running',
  'acknowledged',
  'acknowledged-already',
  'acknowledged-nothing',
  'closed-failed',
  'closed-lost',
  'lost-not-lost',
  'sealed',
  'seal-not-ended',
  'seal-needs-accept',
  'seal-refused',
  'seal-already',
  'help-shown',
  'not-permitted',
  'permission-unknown',
  'no-run-here',
  'run-over',
  'comment-edited',
  'comment-gone',
  'not-understood',
  'hint',
  'logbook-broken',
] as const;
export type AnswerCode = (typeof ANSWER_CODES)[number];

/** Where a command was written: GitHub numbers the three kinds separately. */
export const SURFACES = ['comment', 'review', 'review-comment'] as const;
export type Surface = (typeof SURFACES)[number];
