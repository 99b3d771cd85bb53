/** Permissions, read when a decision needs them. */

import { z } from 'zod';
import { PERMISSIONS, type Permission } from '../domain/actor.ts';
import { known, type Observed } from '../domain/observed.ts';
import { type GitHubClient, readIfThere } from './call.ts';

const answerSchema = z.object({
  permission: z.string(),
  role_name: z.string(),
  user: z.object({ id: z.number().int(), login: z.string() }),
});

/**
 * A person's current permission. GitHub must report the same user id, because a login can pass to another account. 404 (no such user, or an
 * app) is `none`.
 */
export async function readPermission(
  client: GitHubClient,
  user: { readonly id: number; readonly login: string },
): Promise<Observed<Permission>> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const found = await readIfThere(client, route, answerSchema, { username: user.login });
  if (found.kind === 'unknown') return found;
  if (found.value === null || found.value.user.id !== user.id) return known('none');
  return known(permissionOf(found.value.role_name, found.value.permission));
}

/** `role_name` is more precise; custom roles fall back to `permission`. */
function permissionOf(role: string, permission: string): Permission {
  const found = PERMISSIONS.find((p) => p === role) ?? PERMISSIONS.find((p) => p === permission);
  return found ?? 'none';
}
