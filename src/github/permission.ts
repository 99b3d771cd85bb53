/** Permissions, read when a decision needs them. */

import { z } from 'zod';
import { PERMISSIONS, type Permission } from '../domain/actor.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { call, type GitHubClient } from './call.ts';

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
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
    username: user.login,
  });
  if (outcome.kind === 'unknown') return unknown(outcome.message);
  if (outcome.kind === 'refused')
    return outcome.status === 404 ? known('none') : unknown(`GitHub refused to tell: ${outcome.status}`);
  const parsed = answerSchema.safeParse(outcome.data);
  if (!parsed.success) return unknown('an answer of another shape');
  if (parsed.data.user.id !== user.id) return known('none');
  return known(permissionOf(parsed.data.role_name, parsed.data.permission));
}

/** `role_name` is more precise; custom roles fall back to `permission`. */
function permissionOf(role: string, permission: string): Permission {
  const found = PERMISSIONS.find((p) => p === role) ?? PERMISSIONS.find((p) => p === permission);
  return found ?? 'none';
}
