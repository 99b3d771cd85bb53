/** The permissions and events of the GitHub App. app.yml repeats them, and a test compares the two. */

/** The minimal permissions, each with its reason. */
export const APP_PERMISSIONS = {
  actions: { level: 'write', why: 'dispatch the launch and the watch, find their runs' },
  checks: { level: 'write', why: 'the check run on the head of a proposal' },
  contents: { level: 'write', why: 'logbook, proposal branch and seal tag' },
  issues: { level: 'write', why: 'commands, answers, the card, labels, the ferry issue' },
  metadata: { level: 'read', why: 'comes with every App; the permission of a commenter' },
  pull_requests: { level: 'write', why: 'proposal, outcome boxes, closure PR' },
  statuses: { level: 'read', why: "the lab's commit statuses, which a launch waits for" },
} as const satisfies Readonly<Record<string, { readonly level: 'read' | 'write'; readonly why: string }>>;

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

/** Every App gets these events. GitHub rejects a manifest that lists them. */
export const UNSUBSCRIBED_EVENTS = ['installation', 'installation_repositories'] as const;
