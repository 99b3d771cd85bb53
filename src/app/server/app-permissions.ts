/** What the GitHub App asks for and listens to: the list that app.yml repeats and a test compares, both ways. */

/** The least that works, each with what would not work without it. */
export const APP_PERMISSIONS = {
  actions: { level: 'write', why: 'dispatch the launch and the watch, find their runs' },
  checks: { level: 'write', why: 'the check run on the head of a proposal' },
  contents: { level: 'write', why: 'logbook, proposal branch and seal tag' },
  issues: { level: 'write', why: 'commands, answers, the card, labels, the ferry issue' },
  metadata: { level: 'read', why: 'comes with every App; the permission of a commenter' },
  pull_requests: { level: 'write', why: 'proposal, outcome boxes, closure PR' },
  statuses: { level: 'read', why: "the lab's commit statuses, which a launch waits for" },
} as const satisfies Readonly<Record<string, { readonly level: 'read' | 'write'; readonly why: string }>>;

/** Events that the App subscribes to. */
export const APP_EVENTS = [
  'check_run',
  'issue_comment',
  'issues',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'workflow_run',
] as const;

/** Events that every App gets without subscribing; GitHub refuses a manifest that lists them. */
export const UNSUBSCRIBED_EVENTS = ['installation', 'installation_repositories'] as const;
