/** Picks from GitHub's description of its webhooks the payloads that the playground can send. */

import { asObject, bareSchema, resolveReference } from './bare-schema.ts';

/** Events of the playground, as GitHub's documentation names them. */
const events = new Set([
  'check_run',
  'check_suite',
  'create',
  'delete',
  'installation',
  'installation_repositories',
  'issue_comment',
  'issues',
  'label',
  'ping',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'repository_dispatch',
  'status',
  'workflow_dispatch',
  'workflow_job',
  'workflow_run',
]);
/** Actions that nothing in the playground causes; each has a payload of some 30 KB. */
const neverSent =
  /\.(dequeued|enqueued|auto_merge_\w+|demilestoned|milestoned|typed|untyped|transferred|pinned|unpinned)$/;

/** `issue_comment.created`, `push` → schema. */
export function pickPayloads(description: unknown): Readonly<Record<string, unknown>> {
  const payloads: Record<string, unknown> = {};
  for (const webhook of Object.values(asObject(asObject(description)['webhooks']))) {
    const post = asObject(asObject(webhook)['post']);
    const name = String(post['operationId']).replace('/', '.').replaceAll('-', '_');
    if (!events.has(name.split('.')[0] ?? '') || neverSent.test(name)) continue;
    payloads[name] = bareSchema(resolveReference(description, referenceOf(post)));
  }
  return payloads;
}

function referenceOf(post: Readonly<Record<string, unknown>>): string {
  const content = asObject(asObject(post['requestBody'])['content']);
  return String(asObject(asObject(content['application/json'])['schema'])['$ref']);
}
