/** Who did something: GitHub's numeric user id decides, the login is for people and may change. */

/** `id` is GitHub's numeric user id; `login` the name at the time. */
export type Actor = { readonly id: number; readonly login: string };

/** What the collaborator endpoint answers, from least to most (GitHub REST, collaborators/permission `role_name`). */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Whether `held` is at least `needed`. */
export function permits(held: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(needed);
}
