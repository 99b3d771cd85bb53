/** Picks from GitHub's description of its webhooks the payloads that the playground can send. */

import { asObject, bareSchema, resolveReference } from './bare-schema.ts';

/** Events of the playground, as GitHub's documentation names them. */
const events = new Set([
  'check_run',
  'check_suite',
  'create',
  'delete',
  'deployment',
  'deployment_status',
  'installation',
  'installation_repositories',
  'issue_comment',
  'issues',
  'label',
  'milestone',
  'ping',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'release',
  'repository_dispatch',
  'status',
  'workflow_dispatch',
  'workflow_job',
  'workflow_run',
]);
/** Actions that nothing in the playground causes; each has a payload of some 30 KB. */
const neverSent = /\.(dequeued|enqueued|auto_merge_\w+|typed|untyped|transferred)$/;

/** `issue_comment.created`, `push` → schema. */
export function pickPayloads(description: unknown): Readonly<Record<string, unknown>> {
  const payloads: Record<string, unknown> = {};
  for (const webhook of Object.values(asObject(asObject(description)['webhooks']))) {
    const post = asObject(asObject(webhook)['post']);
    const name = String(post['operationId']).replace('/', '.').replaceAll('-', '_');
    if (!events.has(name.split('.')[0] ?? '') || neverSent.test(name)) continue;
    payloads[name] = withInstallation(bareSchema(resolveReference(description, referenceOf(post))));
  }
  return payloads;
}

function referenceOf(post: Readonly<Record<string, unknown>>): string {
  const content = asObject(asObject(post['requestBody'])['content']);
  return String(asObject(asObject(content['application/json'])['schema'])['$ref']);
}

/** What an App is sent names its installation (docs: webhook payloads); of two events the description leaves that out. */
function withInstallation(schema: unknown): unknown {
  const { properties, ...rest } = asObject(schema);
  return properties === undefined
    ? schema
    : { ...rest, properties: { installation: { type: 'object' }, ...asObject(properties) } };
}
