/** `permissions:` of a workflow or job: the permissions of its GITHUB_TOKEN. */

import * as z from 'zod';
import type { AccessLevel } from '../../identity/state-people.ts';

/** Permission name to level; a missing name is `none`. */
export type WorkflowPermissions = Readonly<Record<string, AccessLevel>>;

/** Every permission a workflow may name (docs: workflow syntax, `permissions`). */
const NAMES = [
  'actions',
  'attestations',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'id-token',
  'issues',
  'models',
  'packages',
  'pages',
  'pull-requests',
  'repository-projects',
  'security-events',
  'statuses',
] as const;

const level = z.enum(['read', 'write', 'none']);

/**
 * A map, `read-all`, `write-all` or `{}`. Permissions that a map does not name are none. Names are converted to the
 * API's spelling (`pull_requests`), because the token check uses it.
 */
export const permissionsSchema = z
  .union([z.enum(['read-all', 'write-all']), z.record(z.string(), level)])
  .transform((given): WorkflowPermissions => {
    if (given === 'read-all') return everything('read');
    if (given === 'write-all') return everything('write');
    const granted: Record<string, 'read' | 'write'> = {};
    for (const [name, value] of Object.entries(given)) {
      if (value !== 'none') granted[apiName(name)] = value;
    }
    return granted;
  })
  .nullable()
  .default(null);

/** The token's permissions when neither workflow nor job sets any: the restricted default of new repositories. */
export const DEFAULT_PERMISSIONS: WorkflowPermissions = { contents: 'read', packages: 'read' };

/** The same for repositories that let workflows write by default. */
export const PERMISSIVE_PERMISSIONS: WorkflowPermissions = everything('write');

function everything(granted: 'read' | 'write'): WorkflowPermissions {
  return Object.fromEntries(NAMES.map((name) => [apiName(name), granted]));
}

function apiName(name: string): string {
  return name.replaceAll('-', '_');
}
